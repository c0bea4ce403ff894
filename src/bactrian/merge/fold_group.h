#pragma once

#include <optional>
#include <string>
#include <utility>

#include "bactrian/merge/aggregator.h"

namespace bactrian {

/// The accumulator of group `g` after its steps, for functions over an accumulator type of their own. `Fold` has
/// Accumulator, Read(RowRef), Aggregate(acc, input) and Retract(acc, input), with std::optional for null on either side.
template <typename Fold>
arrow::Result<std::optional<typename Fold::Accumulator>> FoldGroup(const Fold& fold, const AggregateSteps& steps, int64_t g) {
  using Cell = std::optional<typename Fold::Accumulator>;
  Cell acc;
  for (uint32_t s = steps.offsets[g]; s < steps.offsets[g + 1]; ++s) {
    ARROW_ASSIGN_OR_RAISE(Cell input, fold.Read(steps.steps[s].input));
    switch (steps.steps[s].op) {
      case AggregateOp::kAggregate: {
        ARROW_ASSIGN_OR_RAISE(acc, fold.Aggregate(std::move(acc), std::move(input)));
        break;
      }
      case AggregateOp::kAggregateReversed: {
        ARROW_ASSIGN_OR_RAISE(acc, Fold::kSymmetric ? fold.Aggregate(std::move(acc), std::move(input))
                                                    : fold.Aggregate(std::move(input), std::move(acc)));
        break;
      }
      case AggregateOp::kRetract: {
        ARROW_ASSIGN_OR_RAISE(acc, fold.Retract(std::move(acc), std::move(input)));
        break;
      }
      case AggregateOp::kSet:
        acc = std::move(input);
        break;
      case AggregateOp::kClear:
        acc.reset();
        break;
    }
  }
  return acc;
}

}  // namespace bactrian
