/// Aggregate functions of primary-key tables, one column over many groups at a time (format reference: merge.md §6).
///
///   ARROW_ASSIGN_OR_RAISE(auto sum, Aggregator::Make("sum", field, options));
///   ARROW_ASSIGN_OR_RAISE(auto column, sum->Run(sources, steps, pool));   // one value a group
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/merge/merge_function.h"
#include "bactrian/schema.h"

namespace bactrian {

/// What one record does to a group's accumulator, which begins as null.
enum class AggregateOp : uint8_t {
  kAggregate,          ///< acc = agg(acc, input)
  kAggregateReversed,  ///< acc = agg(input, acc): the record is older than what was seen
  kRetract,            ///< acc = retract(acc, input)
  kSet,                ///< acc = input
  kClear,              ///< acc = null
};

struct AggregateStep {
  RowRef input;
  AggregateOp op = AggregateOp::kAggregate;
};

/// The steps of many groups, in order.
struct AggregateSteps {
  std::vector<AggregateStep> steps;
  std::vector<uint32_t> offsets{0};  ///< num_groups + 1, into steps

  int64_t num_groups() const { return static_cast<int64_t>(offsets.size()) - 1; }
  void CloseGroup() { offsets.push_back(static_cast<uint32_t>(steps.size())); }
};

/// Immutable; threads may share one.
class Aggregator {
 public:
  /// The function `name` over `field`, steered by the table options `fields.<field>.…`. kInvalid for a type that the function
  /// does not take and for an unknown name, kUnsupported for a known one that is not built (hll_sketch, theta_sketch).
  static arrow::Result<std::shared_ptr<const Aggregator>> Make(std::string_view name, const Field& field,
                                                               const Options& options);
  virtual ~Aggregator() = default;
  /// An array of the field's Arrow type with num_groups() values. `sources` are the column in each of the merge's batches.
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Run(std::span<const std::shared_ptr<arrow::Array>> sources,
                                                           const AggregateSteps& steps, arrow::MemoryPool* pool) const = 0;
};

using AggregatorMaker =
    std::function<arrow::Result<std::shared_ptr<const Aggregator>>(const Field& field, const Options& options)>;
/// Makes a function of the user's own known under `name` in this process. kAlreadyExists for a name that is taken. Thread-safe.
arrow::Status RegisterAggregator(std::string name, AggregatorMaker maker);

}  // namespace bactrian
