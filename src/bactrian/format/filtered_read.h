/// Predicates for formats that decode rows whole.
#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <vector>

#include "bactrian/format/file_format.h"

namespace bactrian {

/// Reads `fields` in order [+ the position column], with the rest of the request but its predicate applied.
using UnfilteredRead =
    std::function<arrow::Result<std::shared_ptr<arrow::RecordBatchReader>>(const std::vector<Field>& fields)>;

/// Serves the request on top of `read`: columns that only the predicate needs are read and left out again.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadFiltered(const ReadRequest& request, const UnfilteredRead& read);

}  // namespace bactrian
