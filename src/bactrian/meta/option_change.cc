#include "bactrian/meta/option_change.h"

#include <algorithm>
#include <array>

#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

constexpr std::array<std::string_view, 22> kImmutable = {
    "aggregation.remove-record-on-delete",
    "blob-descriptor-field",
    "blob-field",
    "blob-view-field",
    "bucket-function.type",
    "bucket-key",
    "data-evolution.enabled",
    "data-file.path-directory",
    "dynamic-bucket.initial-buckets",
    "force-lookup",
    "index-file-in-data-file-dir",
    "merge-engine",
    "partial-update.remove-record-on-delete",
    "partial-update.remove-record-on-sequence-group",
    "partition",
    "pk-clustering-override",
    "primary-key",
    "primary-key.nullable",
    "row-tracking.enabled",
    "rowkind.field",
    "sequence.snapshot-ordering",
    "type",
};

/// Options whose value is a list of columns. `file-index.<type>.columns` is one more.
constexpr std::array<std::string_view, 7> kColumnLists = {
    "bucket-key",         "changelog-producer.row-deduplicate-ignore-fields",
    "clustering.columns", "record-level.time-field",
    "rowkind.field",      "sequence.field",
    "vector-field",
};

template <size_t N>
bool Contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

arrow::Status CheckBucketChange(const Options& options, const std::optional<std::string>& value) {
  if (!value) return Invalid("option 'bucket' cannot be removed");
  ARROW_ASSIGN_OR_RAISE(const int64_t before, CoreOptions(options).bucket());
  ARROW_ASSIGN_OR_RAISE(const int64_t after, CoreOptions(Options{{"bucket", *value}}).bucket());
  if (before == after || (before > 0 && after > 0)) return arrow::Status::OK();
  return Invalid("option 'bucket' cannot change from ", before, " to ", after, ": only between positive numbers");
}

/// Once set, rows may have been dropped that a reader would then miss.
arrow::Status CheckStaysTrue(const Options& options, const std::string& key, const std::optional<std::string>& value) {
  ARROW_ASSIGN_OR_RAISE(const bool before, CoreOptions(options).GetBool(key, false));
  ARROW_ASSIGN_OR_RAISE(const bool after, CoreOptions(value ? Options{{key, *value}} : Options()).GetBool(key, false));
  if (before && !after) return Invalid("option '", key, "' cannot be switched off again");
  return arrow::Status::OK();
}

arrow::Status CheckDeletionVectors(const Options& options, const std::optional<std::string>& value) {
  const std::string key = "deletion-vectors.enabled";
  ARROW_ASSIGN_OR_RAISE(const bool modifiable, CoreOptions(options).GetBool("deletion-vectors.modifiable", false));
  ARROW_ASSIGN_OR_RAISE(const bool before, CoreOptions(options).GetBool(key, false));
  ARROW_ASSIGN_OR_RAISE(const bool after, CoreOptions(value ? Options{{key, *value}} : Options()).GetBool(key, false));
  if (before == after || modifiable) return arrow::Status::OK();
  return Invalid("option '", key, "' can only change with 'deletion-vectors.modifiable' = 'true'");
}

std::string RenameInList(std::string_view list, const std::string& old_name, const std::string& new_name) {
  std::vector<std::string> names = SplitColumnList(list);
  if (std::find(names.begin(), names.end(), old_name) == names.end()) return std::string(list);
  std::replace(names.begin(), names.end(), old_name, new_name);
  return JoinColumnList(names);
}

}  // namespace

std::vector<std::string> SplitColumnList(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    const size_t first = name.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    names.emplace_back(name.substr(first, name.find_last_not_of(" \t") - first + 1));
  }
  return names;
}

std::string JoinColumnList(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

arrow::Status CheckOptionChange(const Options& options, const std::string& key, const std::optional<std::string>& value,
                                bool has_snapshot) {
  auto current = options.find(key);
  const std::optional<std::string> before = current == options.end() ? std::nullopt : std::optional(current->second);
  if (before == value) return arrow::Status::OK();
  if (key == "path" || key == "type" || key == "primary-key" || key == "partition") {
    return Invalid("option '", key, "' cannot change");
  }
  if (!has_snapshot) return arrow::Status::OK();
  if (Contains(kImmutable, key)) return Invalid("option '", key, "' cannot change once the table has a snapshot");
  if (key == "bucket") return CheckBucketChange(options, value);
  if (key == "ignore-delete" || key == "ignore-update-before") return CheckStaysTrue(options, key, value);
  if (key == "deletion-vectors.enabled") return CheckDeletionVectors(options, value);
  if (key == "clustering.columns") {
    ARROW_ASSIGN_OR_RAISE(const bool override_key, CoreOptions(options).GetBool("pk-clustering-override", false));
    if (override_key) return Invalid("option 'clustering.columns' cannot change with 'pk-clustering-override'");
  }
  return arrow::Status::OK();
}

Options RenameColumnInOptions(const Options& options, const std::string& old_name, const std::string& new_name) {
  constexpr std::string_view kFields = "fields.", kSequenceGroup = ".sequence-group";
  Options renamed;
  for (const auto& [key, value] : options) {
    std::string new_key = key, new_value = value;
    const bool index_columns = key.rfind("file-index.", 0) == 0 && EndsWith(key, ".columns");
    if (Contains(kColumnLists, key) || index_columns) {
      new_value = RenameInList(value, old_name, new_name);
    } else if (key.rfind(kFields, 0) == 0 && EndsWith(key, kSequenceGroup)) {
      // fields.<sequence columns>.sequence-group = <columns of the group>
      const std::string sequence = key.substr(kFields.size(), key.size() - kFields.size() - kSequenceGroup.size());
      new_key = std::string(kFields) + RenameInList(sequence, old_name, new_name) + std::string(kSequenceGroup);
      new_value = RenameInList(value, old_name, new_name);
    } else if (const std::string prefix = std::string(kFields) + old_name + "."; key.rfind(prefix, 0) == 0) {
      new_key = std::string(kFields) + new_name + "." + key.substr(prefix.size());
    }
    renamed[std::move(new_key)] = std::move(new_value);
  }
  return renamed;
}

}  // namespace bactrian
