#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bactrian/predicate.h"
#include "bactrian/scan.h"
#include "bactrian/session.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

inline constexpr std::string_view kValueKindColumn = "_VALUE_KIND";
inline constexpr std::string_view kSequenceNumberColumn = "_SEQUENCE_NUMBER";
inline constexpr int32_t kSequenceNumberFieldId = 2147483646, kValueKindFieldId = 2147483645;  // schema.md §4
inline constexpr std::string_view kRowIdColumn = "_ROW_ID";
inline constexpr int32_t kRowIdFieldId = 2147483642;
/// The columns that data files of primary-key tables have besides the table's (merge.md §1).
Field ValueKindField();
Field SequenceNumberField();
/// With a sequence number, what rows of tables with row tracking have besides (rowtracking.md §1).
Field RowIdField();

/// What readers of one plan have in common. Immutable, shared by them.
struct ReadSpec {
  TableContext context;
  std::shared_ptr<Session> session;
  std::vector<Field> fields;              ///< to return, in order; `_VALUE_KIND` may be one of them
  std::shared_ptr<arrow::Schema> schema;  ///< of the batches
  PredicatePtr predicate;                 ///< over the table's columns; kTrue for none
  std::optional<int64_t> limit;           ///< rows a reader
  int64_t batch_rows = 16384;
  int64_t read_ahead_bytes = 64 << 20;  ///< of one file
  bool string_views = false;
  ScanPruning pruning;
  bool keep_deletes = false;  ///< rows that a merge ends as deleted are returned too
  bool stored_kinds = false;  ///< `_VALUE_KIND` and `_SEQUENCE_NUMBER` are read from the files; otherwise all rows are +I
};

/// Resolves column names (nullopt: all) and makes the schema of the batches. kInvalid for an unknown or repeated name.
arrow::Status SelectFields(const std::optional<std::vector<std::string>>& columns, ReadSpec* spec);

/// The schema of batches with these fields, top-level string and binary columns as views if asked.
arrow::Result<std::shared_ptr<arrow::Schema>> BatchSchema(std::span<const Field> fields, bool string_views);

}  // namespace bactrian
