/// Reads chosen rows of one leaf column.
#pragma once

#include <arrow/type_fwd.h>
#include <parquet/column_reader.h>

#include <memory>

#include "bactrian/format/parquet/column_pages.h"
#include "bactrian/format/parquet/column_plan.h"

namespace bactrian {

/// A cursor over the rows of a row group that only moves forward. Throws as the library does.
class LeafReader {
 public:
  /// `value_type` is the Arrow type for BYTE_ARRAY columns (binary, utf8 or a view); ignored for others. `page_pool` is for
  /// decompression, `pool` for what leaves the reader.
  LeafReader(const ParquetFile& file, int column, std::unique_ptr<ColumnPages> pages,
             const std::shared_ptr<arrow::DataType>& value_type, arrow::MemoryPool* pool);

  ColumnPages& pages() { return *pages_; }
  /// Appends these rows to what was read since Reset(). kCorrupt if the column has fewer.
  arrow::Status Read(const RowRanges& rows);
  /// Levels of the rows read; both null for a required flat column. Valid until Reset().
  const int16_t* def_levels() const { return records_->def_levels(); }
  const int16_t* rep_levels() const { return records_->rep_levels(); }
  int64_t num_levels() const { return records_->levels_position(); }
  parquet::internal::RecordReader& records() { return *records_; }
  const parquet::ColumnDescriptor& descr() const { return *records_->descr(); }
  /// Forgets the rows read. Their values may have been taken from records().
  void Reset() { records_->Reset(); }

 private:
  const ParquetFile& file_;
  std::shared_ptr<parquet::internal::RecordReader> records_;
  ColumnPages* pages_;  // owned by records_
  int64_t row_ = 0;     // rows before it are passed
};

/// The values that `leaf` has read since Reset() as an array of plan.arrow_type, nulls included, one slot for each level that
/// has one. kCorrupt for a physical type that the Paimon type is never stored as, kUnsupported for a value that Arrow's type
/// cannot hold; both name file and column.
arrow::Result<std::shared_ptr<arrow::Array>> TakeLeafValues(LeafReader& leaf, const ParquetFile& file, const ColumnPlan& plan,
                                                            arrow::MemoryPool* pool);

/// The Arrow type that a LeafReader for `plan` reads BYTE_ARRAY values as.
std::shared_ptr<arrow::DataType> LeafValueType(const ColumnPlan& plan);

}  // namespace bactrian
