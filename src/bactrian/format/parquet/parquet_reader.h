#pragma once

#include <memory>

#include "bactrian/format/parquet/parquet_file.h"

namespace bactrian {

/// A reader as FileHandle::Read() promises it.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeParquetReader(std::shared_ptr<const ParquetFile> file,
                                                                           const ReadRequest& request);

}  // namespace bactrian
