#include "bactrian/merge/text_aggregators.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>

#include <algorithm>
#include <set>

#include "bactrian/merge/fold_group.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

using Sources = std::span<const std::shared_ptr<arrow::Array>>;

bool IsBlank(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f); });
}

std::vector<std::string_view> Tokens(std::string_view text, std::string_view delimiter) {
  std::vector<std::string_view> tokens;
  while (!delimiter.empty()) {
    const size_t end = text.find(delimiter);
    tokens.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return tokens;
    text.remove_prefix(end + delimiter.size());
  }
  tokens.push_back(text);
  return tokens;
}

struct ListAgg {
  using Accumulator = std::string;
  static constexpr bool kSymmetric = false;
  Sources sources;
  std::string_view delimiter;
  bool distinct;

  arrow::Result<std::optional<std::string>> Read(RowRef ref) const {
    const auto& texts = static_cast<const arrow::StringArray&>(*sources[ref.source]);
    if (texts.IsNull(ref.row)) return std::nullopt;
    return std::string(texts.GetView(ref.row));
  }

  arrow::Result<std::optional<std::string>> Aggregate(std::optional<std::string> acc, std::optional<std::string> input) const {
    if (!input || IsBlank(*input)) return acc;
    if (!acc || IsBlank(*acc)) return input;
    if (!distinct) return *acc + std::string(delimiter) + *input;
    std::string joined = *acc;
    const std::vector<std::string_view> old = Tokens(*acc, delimiter);
    std::set<std::string_view> seen(old.begin(), old.end());
    for (std::string_view token : Tokens(*input, delimiter)) {
      if (!IsBlank(token) && seen.insert(token).second) joined.append(delimiter).append(token);
    }
    return joined;
  }

  arrow::Result<std::optional<std::string>> Retract(std::optional<std::string>, std::optional<std::string>) const {
    return Invalid("aggregate function listagg cannot retract");
  }
};

class ListAggregator final : public Aggregator {
 public:
  ListAggregator(std::string delimiter, bool distinct) : delimiter_(std::move(delimiter)), distinct_(distinct) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Run(Sources sources, const AggregateSteps& steps,
                                                   arrow::MemoryPool* pool) const override {
    arrow::StringBuilder builder(pool);
    const ListAgg fold{sources, delimiter_, distinct_};
    for (int64_t g = 0; g < steps.num_groups(); ++g) {
      ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> text, FoldGroup(fold, steps, g));
      ARROW_RETURN_NOT_OK(text ? builder.Append(*text) : builder.AppendNull());
    }
    return builder.Finish();
  }

 private:
  const std::string delimiter_;
  const bool distinct_;
};

}  // namespace

arrow::Result<std::shared_ptr<const Aggregator>> MakeTextAggregator(std::string_view name, const Field& field,
                                                                    const Options& options) {
  if (name != "listagg") return nullptr;
  if (!field.type->is_string()) {
    return Invalid("aggregate function ", name, " does not take column ", field.name, " of type ", field.type->ToSqlString());
  }
  const CoreOptions core(options);
  ARROW_ASSIGN_OR_RAISE(const bool distinct, core.GetBool("fields." + field.name + ".distinct", false));
  return std::make_shared<ListAggregator>(core.GetString("fields." + field.name + ".list-agg-delimiter", ","), distinct);
}

}  // namespace bactrian
