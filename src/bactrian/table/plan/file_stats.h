#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/expr/evaluate.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/table/schema_evolution.h"
#include "bactrian/table/table_context.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {

/// The value statistics of one file (format reference: manifest.md §6), in the types of its own schema. A view: the schema and
/// the file must outlive it.
class FileStats {
 public:
  FileStats(const TableSchema& data_schema, const DataFileMeta& file);
  /// What is known of a column of the data schema; nullopt for nothing at all.
  std::optional<ColumnBounds> Bounds(const Field& data_field) const;

 private:
  int SlotOf(std::string_view column) const;

  const TableSchema& data_schema_;
  const DataFileMeta& file_;
  size_t num_slots_;
  std::optional<BinaryRowView> min_, max_;
};

/// Drops files whose statistics show that no row fulfils a predicate. Not thread-safe.
class FileStatsFilter {
 public:
  /// `predicate` is over the columns of the context's schema.
  FileStatsFilter(const TableContext& context, PredicatePtr predicate);
  arrow::Result<bool> Keeps(const DataFileMeta& file, std::span<const Value> partition);

 private:
  struct Compiled {
    std::shared_ptr<const TableSchema> data_schema;
    std::vector<Field> fields;  ///< physical ones
    PredicatePtr predicate;     ///< over `fields`
  };
  arrow::Result<Compiled> Compile(const DataFileMeta& file) const;

  const TableContext& context_;
  PredicatePtr predicate_;
  std::map<int64_t, Compiled> by_schema_;  ///< for files that hold all columns of their schema
};

}  // namespace bactrian
