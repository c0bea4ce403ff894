#include "bactrian/table/lookup/table_lookup.h"

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "bactrian/merge/table_merge.h"
#include "bactrian/table/lookup/key_blocks.h"
#include "bactrian/table/lookup/lookup_index.h"
#include "bactrian/table/plan/branches.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/plan/split_packing.h"
#include "bactrian/table/plan/split_planner.h"
#include "bactrian/table/session_state.h"
#include "bactrian/types/binary_rows.h"
#include "bactrian/types/bucket.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

/// Decoded blocks that one batch of found rows may hold on to, and what part of the session's budget they may take up.
constexpr size_t kMaxSources = 64;
constexpr int64_t kHeldPart = 32;

/// A bucket that row `row` of the keys may be in.
struct Target {
  const BucketIndex* bucket = nullptr;
  int64_t row = 0;
};

/// The keys of one call, column by column in primary-key order.
struct Keys {
  arrow::ArrayVector columns;
  arrow::ArrayVector trimmed;  ///< without partition keys
  SortKeys sorted;             ///< of `trimmed`
  int64_t num_rows = 0;
};

class TableLookup final : public KeyLookup {
 public:
  static arrow::Result<std::shared_ptr<KeyLookup>> Make(const std::shared_ptr<const ReadSpec>& spec,
                                                        std::shared_ptr<const LookupIndex> index);

  std::optional<int64_t> snapshot_id() const override { return index_->snapshot_id; }
  const std::shared_ptr<arrow::Schema>& schema() const override { return merge_->scan->schema; }
  const std::shared_ptr<arrow::Schema>& key_schema() const override { return key_schema_; }
  arrow::Result<FoundRows> Find(const arrow::RecordBatch& batch) const override;

 private:
  arrow::Result<Keys> CheckKeys(const arrow::RecordBatch& batch) const;
  arrow::Result<std::vector<Target>> FindBuckets(const Keys& keys) const;
  arrow::Result<EncodedRows> PartitionRows(const Keys& keys) const;
  /// For each row its bucket among `total`; null where the function does not tell.
  arrow::Result<std::shared_ptr<arrow::Array>> BucketsAmong(int32_t total, const Keys& keys) const;
  void SortTargets(const Keys& keys, std::vector<Target>* targets) const;
  arrow::Status FindRecords(const Keys& keys, const Target& target, std::vector<uint32_t>* candidates,
                            std::vector<FoundRecord>* records, std::vector<uint32_t>* files) const;
  bool IsDecided(const FoundRecord& found, int32_t level, int32_t next_level, int64_t max_sequence_left) const;
  arrow::Result<FoundRows> InKeyOrder(std::vector<std::shared_ptr<arrow::RecordBatch>> batches,
                                      std::vector<int64_t> rows) const;

  std::shared_ptr<const MergeSpec> merge_;
  std::shared_ptr<const KeyBlocks> blocks_;
  std::shared_ptr<const LookupIndex> index_;
  std::shared_ptr<arrow::Schema> key_schema_;
  std::vector<Field> key_fields_;
  std::vector<int> trimmed_keys_, bucket_keys_;  ///< positions among the key columns
  std::vector<int> partition_keys_;              ///< likewise; empty for an unpartitioned table
  bool partition_in_key_ = true;                 ///< false: a key may be in any partition
  BucketFunction bucket_function_ = BucketFunction::kDefault;
  bool newest_wins_ = false;  ///< the record with the greatest sequence number is the row, delete or not
};

int PositionOf(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

arrow::Result<std::shared_ptr<KeyLookup>> TableLookup::Make(const std::shared_ptr<const ReadSpec>& spec,
                                                            std::shared_ptr<const LookupIndex> index) {
  const TableSchema& schema = *spec->context.schema;
  auto lookup = std::make_shared<TableLookup>();
  ARROW_ASSIGN_OR_RAISE(lookup->merge_, MakeMergeSpec(spec));
  ARROW_ASSIGN_OR_RAISE(lookup->blocks_, KeyBlocks::Make(lookup->merge_));
  lookup->index_ = std::move(index);
  for (const std::string& key : schema.primary_keys) lookup->key_fields_.push_back(*schema.FindField(key));
  ARROW_ASSIGN_OR_RAISE(lookup->key_schema_, ToArrowSchema(lookup->key_fields_));
  for (const std::string& key : schema.TrimmedPrimaryKeys()) {
    lookup->trimmed_keys_.push_back(PositionOf(schema.primary_keys, key));
  }
  for (const std::string& key : schema.partition_keys) {
    lookup->partition_keys_.push_back(PositionOf(schema.primary_keys, key));
    lookup->partition_in_key_ &= lookup->partition_keys_.back() >= 0;
  }
  for (const std::string& key : schema.BucketKeys()) lookup->bucket_keys_.push_back(PositionOf(schema.primary_keys, key));
  const CoreOptions options(schema.options);
  ARROW_ASSIGN_OR_RAISE(lookup->bucket_function_, ParseBucketFunction(options.GetString("bucket-function.type", "default")));
  ARROW_ASSIGN_OR_RAISE(const MergeEngine engine, MergeEngineOf(schema.options));
  ARROW_ASSIGN_OR_RAISE(const bool ignore_delete, options.GetBool("ignore-delete", false));
  lookup->newest_wins_ =
      engine == MergeEngine::kDeduplicate && !ignore_delete && lookup->merge_->options.sequence_values.empty();
  return lookup;
}

arrow::Result<Keys> TableLookup::CheckKeys(const arrow::RecordBatch& batch) const {
  Keys keys;
  keys.num_rows = batch.num_rows();
  for (int i = 0; i < key_schema_->num_fields(); ++i) {
    const arrow::Field& field = *key_schema_->field(i);
    std::shared_ptr<arrow::Array> column = batch.GetColumnByName(field.name());
    if (column == nullptr) return Invalid("the keys to look up lack column ", field.name());
    if (!column->type()->Equals(*field.type())) {
      return Invalid("key column ", field.name(), " to look up is ", column->type()->ToString(), ", not ",
                     field.type()->ToString());
    }
    if (!key_fields_[i].type->nullable() && column->null_count() > 0) {
      return Invalid("key column ", field.name(), " to look up has nulls but is NOT NULL");
    }
    keys.columns.push_back(std::move(column));
  }
  for (const int key : trimmed_keys_) keys.trimmed.push_back(keys.columns[key]);
  ARROW_ASSIGN_OR_RAISE(keys.sorted, SortKeys::Make(blocks_->key_order(), keys.trimmed));
  return keys;
}

arrow::Result<EncodedRows> TableLookup::PartitionRows(const Keys& keys) const {
  std::vector<TypePtr> types;
  arrow::ArrayVector columns;
  for (const int key : partition_keys_) {
    types.push_back(key_fields_[key].type);
    columns.push_back(keys.columns[key]);
  }
  EncodedRows rows;
  ARROW_RETURN_NOT_OK(EncodeBinaryRows(types, columns, keys.num_rows, &rows));
  return rows;
}

arrow::Result<std::shared_ptr<arrow::Array>> TableLookup::BucketsAmong(int32_t total, const Keys& keys) const {
  std::vector<TypePtr> types;
  arrow::ArrayVector columns;
  for (const int key : bucket_keys_) {
    if (key < 0) return nullptr;
    types.push_back(key_fields_[key].type);
    columns.push_back(keys.columns[key]);
  }
  auto buckets = BucketsOf(bucket_function_, types, columns, total, merge_->options.pool);
  if (!buckets.ok() && KindOf(buckets.status()) == ErrorKind::kUnsupported) return nullptr;
  return buckets;
}

arrow::Result<std::vector<Target>> TableLookup::FindBuckets(const Keys& keys) const {
  std::vector<Target> targets;
  EncodedRows rows;
  if (partition_in_key_) {
    ARROW_ASSIGN_OR_RAISE(rows, PartitionRows(keys));
  }
  std::map<int32_t, std::shared_ptr<arrow::Array>> buckets_among;
  const auto add = [&](const LookupIndex::Partition& partition, int64_t row) -> arrow::Status {
    if (partition.total_buckets > 1) {
      auto [buckets, is_new] = buckets_among.try_emplace(partition.total_buckets);
      if (is_new) {
        ARROW_ASSIGN_OR_RAISE(buckets->second, BucketsAmong(partition.total_buckets, keys));
      }
      if (buckets->second != nullptr) {
        const auto found = partition.buckets.find(static_cast<const arrow::Int32Array&>(*buckets->second).Value(row));
        if (found != partition.buckets.end()) targets.push_back({found->second.get(), row});
        return arrow::Status::OK();
      }
    }
    for (const auto& [number, bucket] : partition.buckets) targets.push_back({bucket.get(), row});
    return arrow::Status::OK();
  };
  for (int64_t row = 0; row < keys.num_rows; ++row) {
    if (partition_in_key_) {
      const auto found = index_->partitions.find(rows.Row(row));
      if (found != index_->partitions.end()) ARROW_RETURN_NOT_OK(add(found->second, row));
    } else {
      for (const auto& [bytes, partition] : index_->partitions) ARROW_RETURN_NOT_OK(add(partition, row));
    }
  }
  return targets;
}

/// In the order of the files, so that a block is decoded once for all its keys.
void TableLookup::SortTargets(const Keys& keys, std::vector<Target>* targets) const {
  std::sort(targets->begin(), targets->end(), [&](const Target& a, const Target& b) {
    if (a.bucket != b.bucket) return a.bucket < b.bucket;
    const int order = keys.sorted.Compare(a.row, keys.sorted, b.row);
    return order != 0 ? order < 0 : a.row < b.row;
  });
}

/// Whether a record found at `level` leaves nothing to look for in the files left, the next of them at `next_level`.
bool TableLookup::IsDecided(const FoundRecord& found, int32_t level, int32_t next_level, int64_t max_sequence_left) const {
  if (merge_->options.newest_level_only && level > 0 && next_level > level) return true;
  const auto& sequences = *found.block->batch->column_data(merge_->layout.sequence_index());
  return newest_wins_ && sequences.GetValues<int64_t>(1)[found.row] > max_sequence_left;
}

arrow::Status TableLookup::FindRecords(const Keys& keys, const Target& target, std::vector<uint32_t>* candidates,
                                       std::vector<FoundRecord>* records, std::vector<uint32_t>* files) const {
  const BucketIndex& bucket = *target.bucket;
  candidates->clear();
  records->clear();
  files->clear();
  WantedKey wanted{keys.sorted, target.row};
  for (size_t i = 0; i < keys.trimmed.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto scalar, keys.trimmed[i]->GetScalar(target.row));
    ARROW_ASSIGN_OR_RAISE(wanted.values.emplace_back(), FromScalar(*scalar, *key_fields_[trimmed_keys_[i]].type));
  }
  bucket.AppendCandidates(wanted.values, candidates);
  if (candidates->empty()) return arrow::Status::OK();
  // The newest first, where levels count the smallest level first.
  const bool by_level = merge_->options.newest_level_only;
  std::sort(candidates->begin(), candidates->end(), [&](uint32_t a, uint32_t b) {
    const DataFileMeta &x = *bucket.file(a).meta, &y = *bucket.file(b).meta;
    if (by_level && x.level != y.level) return x.level < y.level;
    return x.max_sequence_number > y.max_sequence_number;
  });
  for (auto candidate = candidates->begin(); candidate != candidates->end(); ++candidate) {
    const SplitFile& file = bucket.file(*candidate);
    int64_t max_sequence_left = INT64_MIN;
    for (auto left = candidate; left != candidates->end(); ++left) {
      max_sequence_left = std::max(max_sequence_left, bucket.file(*left).meta->max_sequence_number);
    }
    for (size_t i = 0; i < records->size(); ++i) {
      const int32_t level = bucket.file((*files)[i]).meta->level;
      if (IsDecided((*records)[i], level, file.meta->level, max_sequence_left)) return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(std::optional<FoundRecord> found, blocks_->Find(bucket.head(), file, wanted));
    if (!found) continue;
    records->push_back(*std::move(found));
    files->push_back(*candidate);
  }
  return arrow::Status::OK();
}

arrow::Result<FoundRows> TableLookup::Find(const arrow::RecordBatch& batch) const {
  ARROW_ASSIGN_OR_RAISE(const Keys keys, CheckKeys(batch));
  ARROW_ASSIGN_OR_RAISE(std::vector<Target> targets, FindBuckets(keys));
  SortTargets(keys, &targets);
  auto function = MakeTableMergeFunction(*merge_->scan->context.schema, merge_->layout);
  // A function that is missing does not matter to keys with one record.
  const arrow::Status mergeable = function.status();
  ARROW_ASSIGN_OR_RAISE(auto merged, MergedRows::Make(merge_->layout, std::move(function).ValueOr(nullptr), merge_->options));

  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  std::vector<int64_t> rows, kept;  // of keys: found so far; of the batch in the making
  std::vector<int64_t> added;       // the row of each key added to `merged`
  std::map<const KeyBlock*, uint32_t> sources;
  std::vector<std::shared_ptr<const KeyBlock>> held;
  int64_t held_bytes = 0;
  const int64_t max_held_bytes = merge_->scan->session->options().cache_bytes / kHeldPart;
  const auto flush = [&]() -> arrow::Status {
    kept.clear();
    ARROW_ASSIGN_OR_RAISE(auto found, merged->Flush(&kept));
    for (const int64_t key : kept) rows.push_back(added[key]);
    if (found != nullptr) batches.push_back(std::move(found));
    added.clear();
    sources.clear();
    held.clear();
    held_bytes = 0;
    return arrow::Status::OK();
  };
  std::vector<uint32_t> candidates, files;
  std::vector<FoundRecord> records;
  std::vector<RowRef> group;
  for (const Target& target : targets) {
    ARROW_RETURN_NOT_OK(FindRecords(keys, target, &candidates, &records, &files));
    if (records.empty()) continue;
    if (records.size() > 1) ARROW_RETURN_NOT_OK(mergeable);
    group.clear();
    for (size_t i = 0; i < records.size(); ++i) {
      auto [source, is_new] = sources.try_emplace(records[i].block.get());
      if (is_new) {
        source->second = merged->AddSource({.batch = records[i].block->batch,
                                            .level = target.bucket->file(files[i]).meta->level,
                                            .sequences = records[i].block->sequences,
                                            .has_retracts = !target.bucket->raw()});
        held.push_back(records[i].block);
        held_bytes += records[i].block->memory_bytes;
      }
      group.push_back({source->second, records[i].row});
    }
    merged->AddGroup(group);
    added.push_back(target.row);
    if (held.size() >= kMaxSources || held_bytes >= max_held_bytes) ARROW_RETURN_NOT_OK(flush());
  }
  ARROW_RETURN_NOT_OK(flush());
  return InKeyOrder(std::move(batches), std::move(rows));
}

arrow::Result<FoundRows> TableLookup::InKeyOrder(std::vector<std::shared_ptr<arrow::RecordBatch>> batches,
                                                 std::vector<int64_t> rows) const {
  FoundRows found;
  if (batches.empty()) {
    ARROW_ASSIGN_OR_RAISE(found.rows, arrow::RecordBatch::MakeEmpty(schema(), merge_->options.pool));
  } else if (batches.size() == 1) {
    found.rows = std::move(batches[0]);
  } else {
    ARROW_ASSIGN_OR_RAISE(found.rows, arrow::ConcatenateRecordBatches(batches, merge_->options.pool));
  }
  if (!std::is_sorted(rows.begin(), rows.end())) {
    std::vector<int64_t> order(rows.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return rows[a] < rows[b]; });
    const arrow::Int64Array indices(static_cast<int64_t>(order.size()), arrow::Buffer::Wrap(order));
    arrow::compute::ExecContext context(merge_->options.pool);
    ARROW_ASSIGN_OR_RAISE(arrow::Datum taken, arrow::compute::Take(found.rows, indices.data(),
                                                                   arrow::compute::TakeOptions::NoBoundsCheck(), &context));
    found.rows = taken.record_batch();
    std::sort(rows.begin(), rows.end());
  }
  arrow::ArrayVector columns = found.rows->columns();
  columns.resize(schema()->num_fields());
  found.rows = arrow::RecordBatch::Make(schema(), found.rows->num_rows(), std::move(columns));
  const auto num_rows = static_cast<int64_t>(rows.size());
  found.key_rows = std::make_shared<arrow::Int64Array>(num_rows, arrow::Buffer::FromVector(std::move(rows)));
  return found;
}

}  // namespace

arrow::Result<std::shared_ptr<const LookupIndex>> FindLookupIndex(const TableContext& context, Session& session) {
  const TableSchema& schema = *context.schema;
  if (!schema.is_primary_key_table()) {
    return Unsupported("table ", context.paths.root, " has no primary key to look up rows by");
  }
  ARROW_ASSIGN_OR_RAISE(const bool combines, CombinesBranches(context));
  if (combines) return Unsupported("table ", context.paths.root, " shows rows of several branches: none is looked up by key");
  ARROW_ASSIGN_OR_RAISE(const ScanTarget target, ResolveScanTarget(context));
  if (target.changes_of || target.since || target.created_from_millis || target.replaced) {
    return Unsupported("the options of table ", context.paths.root, " name changes: none is looked up by key");
  }
  if (!target.snapshot) return std::make_shared<const LookupIndex>();
  // Ids of snapshots may come back after a rollback, names of manifest lists do not.
  std::string key = context.paths.ManifestFile(target.snapshot->delta_manifest_list) + "#lookup" + std::to_string(schema.id) +
                    (context.top_level_only ? "ro" : "");
  for (const auto& [option, value] : schema.options) key += "\n" + option + "=" + value;
  ShardedLruCache& cache = session.state().cache;
  if (auto cached = cache.Get<LookupIndex>(key)) return cached;
  ReadSpec spec;
  spec.context = context;
  spec.session = session.shared_from_this();
  spec.predicate = Predicate::True();
  ARROW_ASSIGN_OR_RAISE(std::vector<BucketFiles> buckets, SplitPlanner(spec).Buckets(target));
  for (BucketFiles& bucket : buckets) bucket.raw = IsRawConvertible(schema, bucket.files);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const LookupIndex> index,
                        MakeLookupIndex(target.snapshot->id, std::move(buckets), schema));
  cache.Put(key, index, index->memory_bytes());
  return index;
}

arrow::Result<std::shared_ptr<KeyLookup>> MakeTableLookup(const TableContext& context, std::shared_ptr<Session> session,
                                                          const LookupOptions& options,
                                                          std::shared_ptr<const LookupIndex> index) {
  if (index == nullptr) {
    ARROW_ASSIGN_OR_RAISE(index, FindLookupIndex(context, *session));
  }
  auto spec = std::make_shared<ReadSpec>();
  spec->context = context;
  spec->session = std::move(session);
  spec->predicate = Predicate::True();
  spec->batch_rows = int64_t{1} << 20;  // a block in one batch
  ARROW_RETURN_NOT_OK(SelectFields(options.columns, spec.get()));
  for (const Field& field : spec->fields) {
    if (field.id == kValueKindFieldId || field.id == kSequenceNumberFieldId) {
      return Invalid("rows that are looked up have no column ", field.name);
    }
  }
  return TableLookup::Make(spec, std::move(index));
}

}  // namespace bactrian
