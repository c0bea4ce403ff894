#pragma once

#include <memory>
#include <string_view>

#include "bactrian/merge/aggregator.h"

namespace bactrian {

/// sum, product, bool_and, bool_or. Null when `name` is none of them.
arrow::Result<std::shared_ptr<const Aggregator>> MakeNumberAggregator(std::string_view name, const Field& field);

}  // namespace bactrian
