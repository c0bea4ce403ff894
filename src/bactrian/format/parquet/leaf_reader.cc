#include "bactrian/format/parquet/leaf_reader.h"

namespace bactrian {

using parquet::internal::LevelInfo;
using parquet::internal::RecordReader;

LeafReader::LeafReader(const ParquetFile& file, int column, std::unique_ptr<ColumnPages> pages,
                       const std::shared_ptr<arrow::DataType>& value_type, arrow::MemoryPool* pool)
    : file_(file), pages_(pages.get()) {
  const parquet::ColumnDescriptor* descr = file.metadata()->schema()->Column(column);
  records_ = RecordReader::Make(descr, LevelInfo::ComputeLevelInfo(descr), pool, /*read_dictionary=*/false,
                                /*read_dense_for_nullable=*/false, value_type);
  records_->SetPageReader(std::move(pages));
}

arrow::Status LeafReader::Read(const RowRanges& rows) {
  records_->Reserve(rows.num_rows());
  for (const RowRange& range : rows.ranges()) {
    int64_t skip = pages_->DeliveredRows(row_, range.begin);
    while (skip > 0) {
      const int64_t skipped = records_->SkipRecords(skip);
      if (skipped <= 0) break;
      skip -= skipped;
    }
    int64_t wanted = range.end - range.begin;
    while (skip == 0 && wanted > 0) {
      const int64_t read = records_->ReadRecords(wanted);
      if (read <= 0) break;
      wanted -= read;
    }
    if (skip > 0 || wanted > 0) {
      return Corrupt("parquet file ", file_.path(), ": column ", descr().path()->ToDotString(), " ends before row ", range.end,
                     " of a row group");
    }
    row_ = range.end;
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
