#pragma once

#include <string>

#include "bactrian/status.h"

namespace bactrian {

/// Deletes a local directory (a path without scheme or with "file:") that holds nothing; false, and nothing changed, if it does
/// or is not there. Other stores have no directories of their own: false.
arrow::Result<bool> DeleteEmptyDirectory(const std::string& path);

}  // namespace bactrian
