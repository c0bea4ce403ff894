#pragma once

#include <memory>
#include <string>

#include "bactrian/format/file_format.h"

namespace bactrian {

/// A writer as FileFormat::OpenWriter() promises it. The first rows are held back until their sample decides on dictionaries.
/// Options: those of MakeWriterProperties(), and file.block-size or else parquet.block.size (bytes of a row group,
/// 128 MB).
arrow::Result<std::unique_ptr<FileWriter>> MakeParquetWriter(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                             const WriteRequest& request);

}  // namespace bactrian
