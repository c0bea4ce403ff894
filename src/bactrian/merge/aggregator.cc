#include "bactrian/merge/aggregator.h"

#include <arrow/array.h>

#include <map>
#include <mutex>

#include "bactrian/merge/bitmap_aggregators.h"
#include "bactrian/merge/nested_aggregators.h"
#include "bactrian/merge/number_aggregators.h"
#include "bactrian/merge/picking_aggregators.h"
#include "bactrian/merge/text_aggregators.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

/// Option fields.<column>.ignore-retract: -U and -D records leave the accumulator as it is.
class IgnoringRetracts : public Aggregator {
 public:
  explicit IgnoringRetracts(std::shared_ptr<const Aggregator> inner) : inner_(std::move(inner)) {}
  arrow::Result<std::shared_ptr<arrow::Array>> Run(std::span<const std::shared_ptr<arrow::Array>> sources,
                                                   const AggregateSteps& steps, arrow::MemoryPool* pool) const override {
    AggregateSteps kept;
    kept.steps.reserve(steps.steps.size());
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      for (uint32_t s = steps.offsets[g]; s < steps.offsets[g + 1]; ++s) {
        if (steps.steps[s].op != AggregateOp::kRetract) kept.steps.push_back(steps.steps[s]);
      }
      kept.CloseGroup();
    }
    return inner_->Run(sources, kept, pool);
  }

 private:
  const std::shared_ptr<const Aggregator> inner_;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, AggregatorMaker, std::less<>> makers;
};
Registry& UserFunctions() {
  static Registry registry;
  return registry;
}

AggregatorMaker FindUserFunction(std::string_view name) {
  Registry& registry = UserFunctions();
  std::lock_guard lock(registry.mutex);
  const auto it = registry.makers.find(name);
  return it == registry.makers.end() ? nullptr : it->second;
}

arrow::Result<std::shared_ptr<const Aggregator>> MakeBuiltIn(std::string_view name, const Field& field,
                                                             const Options& options) {
  ARROW_ASSIGN_OR_RAISE(auto made, MakePickingAggregator(name, field));
  if (made == nullptr) {
    ARROW_ASSIGN_OR_RAISE(made, MakeNumberAggregator(name, field));
  }
  for (const auto make : {MakeTextAggregator, MakeBitmapAggregator, MakeNestedAggregator}) {
    if (made != nullptr) break;
    ARROW_ASSIGN_OR_RAISE(made, make(name, field, options));
  }
  return made;
}

}  // namespace

arrow::Result<std::shared_ptr<const Aggregator>> Aggregator::Make(std::string_view name, const Field& field,
                                                                  const Options& options) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const Aggregator> made, MakeBuiltIn(name, field, options));
  if (made == nullptr) {
    if (const AggregatorMaker maker = FindUserFunction(name)) {
      ARROW_ASSIGN_OR_RAISE(made, maker(field, options));
    }
  }
  if (made == nullptr) {
    if (name == "hll_sketch" || name == "theta_sketch") {
      return Unsupported("aggregate function ", name, " of column ", field.name, " (it needs Apache DataSketches)");
    }
    return Invalid("no aggregate function '", name, "' (column ", field.name, ")");
  }
  ARROW_ASSIGN_OR_RAISE(const bool ignore_retract,
                        CoreOptions(options).GetBool("fields." + field.name + ".ignore-retract", false));
  if (ignore_retract) return std::make_shared<IgnoringRetracts>(std::move(made));
  return made;
}

arrow::Status RegisterAggregator(std::string name, AggregatorMaker maker) {
  const Field any{.id = 0, .name = "any", .type = DataType::Int()};
  auto built_in = MakeBuiltIn(name, any, {});
  Registry& registry = UserFunctions();
  std::lock_guard lock(registry.mutex);
  if (!built_in.ok() || *built_in != nullptr || registry.makers.contains(name)) {
    return AlreadyExists("there is an aggregate function '", name, "' already");
  }
  registry.makers.emplace(std::move(name), std::move(maker));
  return arrow::Status::OK();
}

}  // namespace bactrian
