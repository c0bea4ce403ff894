/// Avro data files (format reference: layout.md §6, manifest.md §1).
#pragma once

#include "bactrian/format/file_format.h"

namespace bactrian {

/// Lives as long as the process; thread-safe.
const FileFormat* AvroFormat();

}  // namespace bactrian
