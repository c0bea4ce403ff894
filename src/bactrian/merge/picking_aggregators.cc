#include "bactrian/merge/picking_aggregators.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/type.h>

#include <optional>

#include "bactrian/merge/gather.h"
#include "bactrian/merge/sort_keys.h"

namespace bactrian {
namespace {

using Sources = std::span<const std::shared_ptr<arrow::Array>>;

/// An input, or null.
using Cell = std::optional<RowRef>;

/// The accumulator of first_value and first_non_null_value also remembers that it was set; agg and its reverse share that.
struct PickState {
  Cell value;
  bool initialized = false;
};

struct LastValue {
  static constexpr std::string_view kName = "last_value";
  Cell Aggregate(Cell, Cell input, PickState*) const { return input; }
  arrow::Result<Cell> Retract(Cell, Cell) const { return Cell(); }
};

struct PrimaryKey {
  static constexpr std::string_view kName = "primary-key";
  Cell Aggregate(Cell, Cell input, PickState*) const { return input; }
  arrow::Result<Cell> Retract(Cell, Cell input) const { return input; }
};

struct LastNonNullValue {
  static constexpr std::string_view kName = "last_non_null_value";
  Cell Aggregate(Cell acc, Cell input, PickState*) const { return input ? input : acc; }
  arrow::Result<Cell> Retract(Cell acc, Cell input) const { return input ? Cell() : acc; }
};

template <bool kNonNull>
struct FirstValue {
  static constexpr std::string_view kName = kNonNull ? "first_non_null_value" : "first_value";
  Cell Aggregate(Cell acc, Cell input, PickState* state) const {
    if (state->initialized || (kNonNull && !input)) return acc;
    state->initialized = true;
    return input;
  }
  arrow::Result<Cell> Retract(Cell, Cell) const { return Invalid("aggregate function ", kName, " cannot retract"); }
};

template <bool kMax>
struct Extreme {
  static constexpr std::string_view kName = kMax ? "max" : "min";
  const std::vector<SortKeys>* keys;

  Cell Aggregate(Cell acc, Cell input, PickState*) const {
    if (!acc || !input) return acc ? acc : input;
    const int order = (*keys)[acc->source].Compare(acc->row, (*keys)[input->source], input->row);
    return (kMax ? order < 0 : order >= 0) ? input : acc;
  }
  arrow::Result<Cell> Retract(Cell, Cell) const { return Invalid("aggregate function ", kName, " cannot retract"); }
};

template <typename Pick>
arrow::Result<std::shared_ptr<arrow::Array>> RunPick(const Pick& pick, const Field& field, Sources sources,
                                                     const AggregateSteps& steps, arrow::MemoryPool* pool) {
  const auto null_source = static_cast<uint32_t>(sources.size());
  std::vector<Segment> segments(steps.num_groups());
  for (int64_t g = 0; g < steps.num_groups(); ++g) {
    PickState state;
    for (uint32_t s = steps.offsets[g]; s < steps.offsets[g + 1]; ++s) {
      const AggregateStep& step = steps.steps[s];
      const Cell input = sources[step.input.source]->IsNull(step.input.row) ? Cell() : Cell(step.input);
      switch (step.op) {
        case AggregateOp::kAggregate:
          state.value = pick.Aggregate(state.value, input, &state);
          break;
        case AggregateOp::kAggregateReversed:
          state.value = pick.Aggregate(input, state.value, &state);
          break;
        case AggregateOp::kRetract: {
          auto retracted = pick.Retract(state.value, input);
          if (!retracted.ok())
            return retracted.status().WithMessage(retracted.status().message(), " (column ", field.name, ")");
          state.value = *retracted;
          break;
        }
        case AggregateOp::kSet:
          state.value = input;
          break;
        case AggregateOp::kClear:
          state.value.reset();
          break;
      }
    }
    segments[g] = state.value ? Segment{state.value->source, state.value->row, 1} : Segment{null_source, 0, 1};
  }
  std::vector<std::shared_ptr<arrow::Array>> with_null(sources.begin(), sources.end());
  ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(*field.type));
  ARROW_ASSIGN_OR_RAISE(with_null.emplace_back(), arrow::MakeArrayOfNull(type, 1, pool));
  return Gather(type, with_null, segments, steps.num_groups(), pool);
}

template <typename Pick>
class PickingAggregator : public Aggregator {
 public:
  explicit PickingAggregator(Field field) : field_(std::move(field)) {}
  arrow::Result<std::shared_ptr<arrow::Array>> Run(Sources sources, const AggregateSteps& steps,
                                                   arrow::MemoryPool* pool) const override {
    return RunPick(Pick(), field_, sources, steps, pool);
  }

 private:
  const Field field_;
};

template <bool kMax>
class ExtremeAggregator : public Aggregator {
 public:
  explicit ExtremeAggregator(Field field) : field_(std::move(field)) {}
  arrow::Result<std::shared_ptr<arrow::Array>> Run(Sources sources, const AggregateSteps& steps,
                                                   arrow::MemoryPool* pool) const override {
    std::vector<SortKeys> keys;
    const SortColumn order[] = {{field_.type, false}};
    for (const auto& source : sources) {
      ARROW_ASSIGN_OR_RAISE(keys.emplace_back(), SortKeys::Make(order, {&source, 1}));
    }
    return RunPick(Extreme<kMax>{&keys}, field_, sources, steps, pool);
  }

 private:
  const Field field_;
};

}  // namespace

arrow::Result<std::shared_ptr<const Aggregator>> MakePickingAggregator(std::string_view name, const Field& field) {
  if (name == "last_value") return std::make_shared<PickingAggregator<LastValue>>(field);
  if (name == "primary-key") return std::make_shared<PickingAggregator<PrimaryKey>>(field);
  if (name == "last_non_null_value") return std::make_shared<PickingAggregator<LastNonNullValue>>(field);
  if (name == "first_value") return std::make_shared<PickingAggregator<FirstValue<false>>>(field);
  if (name == "first_non_null_value" || name == "first_not_null_value") {
    return std::make_shared<PickingAggregator<FirstValue<true>>>(field);
  }
  if (name != "max" && name != "min") return nullptr;
  if (field.type->is_nested() || field.type->root() == TypeRoot::kVariant || field.type->root() == TypeRoot::kBlob) {
    return Invalid("aggregate function ", name, " does not take column ", field.name, " of type ", field.type->ToSqlString());
  }
  if (name == "max") return std::make_shared<ExtremeAggregator<true>>(field);
  return std::make_shared<ExtremeAggregator<false>>(field);
}

}  // namespace bactrian
