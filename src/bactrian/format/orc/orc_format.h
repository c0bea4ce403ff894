/// ORC data files (format reference: layout.md §6).
#pragma once

#include "bactrian/format/file_format.h"

namespace bactrian {

/// Reads; writing is kUnsupported. Lives as long as the process; thread-safe.
const FileFormat* OrcFormat();

}  // namespace bactrian
