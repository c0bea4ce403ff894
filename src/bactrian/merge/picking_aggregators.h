#pragma once

#include <memory>
#include <string_view>

#include "bactrian/merge/aggregator.h"

namespace bactrian {

/// last_value, last_non_null_value, first_value, first_non_null_value, max, min, primary-key: functions whose result is one of
/// the inputs or null, so that they choose rows and gather. Null when `name` is none of them.
arrow::Result<std::shared_ptr<const Aggregator>> MakePickingAggregator(std::string_view name, const Field& field);

}  // namespace bactrian
