/// From table options to Parquet writer properties.
#pragma once

#include <arrow/type_fwd.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <memory>
#include <vector>

#include "bactrian/schema.h"

namespace bactrian {

/// Options understood: file.compression, file.compression.zstd-level, parquet.page.size, parquet.page.row.count.limit,
/// parquet.block.row.count.limit (rows of a row group, 122,880), parquet.dictionary.page.size, parquet.writer.version, and, for
/// all columns or for one by the suffix `#<column path>`, parquet.enable.dictionary, parquet.bloom.filter.enabled,
/// .expected.ndv and .fpp. `sample` are the first rows of the file: a leaf whose values hardly repeat there gets no dictionary,
/// which would only cost size and time. kInvalid names the option.
arrow::Result<std::shared_ptr<parquet::WriterProperties>> MakeWriterProperties(
    const Options& options, const parquet::SchemaDescriptor& schema,
    const std::vector<std::shared_ptr<arrow::RecordBatch>>& sample, arrow::MemoryPool* pool);

}  // namespace bactrian
