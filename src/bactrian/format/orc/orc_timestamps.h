/// Timestamp columns, which Arrow's ORC adapter counts in nanoseconds only: it fails outside of the years 1677 to 2262.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "bactrian/format/orc/orc_tail.h"

namespace bactrian {

/// The top-level column `column` (ordinal) of a stripe as `target`, a timestamp type. Null where this decoder does not apply:
/// the column is no timestamp, its encoding is an old one, or it was written in a time zone with an offset from UTC.
arrow::Result<std::shared_ptr<arrow::Array>> ReadOrcTimestamps(arrow::io::RandomAccessFile& file, const std::string& path,
                                                               int64_t file_length, const OrcTail& tail, int64_t stripe,
                                                               int column, const std::shared_ptr<arrow::DataType>& target,
                                                               arrow::MemoryPool* pool);

}  // namespace bactrian
