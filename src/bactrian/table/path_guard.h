#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bactrian/session.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Which absolute paths found in metadata may be read: those under the table's folder, under the external paths that any
/// schema of the table declares, and under the session's allowed paths. Immutable.
class PathGuard {
 public:
  static arrow::Result<PathGuard> Make(const TableContext& context, const SessionOptions& session);

  /// kCorrupt, naming `named_by`, for any other path and for one with "." or ".." in it.
  arrow::Status Check(std::string_view path, std::string_view named_by) const;

 private:
  std::vector<std::string> roots_;  ///< normalised
};

/// The data-file.external-paths of a schema, as given.
std::vector<std::string> ExternalPathsOf(const TableSchema& schema);

}  // namespace bactrian
