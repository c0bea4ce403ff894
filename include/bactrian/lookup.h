/// Rows of a primary-key table by their keys, without a scan.
///
///   ARROW_ASSIGN_OR_RAISE(auto lookup, table->NewLookup({.columns = {{"id", "name"}}}));   // pins the newest snapshot
///   ARROW_ASSIGN_OR_RAISE(bactrian::FoundRows found, lookup->Find(*keys));
///   // row i of found.rows belongs to row found.key_rows[i] of `keys`
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/export.h"
#include "bactrian/status.h"

namespace bactrian {

struct LookupOptions {
  /// Columns of the rows found, in order; the default is all of the table's.
  std::optional<std::vector<std::string>> columns = std::nullopt;
};

struct FoundRows {
  std::shared_ptr<arrow::RecordBatch> rows;     ///< with KeyLookup::schema(); may have no rows
  std::shared_ptr<arrow::Int64Array> key_rows;  ///< for each of them, the row of the keys that it was found by; ascending
};

/// Looks keys up in one snapshot: the rows are those that a scan with a filter on the key gives, merged by the table's engine.
/// Of a file only the pages that can hold a key are read (format reference: merge.md §8, §10). What was parsed and decoded
/// stays in the session's cache within SessionOptions::cache_bytes. Immutable; many threads may look up at once.
class BACTRIAN_EXPORT KeyLookup {
 public:
  virtual ~KeyLookup() = default;
  virtual std::optional<int64_t> snapshot_id() const = 0;  ///< nullopt: the table has no snapshot
  /// Of the rows found.
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  /// What Find() takes: the primary key's columns, in its order.
  virtual const std::shared_ptr<arrow::Schema>& key_schema() const = 0;
  /// The rows of keys that the table has; keys that it lacks are left out, keys given twice are found twice. Key columns are
  /// found by name and must have the types of key_schema(). kInvalid for a missing column, another type, or a null in a key
  /// column that is NOT NULL.
  virtual arrow::Result<FoundRows> Find(const arrow::RecordBatch& keys) const = 0;
};

}  // namespace bactrian
