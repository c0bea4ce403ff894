#include "bactrian/merge/table_merge.h"

#include <algorithm>
#include <map>
#include <set>

#include "bactrian/merge/aggregation.h"
#include "bactrian/merge/partial_update.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const size_t first = text.find_first_not_of(' ', begin), last = text.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    if (first < end) names.push_back(text.substr(first, last - first + 1));
    begin = end + 1;
  }
  return names;
}

std::vector<std::string> SequenceFields(const Options& options) {
  return SplitNames(CoreOptions(options).GetString("sequence.field", ""));
}

/// Option fields.<s1>[,<s2>…].sequence-group = f1,f2,…
struct NamedGroup {
  std::vector<std::string> sequence_fields, fields;
};

std::vector<NamedGroup> SequenceGroups(const Options& options) {
  constexpr std::string_view kPrefix = "fields.", kSuffix = ".sequence-group";
  std::vector<NamedGroup> groups;
  for (const auto& [key, value] : options) {
    if (key.size() <= kPrefix.size() + kSuffix.size() || !key.starts_with(kPrefix) || !key.ends_with(kSuffix)) continue;
    groups.push_back({SplitNames(key.substr(kPrefix.size(), key.size() - kPrefix.size() - kSuffix.size())), SplitNames(value)});
  }
  return groups;
}

/// The function that the options name for a column; empty when none.
std::string AggregatorName(const Options& options, const std::string& column) {
  const CoreOptions core(options);
  return core.GetString("fields." + column + ".aggregate-function", core.GetString("fields.default-aggregate-function", ""));
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

arrow::Result<int> ValueIndex(const KeyValueLayout& layout, const std::string& name) {
  for (size_t v = 0; v < layout.values.size(); ++v) {
    if (layout.values[v].name == name) return static_cast<int>(v);
  }
  return Invalid("the merge needs column ", name, ", which the read left out");
}

arrow::Status CheckGroups(const TableSchema& schema, const std::vector<NamedGroup>& groups) {
  std::set<std::string> seen;
  for (const NamedGroup& group : groups) {
    for (const auto* names : {&group.sequence_fields, &group.fields}) {
      for (const std::string& name : *names) {
        if (schema.FindField(name) == nullptr) return Invalid("a sequence group names column ", name, ", which is not there");
        if (Contains(schema.primary_keys, name)) return Invalid("primary-key column ", name, " cannot be in a sequence group");
        if (!seen.insert(name).second) return Invalid("column ", name, " is in more than one sequence group");
      }
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<MergeFunction>> MakeTablePartialUpdate(const TableSchema& schema, const KeyValueLayout& layout) {
  const CoreOptions core(schema.options);
  const std::vector<NamedGroup> groups = SequenceGroups(schema.options);
  ARROW_RETURN_NOT_OK(CheckGroups(schema, groups));
  PartialUpdateOptions options;
  ARROW_ASSIGN_OR_RAISE(options.ignore_delete, core.GetBool("ignore-delete", false));
  ARROW_ASSIGN_OR_RAISE(options.remove_record_on_delete, core.GetBool("partial-update.remove-record-on-delete", false));
  const auto removing = SplitNames(core.GetString("partial-update.remove-record-on-sequence-group", ""));
  if (options.ignore_delete && (options.remove_record_on_delete || !removing.empty())) {
    return Invalid("ignore-delete and partial-update.remove-record-on-… exclude each other");
  }
  if (options.remove_record_on_delete && !groups.empty()) {
    return Invalid("partial-update.remove-record-on-delete and sequence groups exclude each other");
  }
  options.has_groups = !groups.empty();
  std::set<std::string> grouped, ordering;
  for (const NamedGroup& group : groups) {
    grouped.insert(group.fields.begin(), group.fields.end());
    ordering.insert(group.sequence_fields.begin(), group.sequence_fields.end());
  }
  options.aggregators.resize(layout.values.size());
  for (size_t v = 0; v < layout.values.size(); ++v) {
    const Field& field = layout.values[v];
    options.is_primary_key.push_back(Contains(schema.primary_keys, field.name));
    const std::string function = AggregatorName(schema.options, field.name);
    if (function.empty() || options.is_primary_key.back() || ordering.contains(field.name)) continue;
    if (function != "last_non_null_value" && !grouped.contains(field.name)) {
      return Invalid("column ", field.name, " has aggregate function ", function, " but no sequence group");
    }
    ARROW_ASSIGN_OR_RAISE(options.aggregators[v], Aggregator::Make(function, field, schema.options));
  }
  for (const NamedGroup& named : groups) {
    SequenceGroup group;
    for (const std::string& name : named.fields) {
      if (auto index = ValueIndex(layout, name); index.ok()) group.fields.push_back(*index);
    }
    const bool ordering_read = std::any_of(named.sequence_fields.begin(), named.sequence_fields.end(),
                                           [&](const std::string& name) { return ValueIndex(layout, name).ok(); });
    for (const std::string& name : named.sequence_fields) group.removes_record |= Contains(removing, name);
    if (group.fields.empty() && !ordering_read && !group.removes_record) continue;  // nothing of it is asked for
    for (const std::string& name : named.sequence_fields) {
      ARROW_ASSIGN_OR_RAISE(group.sequence_fields.emplace_back(), ValueIndex(layout, name));
    }
    options.groups.push_back(std::move(group));
  }
  return MakePartialUpdate(layout, std::move(options));
}

arrow::Result<std::unique_ptr<MergeFunction>> MakeTableAggregation(const TableSchema& schema, const KeyValueLayout& layout) {
  const std::vector<std::string> sequence = SequenceFields(schema.options);
  std::vector<std::shared_ptr<const Aggregator>> aggregators;
  for (const Field& field : layout.values) {
    std::string function = AggregatorName(schema.options, field.name);
    if (Contains(schema.primary_keys, field.name)) {
      function = "primary-key";
    } else if (Contains(sequence, field.name)) {
      function = "last_value";
    } else if (function.empty()) {
      function = "last_non_null_value";
    }
    ARROW_ASSIGN_OR_RAISE(aggregators.emplace_back(), Aggregator::Make(function, field, schema.options));
  }
  ARROW_ASSIGN_OR_RAISE(const bool remove, CoreOptions(schema.options).GetBool("aggregation.remove-record-on-delete", false));
  return MakeAggregation(layout, std::move(aggregators), remove);
}

}  // namespace

arrow::Result<MergeEngine> MergeEngineOf(const Options& options) {
  const std::string name = CoreOptions(options).GetString("merge-engine", "deduplicate");
  if (name == "deduplicate") return MergeEngine::kDeduplicate;
  if (name == "partial-update") return MergeEngine::kPartialUpdate;
  if (name == "aggregation") return MergeEngine::kAggregation;
  if (name == "first-row") return MergeEngine::kFirstRow;
  return Invalid("option merge-engine: no engine '", name, "'");
}

arrow::Result<bool> NeedsLookup(const Options& options) {
  const CoreOptions core(options);
  ARROW_ASSIGN_OR_RAISE(const bool vectors, core.GetBool("deletion-vectors.enabled", false));
  ARROW_ASSIGN_OR_RAISE(const bool force, core.GetBool("force-lookup", false));
  ARROW_ASSIGN_OR_RAISE(const MergeEngine engine, MergeEngineOf(options));
  return vectors || force || engine == MergeEngine::kFirstRow || core.GetString("changelog-producer", "none") == "lookup";
}

arrow::Result<std::vector<std::string>> ColumnsToMerge(const TableSchema& schema, const std::vector<std::string>& projected) {
  std::set<std::string> wanted;
  for (const std::string& name : SequenceFields(schema.options)) wanted.insert(name);
  ARROW_ASSIGN_OR_RAISE(const MergeEngine engine, MergeEngineOf(schema.options));
  if (engine == MergeEngine::kPartialUpdate) {
    const auto removing =
        SplitNames(CoreOptions(schema.options).GetString("partial-update.remove-record-on-sequence-group", ""));
    for (const NamedGroup& group : SequenceGroups(schema.options)) {
      const auto asked = [&](const std::string& name) { return Contains(projected, name) || Contains(removing, name); };
      if (std::any_of(group.fields.begin(), group.fields.end(), asked) ||
          std::any_of(group.sequence_fields.begin(), group.sequence_fields.end(), asked)) {
        wanted.insert(group.sequence_fields.begin(), group.sequence_fields.end());
      }
    }
  }
  std::vector<std::string> columns = projected;
  for (const Field& field : schema.fields) {
    if (wanted.contains(field.name) && !Contains(projected, field.name)) columns.push_back(field.name);
  }
  return columns;
}

arrow::Result<std::unique_ptr<MergeFunction>> MakeTableMergeFunction(const TableSchema& schema, const KeyValueLayout& layout) {
  ARROW_ASSIGN_OR_RAISE(const MergeEngine engine, MergeEngineOf(schema.options));
  ARROW_ASSIGN_OR_RAISE(const bool ignore_delete, CoreOptions(schema.options).GetBool("ignore-delete", false));
  switch (engine) {
    case MergeEngine::kDeduplicate:
      return MakeDeduplicate(layout, ignore_delete);
    case MergeEngine::kFirstRow:
      return MakeFirstRow(layout, ignore_delete);
    case MergeEngine::kPartialUpdate:
      return MakeTablePartialUpdate(schema, layout);
    case MergeEngine::kAggregation:
      return MakeTableAggregation(schema, layout);
  }
  return arrow::Status::UnknownError("merge engine");
}

arrow::Result<MergeOptions> MakeTableMergeOptions(const TableSchema& schema, const KeyValueLayout& layout) {
  MergeOptions options;
  for (const std::string& name : SequenceFields(schema.options)) {
    ARROW_ASSIGN_OR_RAISE(options.sequence_values.emplace_back(), ValueIndex(layout, name));
  }
  const std::string order = CoreOptions(schema.options).GetString("sequence.field.sort-order", "ascending");
  if (order != "ascending" && order != "descending") {
    return Invalid("option sequence.field.sort-order: 'ascending' or 'descending', not '", order, "'");
  }
  options.sequence_descending = order == "descending";
  ARROW_ASSIGN_OR_RAISE(options.newest_level_only, NeedsLookup(schema.options));
  return options;
}

}  // namespace bactrian
