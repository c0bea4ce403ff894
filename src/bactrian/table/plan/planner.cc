#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/merge/table_merge.h"
#include "bactrian/table/data_file_paths.h"
#include "bactrian/table/path_guard.h"
#include "bactrian/table/plan/file_stats.h"
#include "bactrian/table/plan/manifest_scan.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/plan/split_packing.h"
#include "bactrian/table/plan/table_plan.h"
#include "bactrian/table/session_state.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

constexpr int32_t kPostponeBucket = -2;

/// The conjuncts of `predicate` whose columns are all in `columns`, or those whose columns are not.
PredicatePtr ConjunctsOver(const PredicatePtr& predicate, const std::vector<std::string>& columns, bool inside) {
  std::vector<PredicatePtr> kept;
  for (const PredicatePtr& conjunct : SplitConjuncts(predicate)) {
    const std::vector<std::string> used = ColumnsOf(conjunct);
    const bool is_inside = std::all_of(used.begin(), used.end(), [&](const std::string& column) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    });
    if (is_inside == inside) kept.push_back(conjunct);
  }
  return Predicate::And(std::move(kept));
}

class Planner {
 public:
  Planner(std::shared_ptr<const ReadSpec> spec)
      : spec_(std::move(spec)), context_(spec_->context), schema_(*context_.schema), state_(spec_->session->state()) {}

  arrow::Result<std::shared_ptr<Plan>> MakePlan() {
    ARROW_RETURN_NOT_OK(CheckSupported());
    ARROW_ASSIGN_OR_RAISE(ScanTarget target, ResolveScanTarget(context_));
    std::vector<std::shared_ptr<const Split>> splits;
    if (target.snapshot) {
      ARROW_ASSIGN_OR_RAISE(std::vector<EntryPtr> entries, ReadEntries(target));
      KeepCreatedFrom(target.created_from_millis, &entries);
      ARROW_RETURN_NOT_OK(PruneByStats(&entries));
      ARROW_ASSIGN_OR_RAISE(splits, MakeSplits(target, entries));
    }
    std::optional<int64_t> id = target.snapshot ? std::optional(target.snapshot->id) : std::nullopt;
    for (const auto& split : splits) metrics_.files_kept += split->num_files();
    return std::make_shared<TablePlan>(spec_, id, std::move(splits), metrics_, FiltersRows());
  }

 private:
  /// Tables of which the main branch shows other branches' rows too: rather no answer than half of one.
  arrow::Status CheckSupported() const {
    const CoreOptions options(schema_.options);
    if (context_.paths.branch != "main") return arrow::Status::OK();
    for (const char* option : {"scan.fallback-branch", "scan.primary-branch"}) {
      if (options.Get(option)) return Unsupported("tables with option ", option, " cannot be read yet");
    }
    ARROW_ASSIGN_OR_RAISE(bool chain_table, options.GetBool("chain-table.enabled", false));
    return chain_table ? Unsupported("chain tables cannot be read yet") : arrow::Status::OK();
  }

  /// Whether the predicate says more than which partitions are read. (Partition conjuncts drop whole files while planning,
  /// unless that is switched off.)
  bool FiltersRows() const {
    const PredicatePtr rest =
        spec_->pruning.partitions ? ConjunctsOver(spec_->predicate, schema_.partition_keys, false) : spec_->predicate;
    return rest->op() != PredicateOp::kTrue;
  }

  arrow::Result<std::vector<EntryPtr>> ReadEntries(const ScanTarget& target) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<HeadPruner> pruner, HeadPruner::Make(context_, spec_->predicate, spec_->pruning));
    scan_.emplace(context_, state_, std::move(pruner), &metrics_);
    std::vector<EntryPtr> entries;
    if (target.changes_of) {
      for (const Snapshot& snapshot : *target.changes_of) {
        ARROW_ASSIGN_OR_RAISE(std::vector<EntryPtr> added,
                              target.changelog ? scan_->ChangelogFiles(snapshot) : scan_->AddedFiles(snapshot));
        entries.insert(entries.end(), added.begin(), added.end());
      }
      return entries;
    }
    ARROW_ASSIGN_OR_RAISE(entries, scan_->LiveFiles(*target.snapshot));
    if (target.since) ARROW_RETURN_NOT_OK(Subtract(*target.since, &entries));
    if (schema_.is_primary_key_table()) ARROW_RETURN_NOT_OK(DropUnmergedFiles(&entries));
    return entries;
  }

  /// Leaves the files that an older state did not have. Rows of files that are gone since would have to be compared.
  arrow::Status Subtract(const Snapshot& since, std::vector<EntryPtr>* entries) {
    if (schema_.is_primary_key_table()) return Unsupported("incremental reads of primary-key tables are not supported yet");
    ARROW_ASSIGN_OR_RAISE(std::vector<EntryPtr> before, scan_->LiveFiles(since));
    std::set<std::string_view> names;
    for (const EntryPtr& entry : before) names.insert(entry->file.file_name);
    const size_t num_after = entries->size();
    std::erase_if(*entries, [&](const EntryPtr& entry) { return names.contains(entry->file.file_name); });
    if (num_after - entries->size() != before.size()) {
      return Unsupported("the difference of two snapshots of an append table of which the newer lacks files of the older");
    }
    return arrow::Status::OK();
  }

  /// What batch reads of primary-key tables do not look at (merge.md §8, §10).
  arrow::Status DropUnmergedFiles(std::vector<EntryPtr>* entries) {
    const CoreOptions options(schema_.options);
    ARROW_ASSIGN_OR_RAISE(bool deletion_vectors, options.GetBool("deletion-vectors.enabled", false));
    ARROW_ASSIGN_OR_RAISE(bool merge_on_read, options.GetBool("deletion-vectors.merge-on-read", false));
    const bool skips_level_0 =
        (deletion_vectors && !merge_on_read) || options.GetString("merge-engine", "deduplicate") == "first-row";
    ARROW_ASSIGN_OR_RAISE(bool merges_postponed, options.GetBool("postpone.merge-on-read", false));
    auto is_postponed = [](const EntryPtr& entry) { return entry->bucket == kPostponeBucket; };
    if (merges_postponed && std::any_of(entries->begin(), entries->end(), is_postponed)) {
      return Unsupported("merging the postponed rows of table ", context_.paths.root, " on read is not supported yet");
    }
    std::erase_if(*entries,
                  [&](const EntryPtr& entry) { return is_postponed(entry) || (skips_level_0 && entry->file.level == 0); });
    return arrow::Status::OK();
  }

  void KeepCreatedFrom(std::optional<int64_t> millis, std::vector<EntryPtr>* entries) {
    if (!millis) return;
    std::erase_if(*entries,
                  [&](const EntryPtr& entry) { return entry->file.creation_time_millis.value_or(INT64_MAX) < *millis; });
  }

  arrow::Status PruneByStats(std::vector<EntryPtr>* entries) {
    // Before a merge only keys may prune: another file's row of the same key could be the one that counts.
    const PredicatePtr predicate =
        schema_.is_primary_key_table() ? ConjunctsOver(spec_->predicate, schema_.primary_keys, true) : spec_->predicate;
    if (spec_->pruning.file_stats && predicate->op() != PredicateOp::kTrue) {
      FileStatsFilter filter(context_, predicate);
      std::vector<EntryPtr> kept;
      for (EntryPtr& entry : *entries) {
        ARROW_ASSIGN_OR_RAISE(const std::vector<Value>* partition, PartitionOf(entry->partition));
        ARROW_ASSIGN_OR_RAISE(bool keeps, filter.Keeps(entry->file, *partition));
        if (keeps) kept.push_back(std::move(entry));
      }
      *entries = std::move(kept);
    }
    metrics_.files_after_stats = metrics_.files_after_index = static_cast<int64_t>(entries->size());
    return arrow::Status::OK();
  }

  arrow::Result<const std::vector<Value>*> PartitionOf(const std::string& row) {
    if (!paths_) {
      ARROW_ASSIGN_OR_RAISE(paths_, DataFilePaths::Make(context_.paths, schema_));
    }
    auto [found, is_new] = partitions_.try_emplace(row);
    if (is_new) {
      ARROW_ASSIGN_OR_RAISE(found->second, paths_->PartitionValues(row));
    }
    return &found->second;
  }

  arrow::Result<std::vector<std::shared_ptr<const Split>>> MakeSplits(const ScanTarget& target,
                                                                      const std::vector<EntryPtr>& entries) {
    ARROW_RETURN_NOT_OK(CheckRowRanges(entries));
    std::vector<BucketFiles> buckets;
    ARROW_RETURN_NOT_OK(Group(*target.snapshot, entries, &buckets));
    if (!target.changes_of) ARROW_RETURN_NOT_OK(AttachDeletionVectors(*target.snapshot, &buckets));
    ARROW_ASSIGN_OR_RAISE(SplitOptions options, SplitOptions::Make(schema_));
    std::vector<std::shared_ptr<const Split>> splits;
    for (BucketFiles& bucket : buckets) {
      bucket.head.changes = schema_.is_primary_key_table() && target.changes_of.has_value();
      bucket.raw = !schema_.is_primary_key_table() || bucket.head.changes || IsRawConvertible(schema_, bucket.files);
      ARROW_RETURN_NOT_OK(PruneByValues(&bucket));
      ARROW_RETURN_NOT_OK(PackSplits(schema_, std::move(bucket), options, &splits));
    }
    if (spec_->limit && !FiltersRows()) CutAtLimit(*spec_->limit, &splits);
    return splits;
  }

  /// What value statistics may drop of a bucket of a primary-key table: files whose rows are the table's one by one, else all
  /// files or none, and nothing where a merged row may have values that no file has (merge.md §10).
  arrow::Status PruneByValues(BucketFiles* bucket) {
    const PredicatePtr predicate = ConjunctsOver(spec_->predicate, schema_.primary_keys, false);
    if (!schema_.is_primary_key_table() || !spec_->pruning.file_stats || predicate->op() == PredicateOp::kTrue) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(const MergeEngine engine, MergeEngineOf(schema_.options));
    const bool picks = engine == MergeEngine::kDeduplicate || engine == MergeEngine::kFirstRow;
    if (!bucket->raw && !picks) return arrow::Status::OK();
    FileStatsFilter filter(context_, predicate);
    std::vector<SplitFile> kept;
    for (const SplitFile& file : bucket->files) {
      ARROW_ASSIGN_OR_RAISE(bool keeps, filter.Keeps(*file.meta, bucket->head.partition_values));
      if (keeps) kept.push_back(file);
    }
    if (bucket->raw || kept.empty()) bucket->files = std::move(kept);
    return arrow::Status::OK();
  }

  /// Files of one row range hold parts of the same rows (rowtracking.md §2).
  arrow::Status CheckRowRanges(const std::vector<EntryPtr>& entries) {
    ARROW_ASSIGN_OR_RAISE(bool enabled, CoreOptions(schema_.options).GetBool("data-evolution.enabled", false));
    if (!enabled) return arrow::Status::OK();
    std::map<int64_t, int64_t> ranges;  // first row id to the one after the last
    for (const EntryPtr& entry : entries) {
      const DataFileMeta& file = entry->file;
      if (!file.first_row_id) continue;
      auto [range, is_new] = ranges.emplace(*file.first_row_id, *file.first_row_id + file.row_count);
      const bool overlaps = !is_new || (range != ranges.begin() && std::prev(range)->second > range->first) ||
                            (std::next(range) != ranges.end() && std::next(range)->first < range->second);
      if (overlaps) {
        return Unsupported("table ", context_.paths.root,
                           " holds columns of the same rows in several files (data evolution), "
                           "which cannot be read yet");
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Group(const Snapshot& snapshot, const std::vector<EntryPtr>& entries, std::vector<BucketFiles>* buckets) {
    std::map<std::pair<std::string_view, int32_t>, size_t> index;
    std::optional<PathGuard> guard;
    for (const EntryPtr& entry : entries) {
      auto [found, is_new] = index.try_emplace({entry->partition, entry->bucket}, buckets->size());
      if (is_new) {
        DataSplit& head = buckets->emplace_back().head;
        ARROW_ASSIGN_OR_RAISE(const std::vector<Value>* partition, PartitionOf(entry->partition));
        ARROW_ASSIGN_OR_RAISE(head.path, paths_->BucketPath(*partition, entry->bucket));
        head.snapshot_id = snapshot.id;
        head.partition_bytes = entry->partition;
        head.partition_values = *partition;
        head.bucket_id = entry->bucket;
        head.total_buckets = entry->total_buckets;
      }
      BucketFiles& bucket = (*buckets)[found->second];
      SplitFile& file = bucket.files.emplace_back();
      file.meta = std::shared_ptr<const DataFileMeta>(entry, &entry->file);
      if (entry->file.external_path) {
        file.path = *entry->file.external_path;
        if (!guard) {
          ARROW_ASSIGN_OR_RAISE(guard, PathGuard::Make(context_, state_.options));
        }
        ARROW_RETURN_NOT_OK(guard->Check(file.path, "a manifest of table " + context_.paths.root));
      } else {
        ARROW_RETURN_NOT_OK(ValidateFileName(entry->file.file_name, "a manifest of table " + context_.paths.root));
        file.path = JoinPath(bucket.head.path, entry->file.file_name);
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status AttachDeletionVectors(const Snapshot& snapshot, std::vector<BucketFiles>* buckets) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const std::vector<IndexFileEntry>> index_files, scan_->IndexFiles(snapshot));
    std::unordered_map<std::string_view, std::pair<SplitFile*, const DataSplit*>> files;
    for (const IndexFileEntry& index_file : *index_files) {
      if (index_file.index_type != kDeletionVectorsIndex || !index_file.deletion_vectors) continue;
      if (files.empty()) {
        for (BucketFiles& bucket : *buckets) {
          for (SplitFile& file : bucket.files) files.emplace(file.meta->file_name, std::pair(&file, &bucket.head));
        }
      }
      for (const DeletionVectorRange& range : *index_file.deletion_vectors) {
        auto found = files.find(range.data_file);
        if (found == files.end()) continue;
        auto [file, head] = found->second;
        if (head->partition_bytes != index_file.partition || head->bucket_id != index_file.bucket) continue;
        if (file->deletion) {
          return Corrupt("index manifest ", *snapshot.index_manifest, " has two deletion vectors for file ", range.data_file);
        }
        ARROW_ASSIGN_OR_RAISE(std::string path, IndexFilePath(index_file, *head));
        file->deletion = DeletionFile{std::move(path), range};
      }
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::string> IndexFilePath(const IndexFileEntry& index_file, const DataSplit& bucket) {
    if (index_file.external_path) {
      ARROW_ASSIGN_OR_RAISE(PathGuard guard, PathGuard::Make(context_, state_.options));
      ARROW_RETURN_NOT_OK(guard.Check(*index_file.external_path, "an index manifest of table " + context_.paths.root));
      return *index_file.external_path;
    }
    ARROW_RETURN_NOT_OK(ValidateFileName(index_file.file_name, "an index manifest of table " + context_.paths.root));
    ARROW_ASSIGN_OR_RAISE(bool beside_data, CoreOptions(schema_.options).GetBool("index-file-in-data-file-dir", false));
    return beside_data ? JoinPath(bucket.path, index_file.file_name) : context_.paths.IndexFile(index_file.file_name);
  }

  /// Drops splits that no row of the limit needs.
  static void CutAtLimit(int64_t limit, std::vector<std::shared_ptr<const Split>>* splits) {
    int64_t rows = 0;
    for (size_t i = 0; i < splits->size(); ++i) {
      rows += (*splits)[i]->exact_row_count().value_or(0);
      if (rows >= limit) return splits->resize(i + 1);
    }
  }

  std::shared_ptr<const ReadSpec> spec_;
  const TableContext& context_;
  const TableSchema& schema_;
  Session::State& state_;
  PlanMetrics metrics_;
  std::optional<ManifestScan> scan_;
  std::optional<DataFilePaths> paths_;
  std::unordered_map<std::string, std::vector<Value>> partitions_;  ///< decoded so far, by serialised row
};

}  // namespace

arrow::Result<std::shared_ptr<Plan>> PlanTable(const TableContext& context, std::shared_ptr<Session> session,
                                               const Scan& scan) {
  auto spec = std::make_shared<ReadSpec>();
  spec->context = context;
  spec->session = std::move(session);
  spec->predicate = scan.predicate() ? scan.predicate() : Predicate::True();
  spec->limit = scan.limit();
  spec->batch_rows = scan.batch_rows();
  spec->string_views = scan.string_views();
  spec->pruning = scan.pruning();
  spec->keep_deletes = scan.keep_deletes();
  if (spec->batch_rows <= 0) return Invalid("a batch must hold at least one row, not ", spec->batch_rows);
  if (spec->limit && *spec->limit < 0) return Invalid("the limit must not be negative, as ", *spec->limit, " is");
  ARROW_RETURN_NOT_OK(SelectFields(scan.columns(), spec.get()));
  ARROW_RETURN_NOT_OK(BoundPredicate::Bind(spec->predicate, context.schema->fields).status());
  return Planner(std::move(spec)).MakePlan();
}

}  // namespace bactrian
