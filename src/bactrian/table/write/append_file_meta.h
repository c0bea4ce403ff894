#pragma once

#include <string>

#include "bactrian/format/file_format.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/table/write/stats_mode.h"

namespace bactrian {

/// The manifest's record of an append table's file that was closed just now (format reference: manifest.md §3): rows numbered
/// from `first_sequence`, created now. Thread-safe.
DataFileMeta MakeAppendFileMeta(std::string name, const FileWriteResult& file, ValueStats stats, int64_t schema_id,
                                int64_t first_sequence, FileSource source);

}  // namespace bactrian
