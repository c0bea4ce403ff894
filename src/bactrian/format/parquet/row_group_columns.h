/// Columns of one row group as Arrow arrays.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <span>
#include <vector>

#include "bactrian/format/parquet/leaf_reader.h"

namespace bactrian {

struct ParquetPools {
  arrow::MemoryPool* pages;  ///< stored and decompressed bytes: capped, so that a page's claim about its size is bounded
  arrow::MemoryPool* arrays;
};

/// Reads the plans' columns for chosen rows, moving forward only. Not thread-safe; throws as the library does.
class RowGroupColumns {
 public:
  /// `plans` must outlive it. `by_page`: rows will be left out, so that pages are worth choosing. The columns share
  /// `read_ahead_bytes`.
  static arrow::Result<std::unique_ptr<RowGroupColumns>> Open(const ParquetFile& file, int row_group,
                                                              const std::vector<ColumnPlan>& plans, bool by_page,
                                                              int64_t read_ahead_bytes, ParquetPools pools);

  /// Announces rows that Read() will ask for (see ColumnPages::Want) and lists the bytes to read for them.
  void Want(const RowRanges& rows, std::vector<PendingRead>* reads);
  /// One array a plan with rows.num_rows() slots. The rows were announced, and lie behind those of the last call.
  arrow::Result<arrow::ArrayVector> Read(const RowRanges& rows);

 private:
  RowGroupColumns(const ParquetFile& file, const std::vector<ColumnPlan>& plans, ParquetPools pools)
      : file_(file), plans_(plans), pools_(pools) {}

  struct Validity {
    std::shared_ptr<arrow::Buffer> bitmap = {};  // null: all valid
    int64_t length = 0;
    int64_t null_count = 0;
  };
  arrow::Result<std::shared_ptr<arrow::Array>> Build(const ColumnPlan& plan, int64_t num_rows);
  arrow::Result<std::shared_ptr<arrow::Array>> BuildStruct(const ColumnPlan& plan, int64_t num_rows);
  arrow::Result<std::shared_ptr<arrow::Array>> BuildVariant(const ColumnPlan& plan, int64_t num_rows);
  arrow::Result<std::shared_ptr<arrow::Array>> BuildList(const ColumnPlan& plan, int64_t num_rows);
  arrow::Result<Validity> StructValidity(const ColumnPlan& plan, int64_t num_rows);
  arrow::Result<std::shared_ptr<arrow::Array>> BuildVector(const ColumnPlan& plan, const Validity& validity,
                                                           const int32_t* offsets,
                                                           const std::shared_ptr<arrow::Array>& elements);
  arrow::Status CheckLength(const ColumnPlan& plan, const arrow::Array& array, int64_t length) const;
  LeafReader& leaf(int column) { return *leaves_[column]; }

  const ParquetFile& file_;
  const std::vector<ColumnPlan>& plans_;
  const ParquetPools pools_;
  std::vector<int> columns_;                         // ordinals of the leaves that are read
  std::vector<std::unique_ptr<LeafReader>> leaves_;  // by ordinal
};

}  // namespace bactrian
