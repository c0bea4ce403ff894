/// Manifests, manifest lists and index manifests as Arrow batches, whatever file format holds them (format reference:
/// manifest.md).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/data_type.h"
#include "bactrian/format/avro/avro_file.h"
#include "bactrian/io/file_store.h"

namespace bactrian {

using BatchVisitor = std::function<arrow::Status(const arrow::RecordBatch&)>;

/// Calls `visit` with batches of the schema ToArrowSchema(fields); columns are found by name, missing ones are null, others
/// skipped. The bytes at the head of the file tell Avro from ORC and Parquet (manifest.format of 2.0 and older). Only Avro
/// applies `head_filter`; it may be null. Errors name the file; a missing one is kNotFound.
arrow::Status ReadMetadataFile(FileStore& store, const std::string& path, std::optional<int64_t> length,
                               const std::vector<Field>& fields, const AvroHeadFilter* head_filter, const BatchVisitor& visit);

/// `array` as `type`: children of structs matched by name, missing ones null, numbers and times cast.
arrow::Result<std::shared_ptr<arrow::Array>> AlignArray(const std::shared_ptr<arrow::Array>& array,
                                                        const std::shared_ptr<arrow::DataType>& type);

}  // namespace bactrian
