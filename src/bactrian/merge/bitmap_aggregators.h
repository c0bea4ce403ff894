#pragma once

#include <memory>
#include <string_view>

#include "bactrian/merge/aggregator.h"

namespace bactrian {

/// rbm32, rbm64 (format reference: merge.md §6). Null when `name` is none of them.
arrow::Result<std::shared_ptr<const Aggregator>> MakeBitmapAggregator(std::string_view name, const Field& field,
                                                                      const Options& options);

}  // namespace bactrian
