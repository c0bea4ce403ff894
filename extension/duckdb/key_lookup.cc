#include "key_lookup.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "bactrian/expr/array_value.h"
#include "bactrian/table/lookup/lookup_index.h"
#include "bactrian/table/lookup/table_lookup.h"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "scan_source.h"

namespace bactrian::sql {

namespace {

constexpr char kSetting[] = "paimon_key_lookup";

/// Keys to look up in one snapshot.
class KeyLookupSplit final : public Split {
 public:
  KeyLookupSplit(std::shared_ptr<const LookupIndex> index, std::shared_ptr<arrow::RecordBatch> keys, int64_t max_rows)
      : index_(std::move(index)), keys_(std::move(keys)), max_rows_(max_rows) {}

  const std::shared_ptr<const LookupIndex>& index() const { return index_; }
  const arrow::RecordBatch& keys() const { return *keys_; }

  int64_t row_count() const override { return max_rows_; }
  int64_t bytes() const override { return 0; }
  int num_files() const override { return 0; }
  int32_t bucket() const override { return -1; }
  const std::string& bucket_path() const override { return path_; }
  const std::vector<Value>& partition() const override { return partition_; }
  std::optional<int64_t> exact_row_count() const override { return std::nullopt; }

 private:
  std::shared_ptr<const LookupIndex> index_;
  std::shared_ptr<arrow::RecordBatch> keys_;
  int64_t max_rows_;
  std::string path_ = "keys";
  std::vector<Value> partition_;  ///< of no one partition
};

class KeyLookupPlan final : public Plan {
 public:
  explicit KeyLookupPlan(std::shared_ptr<const KeyLookupSplit> split)
      : snapshot_id_(split->index()->snapshot_id), num_keys_(split->keys().num_rows()) {
    statistics_.row_count_precision = Precision::kBound;
    statistics_.row_count = split->row_count();
    if (num_keys_ > 0) splits_.push_back(std::move(split));
  }

  int64_t num_keys() const { return num_keys_; }

  std::optional<int64_t> snapshot_id() const override { return snapshot_id_; }
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  const std::vector<std::shared_ptr<const Split>>& splits() const override { return splits_; }
  const PlanStatistics& statistics() const override { return statistics_; }
  const PlanMetrics& metrics() const override { return metrics_; }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const Split&) const override { return ReadAll(); }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadAll() const override {
    return Unsupported("the columns of a lookup by key are chosen by its reader");
  }

 private:
  std::optional<int64_t> snapshot_id_;
  int64_t num_keys_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::shared_ptr<const Split>> splits_;
  PlanStatistics statistics_;
  PlanMetrics metrics_;
};

/// What the first conjunct that fixes `column` leaves for it, each once; nullopt if none does.
std::optional<std::vector<Value>> ValuesOf(const std::vector<PredicatePtr>& conjuncts, const std::string& column) {
  for (const PredicatePtr& conjunct : conjuncts) {
    if (conjunct->column() != column) continue;
    if (conjunct->op() != PredicateOp::kEqual && conjunct->op() != PredicateOp::kIn) continue;
    std::vector<Value> values;
    for (const Value& literal : conjunct->literals()) {
      if (!IsNull(literal)) values.push_back(literal);
    }
    std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return CompareValues(a, b) < 0; });
    const auto same = [](const Value& a, const Value& b) { return CompareValues(a, b) == 0; };
    values.erase(std::unique(values.begin(), values.end(), same), values.end());
    return values;
  }
  return std::nullopt;
}

/// Every combination of the columns' values.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> Combine(const std::vector<Field>& fields,
                                                           const std::vector<std::vector<Value>>& values, size_t num_keys) {
  ARROW_ASSIGN_OR_RAISE(auto schema, ToArrowSchema(fields));
  arrow::ArrayVector columns;
  size_t repeat = num_keys;  // how many keys in a row have the same value of the column
  for (size_t i = 0; i < fields.size(); ++i) {
    repeat /= std::max<size_t>(values[i].size(), 1);
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(schema->field(static_cast<int>(i))->type()));
    for (size_t key = 0; key < num_keys; ++key) {
      ARROW_RETURN_NOT_OK(AppendValue(values[i][key / repeat % values[i].size()], *fields[i].type, builder.get()));
    }
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder->Finish());
  }
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(num_keys), std::move(columns));
}

/// In how many partitions a key may be.
size_t PartitionsOfAKey(const TableSchema& schema, const LookupIndex& index) {
  const auto& keys = schema.primary_keys;
  const bool in_key = std::all_of(schema.partition_keys.begin(), schema.partition_keys.end(), [&](const std::string& column) {
    return std::find(keys.begin(), keys.end(), column) != keys.end();
  });
  return in_key ? 1 : index.partitions.size();
}

}  // namespace

void RegisterKeyLookupSetting(duckdb::DBConfig& config) {
  config.AddExtensionOption(ToSqlName(kSetting), "look rows of Paimon tables up where a filter fixes the whole primary key",
                            duckdb::LogicalType::BOOLEAN, duckdb::Value::BOOLEAN(true));
}

bool LooksUpKeys(duckdb::ClientContext& context) {
  duckdb::Value value;
  return context.TryGetCurrentSetting(ToSqlName(kSetting), value) && !value.IsNull() && value.GetValue<bool>();
}

arrow::Result<std::shared_ptr<Plan>> PlanKeyLookup(const ScanSource& source, const PredicatePtr& predicate) {
  const TableSchema& schema = *source.table->schema();
  if (!schema.is_primary_key_table()) return nullptr;
  const std::vector<PredicatePtr> conjuncts = SplitConjuncts(predicate);
  std::vector<Field> fields;
  std::vector<std::vector<Value>> values;
  size_t num_keys = 1;
  for (const std::string& key : schema.primary_keys) {
    std::optional<std::vector<Value>> fixed = ValuesOf(conjuncts, key);
    if (!fixed || fixed->size() > kMaxLookupKeys) return nullptr;
    num_keys *= fixed->size();
    if (num_keys > kMaxLookupKeys) return nullptr;
    fields.push_back(*schema.FindField(key));
    values.push_back(*std::move(fixed));
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const LookupIndex> index, source.KeyIndex());
  if (index == nullptr) return nullptr;
  ARROW_ASSIGN_OR_RAISE(auto keys, Combine(fields, values, num_keys));
  const auto max_rows = static_cast<int64_t>(num_keys * PartitionsOfAKey(schema, *index));
  return std::make_shared<KeyLookupPlan>(std::make_shared<KeyLookupSplit>(std::move(index), std::move(keys), max_rows));
}

std::optional<int64_t> KeysLookedUp(const Plan& plan) {
  const auto* lookup = dynamic_cast<const KeyLookupPlan*>(&plan);
  return lookup == nullptr ? std::nullopt : std::optional(lookup->num_keys());
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadKeyLookup(const ScanSource& source, const Split& split,
                                                                       const std::vector<std::string>& columns) {
  const auto* keys = dynamic_cast<const KeyLookupSplit*>(&split);
  if (keys == nullptr) return nullptr;
  ARROW_ASSIGN_OR_RAISE(
      auto lookup, MakeTableLookup(*source.table->context(), source.table->session(), {.columns = columns}, keys->index()));
  ARROW_ASSIGN_OR_RAISE(FoundRows found, lookup->Find(keys->keys()));
  return arrow::RecordBatchReader::Make({found.rows}, lookup->schema());
}

}  // namespace bactrian::sql
