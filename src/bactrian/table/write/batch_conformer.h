#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "bactrian/schema.h"
#include "bactrian/write.h"

namespace bactrian {

/// Turns what a caller hands in into batches of the table's Arrow schema, or refuses it whole: columns by name, casts without
/// loss, defaults, NOT NULL and lengths at every level. Thread-safe.
class BatchConformer {
 public:
  /// Columns of `static_partition` that a batch lacks are filled from it.
  static arrow::Result<BatchConformer> Make(std::shared_ptr<const TableSchema> schema, const PartitionSpec& static_partition,
                                            arrow::MemoryPool* pool);

  /// kInvalid names the column.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Conform(const arrow::RecordBatch& batch) const;

  const std::shared_ptr<arrow::Schema>& arrow_schema() const { return arrow_schema_; }

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> ConformColumn(int column, const std::shared_ptr<arrow::Array>& given) const;
  arrow::Result<std::shared_ptr<arrow::Array>> MissingColumn(int column, int64_t num_rows) const;

  std::shared_ptr<const TableSchema> schema_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  std::vector<std::shared_ptr<arrow::DataType>> relaxed_types_;  ///< the columns' types, nullable at every level
  std::vector<std::shared_ptr<arrow::Scalar>> defaults_;         ///< null pointer: no default
  std::vector<std::shared_ptr<arrow::Scalar>> static_values_;    ///< null pointer: not of the static partition
  arrow::MemoryPool* pool_ = nullptr;
};

}  // namespace bactrian
