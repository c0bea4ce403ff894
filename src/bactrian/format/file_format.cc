#include "bactrian/format/file_format.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "bactrian/format/avro/avro_format.h"
#include "bactrian/format/orc/orc_format.h"
#include "bactrian/format/parquet/parquet_format.h"

namespace bactrian {
namespace {

/// Extensions that name how a text file is compressed: the format is the one before.
constexpr std::array<std::string_view, 11> kCompressionExtensions = {"gz",  "gzip", "bz2", "deflate", "snappy", "lz4",
                                                                     "zst", "zstd", "lzo", "xz",      "br"};

struct Registry {
  std::mutex mutex;
  std::map<std::string, const FileFormat*, std::less<>> formats;
};

Registry& GlobalRegistry() {
  static Registry registry;
  return registry;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

/// Cuts the last extension off `name` and returns it; empty if there is none.
std::string_view TakeExtension(std::string_view* name) {
  const size_t dot = name->rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view extension = name->substr(dot + 1);
  *name = name->substr(0, dot);
  return extension;
}

}  // namespace

void RegisterFormat(const FileFormat* format) {
  Registry& registry = GlobalRegistry();
  std::lock_guard lock(registry.mutex);
  registry.formats[std::string(format->identifier())] = format;
}

void RegisterAllFormats() {
  RegisterFormat(ParquetFormat());
  RegisterFormat(AvroFormat());
  RegisterFormat(OrcFormat());
}

arrow::Result<const FileFormat*> GetFormat(std::string_view identifier) {
  Registry& registry = GlobalRegistry();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.formats.find(LowerCase(identifier));
  if (found == registry.formats.end()) return Unsupported("the file format '", identifier, "'");
  return found->second;
}

arrow::Result<const FileFormat*> FormatOfFile(std::string_view file_name) {
  std::string_view name = file_name.substr(file_name.rfind('/') + 1);
  std::string_view extension = TakeExtension(&name);
  const auto& codecs = kCompressionExtensions;
  if (std::find(codecs.begin(), codecs.end(), LowerCase(extension)) != codecs.end()) extension = TakeExtension(&name);
  auto format = GetFormat(extension);
  if (!format.ok()) return format.status().WithMessage(format.status().message(), " of the data file ", file_name);
  return format;
}

}  // namespace bactrian
