#pragma once

#include <memory>

#include "bactrian/table.h"

namespace bactrian {

/// `t$audit_log` and `t$binlog` (format reference: query.md §6): the rows of a table with their kinds in column `rowkind`; in
/// the binlog each other column is an array with the value after the change (and before it, for updates).
/// `t$row_tracking`: rows with `_ROW_ID` and `_SEQUENCE_NUMBER` after their columns; kNotFound for a table without row
/// tracking.
enum class LogKind : uint8_t { kAudit, kBinlog, kRowTracking };

arrow::Result<std::shared_ptr<Table>> MakeLogTable(Identifier identifier, std::shared_ptr<Table> base, LogKind kind);

}  // namespace bactrian
