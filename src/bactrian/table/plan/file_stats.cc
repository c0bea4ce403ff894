#include "bactrian/table/plan/file_stats.h"

#include <algorithm>

namespace bactrian {
namespace {

/// nullopt for a missing, empty or malformed row, and for one of another width: nothing is known then.
std::optional<BinaryRowView> ParseRow(std::string_view bytes, size_t num_slots) {
  auto row = ParseSerializedRow(bytes);
  if (!row.ok() || row->arity < 0 || static_cast<size_t>(row->arity) != num_slots) return std::nullopt;
  auto view = BinaryRowView::Make(row->row_bytes, row->arity);
  if (!view.ok()) return std::nullopt;
  return *view;
}

std::optional<Value> ValueAt(const std::optional<BinaryRowView>& row, int slot, const DataType& type) {
  if (!row || row->IsNullAt(slot)) return std::nullopt;
  auto value = row->Get(slot, type);
  if (!value.ok() || IsNull(*value)) return std::nullopt;
  return *std::move(value);
}

}  // namespace

FileStats::FileStats(const TableSchema& data_schema, const DataFileMeta& file) : data_schema_(data_schema), file_(file) {
  num_slots_ = file.value_stats_cols ? file.value_stats_cols->size()
               : file.write_cols     ? file.write_cols->size()
                                     : data_schema.fields.size();
  min_ = ParseRow(file.value_stats.min_values, num_slots_);
  max_ = ParseRow(file.value_stats.max_values, num_slots_);
}

int FileStats::SlotOf(std::string_view column) const {
  const auto& names = file_.value_stats_cols ? file_.value_stats_cols : file_.write_cols;
  if (!names) return data_schema_.FieldIndex(column);
  auto found = std::find(names->begin(), names->end(), column);
  return found == names->end() ? -1 : static_cast<int>(found - names->begin());
}

std::optional<ColumnBounds> FileStats::Bounds(const Field& data_field) const {
  const int slot = SlotOf(data_field.name);
  if (slot < 0) return std::nullopt;
  ColumnBounds bounds;
  if (!data_field.type->is_nested()) {
    bounds.min = ValueAt(min_, slot, *data_field.type);
    bounds.max = ValueAt(max_, slot, *data_field.type);
  }
  if (file_.value_stats.null_counts.size() == num_slots_) bounds.null_count = file_.value_stats.null_counts[slot];
  return bounds;
}

FileStatsFilter::FileStatsFilter(const TableContext& context, PredicatePtr predicate)
    : context_(context), predicate_(std::move(predicate)) {}

arrow::Result<FileStatsFilter::Compiled> FileStatsFilter::Compile(const DataFileMeta& file) const {
  Compiled compiled;
  ARROW_ASSIGN_OR_RAISE(compiled.data_schema, context_.schemas->Load(file.schema_id));
  compiled.fields = PhysicalFields(*compiled.data_schema, file);
  // Partition columns keep their name and type for ever, and are in the manifest whether the file holds them or not.
  for (const Field& field : context_.schema->PartitionFields()) {
    if (!FindFieldById(compiled.fields, field.id)) compiled.fields.push_back(field);
  }
  compiled.predicate = EvolvePredicate(predicate_, context_.schema->fields, compiled.fields, [](std::string_view) {
                         return static_cast<const Value*>(nullptr);
                       }).predicate;
  return compiled;
}

arrow::Result<bool> FileStatsFilter::Keeps(const DataFileMeta& file, std::span<const Value> partition) {
  Compiled of_this_file;
  const Compiled* compiled = &of_this_file;
  if (file.write_cols) {
    ARROW_ASSIGN_OR_RAISE(of_this_file, Compile(file));
  } else {
    auto found = by_schema_.find(file.schema_id);
    if (found == by_schema_.end()) {
      ARROW_ASSIGN_OR_RAISE(Compiled fresh, Compile(file));
      found = by_schema_.emplace(file.schema_id, std::move(fresh)).first;
    }
    compiled = &found->second;
  }
  const std::vector<std::string>& partition_keys = context_.schema->partition_keys;
  const FileStats stats(*compiled->data_schema, file);
  return MayMatch(*compiled->predicate, file.row_count, [&](std::string_view column) -> std::optional<ColumnBounds> {
    const size_t key = std::find(partition_keys.begin(), partition_keys.end(), column) - partition_keys.begin();
    if (key < partition_keys.size()) {
      const Value& value = partition[key];
      if (IsNull(value)) return ColumnBounds{std::nullopt, std::nullopt, file.row_count};
      return ColumnBounds{value, value, 0};
    }
    auto field = std::find_if(compiled->fields.begin(), compiled->fields.end(),
                              [&](const Field& candidate) { return candidate.name == column; });
    if (field == compiled->fields.end()) return std::nullopt;
    return stats.Bounds(*field);
  });
}

}  // namespace bactrian
