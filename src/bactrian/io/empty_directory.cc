#include "bactrian/io/empty_directory.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "bactrian/io/file_store.h"
#include "bactrian/io/posix.h"

namespace bactrian {

arrow::Result<bool> DeleteEmptyDirectory(const std::string& path) {
  std::string_view plain = path;
  const std::string scheme = SchemeOf(path);
  if (!scheme.empty() && scheme != "file") return false;
  if (!scheme.empty()) plain.remove_prefix(std::string_view("file:").size());
  if (plain.starts_with("//")) plain.remove_prefix(2);
  if (!plain.starts_with('/')) return false;
  // rmdir refuses what is not empty: nothing that comes in meanwhile is lost.
  if (::rmdir(std::string(plain).c_str()) == 0) return true;
  if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT || errno == ENOTDIR) return false;
  return ErrnoStatus(errno, "cannot delete", path);
}

}  // namespace bactrian
