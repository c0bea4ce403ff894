#include "bactrian/table/plan/head_pruner.h"

#include <algorithm>
#include <cmath>

#include "bactrian/expr/evaluate.h"
#include "bactrian/types/binary_row.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

constexpr size_t kMaxBucketKeys = 1000;  ///< combinations of IN lists that are worth hashing

/// Zeros and NaNs are equal in more than one binary form, so their hash tells nothing.
bool HasManyForms(const Value& value) {
  if (const auto* number = std::get_if<float>(&value)) return *number == 0 || std::isnan(*number);
  if (const auto* number = std::get_if<double>(&value)) return *number == 0 || std::isnan(*number);
  return false;
}

/// The values that `column` can have where the conjunct is true; nullopt: any.
std::optional<std::vector<Value>> EqualityValues(const Predicate& conjunct, const std::string& column) {
  std::vector<Value> values;
  if (conjunct.op() == PredicateOp::kOr) {
    for (const PredicatePtr& child : conjunct.children()) {
      auto of_child = EqualityValues(*child, column);
      if (!of_child) return std::nullopt;
      values.insert(values.end(), of_child->begin(), of_child->end());
    }
    return values;
  }
  if (conjunct.column() != column) return std::nullopt;
  if (conjunct.op() != PredicateOp::kEqual && conjunct.op() != PredicateOp::kIn) return std::nullopt;
  for (const Value& literal : conjunct.literals()) {
    if (HasManyForms(literal)) return std::nullopt;
    if (!IsNull(literal)) values.push_back(literal);
  }
  return values;
}

/// Whether every schema of the table has the column under the same type, so that one hash holds for all files.
arrow::Result<bool> TypeNeverChanged(const TableContext& context, const Field& field) {
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, context.schemas->ListIds());
  for (int64_t id : ids) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, context.schemas->Load(id));
    for (const Field& other : schema->fields) {
      if (other.id == field.id && !other.type->EqualsIgnoreNullable(*field.type)) return false;
    }
  }
  return true;
}

/// A text that differs for different values.
void AppendKey(const Value& value, std::string* key) {
  key->push_back(static_cast<char>('0' + value.index()));
  std::visit(
      [key](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::string>) {
          key->append(std::to_string(v.size())).append(":").append(v);
        } else if constexpr (std::is_same_v<T, TimestampValue>) {
          key->append(std::to_string(v.millis)).append(".").append(std::to_string(v.nanos));
        } else if constexpr (std::is_same_v<T, arrow::Decimal128>) {
          key->append(v.ToIntegerString());
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          key->append(reinterpret_cast<const char*>(&v), sizeof(v));
        }
      },
      value);
}

void AppendKey(const Predicate& predicate, std::string* key) {
  key->append(std::to_string(static_cast<int>(predicate.op()))).append("(");
  for (const PredicatePtr& child : predicate.children()) AppendKey(*child, key);
  AppendKey(Value(predicate.column()), key);
  for (const Value& literal : predicate.literals()) AppendKey(literal, key);
  key->append(")");
}

}  // namespace

arrow::Result<std::shared_ptr<HeadPruner>> HeadPruner::Make(const TableContext& context, const PredicatePtr& predicate,
                                                            const ScanPruning& pruning) {
  auto pruner = std::make_shared<HeadPruner>();
  for (const Field& field : context.schema->PartitionFields()) {
    pruner->partition_keys_.push_back(field.name);
    pruner->partition_types_.push_back(field.type);
  }
  std::vector<PredicatePtr> conjuncts;
  for (const PredicatePtr& conjunct : SplitConjuncts(predicate)) {
    const std::vector<std::string> columns = ColumnsOf(conjunct);
    const auto& keys = pruner->partition_keys_;
    if (std::all_of(columns.begin(), columns.end(),
                    [&](const std::string& column) { return std::find(keys.begin(), keys.end(), column) != keys.end(); })) {
      conjuncts.push_back(conjunct);
    }
  }
  pruner->prunes_manifests_ = pruning.manifests && !conjuncts.empty();
  pruner->prunes_partitions_ = pruning.partitions && !conjuncts.empty();
  pruner->partition_predicate_ = Predicate::And(std::move(conjuncts));

  const CoreOptions options(context.schema->options);
  if (options.Get("scan.bucket")) {
    ARROW_ASSIGN_OR_RAISE(int64_t bucket, options.GetInt("scan.bucket", 0));
    pruner->bucket_only_ = bucket;
  }
  if (pruning.buckets && predicate) ARROW_RETURN_NOT_OK(pruner->FindBucketKeys(context, predicate));
  return pruner;
}

arrow::Status HeadPruner::FindBucketKeys(const TableContext& context, const PredicatePtr& predicate) {
  ARROW_ASSIGN_OR_RAISE(bucket_function_,
                        ParseBucketFunction(CoreOptions(context.schema->options).GetString("bucket-function.type", "default")));
  const std::vector<std::string> columns = context.schema->BucketKeys();
  const std::vector<PredicatePtr> conjuncts = SplitConjuncts(predicate);
  std::vector<std::vector<Value>> keys = {{}};
  std::vector<TypePtr> types;
  for (const std::string& column : columns) {
    const Field* field = context.schema->FindField(column);
    std::optional<std::vector<Value>> values;
    for (const PredicatePtr& conjunct : conjuncts) {
      if (!values) values = EqualityValues(*conjunct, column);
    }
    if (!field || !values || keys.size() * values->size() > kMaxBucketKeys) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(bool same_type, TypeNeverChanged(context, *field));
    if (!same_type) return arrow::Status::OK();
    types.push_back(field->type);
    std::vector<std::vector<Value>> longer;
    for (const std::vector<Value>& key : keys) {
      for (const Value& value : *values) {
        longer.push_back(key);
        longer.back().push_back(value);
      }
    }
    keys = std::move(longer);
  }
  if (types.empty()) return arrow::Status::OK();
  key_types_ = std::move(types);
  key_values_ = std::move(keys);
  return arrow::Status::OK();
}

bool HeadPruner::KeepsManifest(const ManifestFileMeta& manifest) const {
  if (bucket_only_ && manifest.min_bucket && manifest.max_bucket &&
      (*bucket_only_ < *manifest.min_bucket || *bucket_only_ > *manifest.max_bucket)) {
    return false;
  }
  if (!prunes_manifests_) return true;
  const SimpleStats& stats = manifest.partition_stats;
  auto min = DecodeSerializedRow(stats.min_values, partition_types_);
  auto max = DecodeSerializedRow(stats.max_values, partition_types_);
  if (!min.ok() || !max.ok()) return true;  // writers may leave them out
  const int64_t num_entries = manifest.num_added_files + manifest.num_deleted_files;
  return MayMatch(*partition_predicate_, num_entries, [&](std::string_view column) -> std::optional<ColumnBounds> {
    const size_t i = std::find(partition_keys_.begin(), partition_keys_.end(), column) - partition_keys_.begin();
    if (i == partition_keys_.size()) return std::nullopt;
    ColumnBounds bounds;
    if (!IsNull((*min)[i])) bounds.min = (*min)[i];
    if (!IsNull((*max)[i])) bounds.max = (*max)[i];
    if (i < stats.null_counts.size()) bounds.null_count = stats.null_counts[i];
    return bounds;
  });
}

bool HeadPruner::KeepsPartition(std::string_view partition_row) {
  if (!prunes_partitions_) return true;
  std::lock_guard lock(mutex_);
  if (auto found = partitions_.find(partition_row); found != partitions_.end()) return found->second;
  auto values = DecodeSerializedRow(partition_row, partition_types_);
  bool keeps = true;  // a malformed row is reported when the file's partition is needed
  if (values.ok()) {
    auto value_of = [&](std::string_view column) -> const Value* {
      const size_t i = std::find(partition_keys_.begin(), partition_keys_.end(), column) - partition_keys_.begin();
      return i < values->size() ? &(*values)[i] : nullptr;
    };
    keeps = EvaluateRow(*partition_predicate_, value_of).value_or(false);
  }
  partitions_.emplace(partition_row, keeps);
  return keeps;
}

bool HeadPruner::KeepsBucket(int32_t bucket, int32_t total_buckets) {
  if (bucket_only_ && bucket != *bucket_only_) return false;
  if (key_types_.empty() || total_buckets <= 0 || bucket < 0) return true;
  std::lock_guard lock(mutex_);
  auto [entry, is_new] = buckets_.try_emplace(total_buckets);
  std::optional<std::set<int32_t>>& buckets = entry->second;
  if (is_new) {
    buckets.emplace();
    for (const std::vector<Value>& key : key_values_) {
      auto bucket_of_key = BucketOf(bucket_function_, key_types_, key, total_buckets);
      if (!bucket_of_key.ok()) {
        buckets.reset();
        break;
      }
      buckets->insert(*bucket_of_key);
    }
  }
  return !buckets || buckets->contains(bucket);
}

std::string HeadPruner::CacheKey() const {
  std::string key;
  if (prunes_partitions_) AppendKey(*partition_predicate_, &key);
  if (bucket_only_) key.append("b").append(std::to_string(*bucket_only_));
  if (!key_types_.empty()) {
    key.append("k");
    for (const std::vector<Value>& values : key_values_) {
      for (const Value& value : values) AppendKey(value, &key);
    }
  }
  return key;
}

}  // namespace bactrian
