#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <utility>

#include "bactrian/aggregate_function.h"
#include "bactrian/merge/aggregator.h"

namespace bactrian {
namespace {

using ScalarPtr = AggregateFunction::ScalarPtr;

/// Runs a user's function over the steps of every group.
class UserAggregator final : public Aggregator {
 public:
  UserAggregator(Field field, std::shared_ptr<const AggregateFunction> function)
      : field_(std::move(field)), function_(std::move(function)) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Run(std::span<const std::shared_ptr<arrow::Array>> sources,
                                                   const AggregateSteps& steps, arrow::MemoryPool* pool) const override {
    ARROW_ASSIGN_OR_RAISE(const auto type, ToArrowType(*field_.type));
    std::unique_ptr<arrow::ArrayBuilder> values;
    ARROW_RETURN_NOT_OK(arrow::MakeBuilder(pool, type, &values));
    const ScalarPtr null = arrow::MakeNullScalar(type);
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      ScalarPtr accumulator = null;
      for (uint32_t s = steps.offsets[g]; s < steps.offsets[g + 1]; ++s) {
        const AggregateStep& step = steps.steps[s];
        ARROW_ASSIGN_OR_RAISE(const ScalarPtr input, sources[step.input.source]->GetScalar(step.input.row));
        ARROW_ASSIGN_OR_RAISE(accumulator, Apply(step.op, accumulator, input, null));
        if (!accumulator || !accumulator->type->Equals(*type)) {
          return Invalid("the aggregate function of column ", field_.name, " gave a value of another type than ",
                         type->ToString());
        }
      }
      ARROW_RETURN_NOT_OK(values->AppendScalar(*accumulator));
    }
    return values->Finish();
  }

 private:
  arrow::Result<ScalarPtr> Apply(AggregateOp op, const ScalarPtr& accumulator, const ScalarPtr& input,
                                 const ScalarPtr& null) const {
    switch (op) {
      case AggregateOp::kAggregate:
        return function_->Aggregate(accumulator, input);
      case AggregateOp::kAggregateReversed:
        return function_->AggregateReversed(accumulator, input);
      case AggregateOp::kRetract:
        return function_->Retract(accumulator, input);
      case AggregateOp::kSet:
        return input;
      case AggregateOp::kClear:
        return null;
    }
    return arrow::Status::UnknownError("aggregate step");
  }

  const Field field_;
  const std::shared_ptr<const AggregateFunction> function_;
};

}  // namespace

arrow::Result<ScalarPtr> AggregateFunction::AggregateReversed(const ScalarPtr& accumulator, const ScalarPtr& input) const {
  return Aggregate(input, accumulator);
}

arrow::Result<ScalarPtr> AggregateFunction::Retract(const ScalarPtr&, const ScalarPtr&) const {
  return Invalid("this aggregate function takes no -U or -D records: set the column's option ignore-retract");
}

arrow::Status RegisterAggregateFunction(std::string name, AggregateFunctionMaker maker) {
  return RegisterAggregator(
      std::move(name),
      [maker = std::move(maker)](const Field& field,
                                 const Options& options) -> arrow::Result<std::shared_ptr<const Aggregator>> {
        ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const AggregateFunction> function, maker(field, options));
        if (!function) return Invalid("no aggregate function was made for column ", field.name);
        return std::make_shared<UserAggregator>(field, std::move(function));
      });
}

}  // namespace bactrian
