/// Arrow batches as DuckDB's chunks, and back.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "bactrian/schema.h"
#include "compat.h"
#include "duckdb/common/arrow/arrow_appender.hpp"
#include "duckdb/function/table/arrow.hpp"
#include "variant_conversion.h"

namespace bactrian::sql {

/// Hands out a stream of batches in pieces that fit a DataChunk; most fixed-width data is shared, not copied. One thread.
class ArrowChunkSource {
 public:
  /// The reader's columns are those of `fields`, as ToArrowType has them.
  ArrowChunkSource(duckdb::ClientContext& context, std::shared_ptr<arrow::RecordBatchReader> reader, std::vector<Field> fields);

  /// Fills the columns of `chunk` that `targets` names, one a field, and sets its size; false at the end of the stream.
  bool Next(duckdb::DataChunk& chunk, const std::vector<duckdb::idx_t>& targets);

 private:
  bool LoadBatch();
  /// The batch's next rows of one column, as its Arrow type has them.
  void FillColumn(size_t i, duckdb::idx_t rows, duckdb::Vector& vector);

  duckdb::ClientContext& context_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  std::vector<Field> fields_;
  std::shared_ptr<arrow::Schema> sql_schema_;  ///< the types whose exact counterparts chunks have
  duckdb::ArrowTableSchema schema_;
  std::vector<duckdb::unique_ptr<duckdb::ArrowArrayScanState>> states_;
  std::vector<std::unique_ptr<VariantConversion>> variants_;  ///< one a field; nullptr: of another type
  duckdb::shared_ptr<duckdb::ArrowArrayWrapper> batch_;
  duckdb::idx_t offset_ = 0;
};

/// Gathers chunks into batches of a table's schema. One thread.
class ArrowBatchBuilder {
 public:
  /// Chunks have a column a field, of ToLogicalType of its type, under the same name.
  ArrowBatchBuilder(duckdb::ClientContext& context, const std::vector<Field>& fields);
  ~ArrowBatchBuilder();

  void Append(duckdb::DataChunk& chunk);
  int64_t num_rows() const;
  /// What was appended since the last call; nullptr if nothing was. Times finer than their column's precision are cut, as a
  /// cast in the reference does.
  std::shared_ptr<arrow::RecordBatch> Finish();

 private:
  void AppendConverted(duckdb::DataChunk& chunk);

  std::vector<Field> fields_;
  duckdb::ClientContext& context_;
  duckdb::ClientProperties properties_;
  duckdb::vector<duckdb::LogicalType> types_;
  std::vector<std::unique_ptr<VariantConversion>> variants_;  ///< one a field; nullptr: of another type
  std::shared_ptr<arrow::Schema> schema_;                     ///< as DuckDB exports it
  duckdb::unique_ptr<duckdb::ArrowAppender> appender_;
};

}  // namespace bactrian::sql
