#include "bactrian/table/plan/split_planner.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bactrian/expr/conjuncts.h"
#include "bactrian/merge/table_merge.h"
#include "bactrian/table/plan/file_stats.h"
#include "bactrian/table/plan/row_groups.h"
#include "bactrian/table/plan/split_packing.h"
#include "bactrian/table/session_state.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

using Splits = std::vector<std::shared_ptr<const Split>>;

bool SameFile(const SplitFile& a, const SplitFile& b) {
  if (a.meta->file_name != b.meta->file_name || a.meta->level != b.meta->level || a.path != b.path) return false;
  if (a.deletion.has_value() != b.deletion.has_value()) return false;
  return !a.deletion || (a.deletion->path == b.deletion->path && a.deletion->range.offset == b.deletion->range.offset);
}

/// Takes out of both lists what is in both.
void CancelCommon(std::vector<SplitFile>* before, std::vector<SplitFile>* after) {
  std::set<std::string> common;
  for (const SplitFile& old_file : *before) {
    const auto same = [&](const SplitFile& file) { return SameFile(file, old_file); };
    if (std::any_of(after->begin(), after->end(), same)) common.insert(old_file.meta->file_name);
  }
  const auto is_common = [&](const SplitFile& file) { return common.contains(file.meta->file_name); };
  std::erase_if(*before, is_common);
  std::erase_if(*after, is_common);
}

void AddWhole(BucketFiles bucket, Splits* splits) {
  if (bucket.files.empty()) return;
  auto split = std::make_shared<DataSplit>(std::move(bucket.head));
  split->files = std::move(bucket.files);
  split->raw = bucket.raw;
  splits->push_back(std::move(split));
}

/// Drops splits that no row of the limit needs.
void CutAtLimit(int64_t limit, Splits* splits) {
  int64_t rows = 0;
  for (size_t i = 0; i < splits->size(); ++i) {
    rows += (*splits)[i]->exact_row_count().value_or(0);
    if (rows >= limit) return splits->resize(i + 1);
  }
}

}  // namespace

bool FiltersRows(const ReadSpec& spec) {
  const PredicatePtr rest = spec.pruning.partitions
                                ? ConjunctsOver(spec.predicate, spec.context.schema->partition_keys, /*inside=*/false)
                                : spec.predicate;
  return rest->op() != PredicateOp::kTrue;
}

SplitPlanner::SplitPlanner(const ReadSpec& spec)
    : spec_(spec),
      context_(spec.context),
      schema_(*context_.schema),
      state_(spec.session->state()),
      grouping_(context_, state_.options) {}

arrow::Result<PlannedSplits> SplitPlanner::Plan(const ScanTarget& target) {
  PlannedSplits planned;
  if (!target.snapshot) return planned;
  if (target.replaced) {
    ARROW_ASSIGN_OR_RAISE(planned.splits, Replacement(target));
  } else if (target.since && schema_.is_primary_key_table()) {
    ARROW_ASSIGN_OR_RAISE(planned.splits, Difference(target));
  } else {
    ARROW_ASSIGN_OR_RAISE(planned.splits, Rows(target));
  }
  for (const auto& split : planned.splits) metrics_.files_kept += split->num_files();
  planned.metrics = metrics_;
  return planned;
}

arrow::Result<SplitPlanner::Entries> SplitPlanner::ReadEntries(const ScanTarget& target) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<HeadPruner> pruner, HeadPruner::Make(context_, spec_.predicate, spec_.pruning));
  scan_.emplace(context_, state_, std::move(pruner), &metrics_);
  Entries entries;
  if (target.changes_of) {
    for (const Snapshot& snapshot : *target.changes_of) {
      ARROW_ASSIGN_OR_RAISE(Entries added, target.changelog ? scan_->ChangelogFiles(snapshot) : scan_->AddedFiles(snapshot));
      entries.insert(entries.end(), added.begin(), added.end());
    }
  } else {
    ARROW_ASSIGN_OR_RAISE(entries, FilesOf(*target.snapshot, target));
    if (target.since) {  // of an append table: the files that it had not
      ARROW_ASSIGN_OR_RAISE(const Entries before, FilesOf(*target.since, target));
      std::set<std::string_view> names;
      for (const EntryPtr& entry : before) names.insert(entry->file.file_name);
      std::erase_if(entries, [&](const EntryPtr& entry) { return names.contains(entry->file.file_name); });
    }
  }
  if (target.created_from_millis) {
    std::erase_if(entries, [&](const EntryPtr& entry) {
      return entry->file.creation_time_millis.value_or(INT64_MAX) < *target.created_from_millis;
    });
  }
  return entries;
}

/// The files of a state that a scan looks at.
arrow::Result<SplitPlanner::Entries> SplitPlanner::FilesOf(const Snapshot& snapshot, const ScanTarget& target) {
  ARROW_ASSIGN_OR_RAISE(Entries entries, scan_->LiveFiles(snapshot));
  if (keeps_partition_) std::erase_if(entries, [&](const EntryPtr& entry) { return !keeps_partition_(entry->partition); });
  if (!schema_.is_primary_key_table()) return entries;
  ARROW_ASSIGN_OR_RAISE(const auto keeps_level, LevelFilter(target));
  std::erase_if(entries,
                [&](const EntryPtr& entry) { return entry->bucket == kPostponeBucket || !keeps_level(entry->file.level); });
  return entries;
}

/// What reads of primary-key tables look at (merge.md §8, §10; query.md §5).
arrow::Result<std::function<bool(int32_t)>> SplitPlanner::LevelFilter(const ScanTarget& target) const {
  const CoreOptions options(schema_.options);
  if (context_.top_level_only || target.levels == ScanLevels::kTop) {
    ARROW_ASSIGN_OR_RAISE(const int64_t trigger, options.GetInt("num-sorted-run.compaction-trigger", 5));
    ARROW_ASSIGN_OR_RAISE(const int64_t levels, options.GetInt("num-levels", trigger + 1));
    return [top = levels - 1](int32_t level) { return level == top; };
  }
  ARROW_ASSIGN_OR_RAISE(const bool deletion_vectors, options.GetBool("deletion-vectors.enabled", false));
  ARROW_ASSIGN_OR_RAISE(const bool merge_on_read, options.GetBool("deletion-vectors.merge-on-read", false));
  const bool table_skips =
      (deletion_vectors && !merge_on_read) || options.GetString("merge-engine", "deduplicate") == "first-row";
  const bool skips = target.levels == ScanLevels::kAboveZero || (target.levels == ScanLevels::kAsTable && table_skips);
  return [skips](int32_t level) { return !skips || level > 0; };
}

arrow::Status SplitPlanner::PruneByStats(Entries* entries) {
  // Before a merge only keys may prune: another file's row of the same key could be the one that counts.
  const PredicatePtr predicate =
      schema_.is_primary_key_table() ? ConjunctsOver(spec_.predicate, schema_.primary_keys, true) : spec_.predicate;
  // With data evolution a file may hold old values of a row, or none.
  ARROW_ASSIGN_OR_RAISE(const bool evolves, CoreOptions(schema_.options).GetBool("data-evolution.enabled", false));
  if (spec_.pruning.file_stats && !evolves && predicate->op() != PredicateOp::kTrue) {
    FileStatsFilter filter(context_, predicate);
    Entries kept;
    for (EntryPtr& entry : *entries) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<Value>* partition, grouping_.PartitionOf(entry->partition));
      ARROW_ASSIGN_OR_RAISE(bool keeps, filter.Keeps(entry->file, *partition));
      if (keeps) kept.push_back(std::move(entry));
    }
    *entries = std::move(kept);
  }
  metrics_.files_after_stats = metrics_.files_after_index = static_cast<int64_t>(entries->size());
  return arrow::Status::OK();
}

arrow::Result<std::vector<BucketFiles>> SplitPlanner::BucketsOf(const Snapshot& snapshot, const Entries& entries,
                                                                bool with_deletions) {
  ARROW_ASSIGN_OR_RAISE(std::vector<BucketFiles> buckets, grouping_.Group(snapshot, entries));
  if (with_deletions) {
    ARROW_ASSIGN_OR_RAISE(const auto index_files, scan_->IndexFiles(snapshot));
    ARROW_RETURN_NOT_OK(grouping_.AttachDeletionVectors(snapshot, *index_files, &buckets));
  }
  return buckets;
}

arrow::Result<std::vector<BucketFiles>> SplitPlanner::Buckets(const ScanTarget& target) {
  ARROW_ASSIGN_OR_RAISE(Entries entries, ReadEntries(target));
  ARROW_RETURN_NOT_OK(PruneByStats(&entries));
  return BucketsOf(*target.snapshot, entries, /*with_deletions=*/!target.changes_of);
}

arrow::Result<Splits> SplitPlanner::Rows(const ScanTarget& target) {
  ARROW_ASSIGN_OR_RAISE(std::vector<BucketFiles> buckets, Buckets(target));
  ARROW_ASSIGN_OR_RAISE(const SplitOptions options, SplitOptions::Make(schema_));
  Splits splits;
  for (BucketFiles& bucket : buckets) {
    ARROW_RETURN_NOT_OK(MarkEvolution(&bucket));
    bucket.head.changes = schema_.is_primary_key_table() && target.changes_of.has_value();
    bucket.raw =
        schema_.is_primary_key_table() ? bucket.head.changes || IsRawConvertible(schema_, bucket.files) : !bucket.head.evolves;
    ARROW_RETURN_NOT_OK(PruneByValues(&bucket));
    if (bucket.head.changes) {  // in order: a key's changes come one after the other
      AddWhole(std::move(bucket), &splits);
    } else {
      ARROW_RETURN_NOT_OK(PackSplits(schema_, std::move(bucket), options, &splits));
    }
  }
  if (spec_.limit && !FiltersRows(spec_)) CutAtLimit(*spec_.limit, &splits);
  return splits;
}

/// What value statistics may drop of a bucket of a primary-key table: files whose rows are the table's one by one, else all
/// files or none, and nothing where a merged row may have values that no file has (merge.md §10).
arrow::Status SplitPlanner::PruneByValues(BucketFiles* bucket) {
  const PredicatePtr predicate = ConjunctsOver(spec_.predicate, schema_.primary_keys, false);
  if (!schema_.is_primary_key_table() || !spec_.pruning.file_stats || predicate->op() == PredicateOp::kTrue) {
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

arrow::Status SplitPlanner::MarkEvolution(BucketFiles* bucket) const {
  ARROW_ASSIGN_OR_RAISE(const bool enabled, CoreOptions(schema_.options).GetBool("data-evolution.enabled", false));
  if (!enabled) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto groups, GroupByRows(bucket->files));
  bucket->head.evolves = groups.size() < bucket->files.size();
  return arrow::Status::OK();
}

arrow::Result<Splits> SplitPlanner::Difference(const ScanTarget& target) {
  ARROW_ASSIGN_OR_RAISE(Entries after, ReadEntries({.snapshot = target.snapshot, .levels = ScanLevels::kAll}));
  ARROW_RETURN_NOT_OK(PruneByStats(&after));
  ARROW_ASSIGN_OR_RAISE(Entries before, ReadEntries({.snapshot = target.since, .levels = ScanLevels::kAll}));
  ARROW_RETURN_NOT_OK(PruneByStats(&before));
  ARROW_ASSIGN_OR_RAISE(std::vector<BucketFiles> before_buckets, BucketsOf(*target.since, before, true));
  ARROW_ASSIGN_OR_RAISE(std::vector<BucketFiles> after_buckets, BucketsOf(*target.snapshot, after, true));
  std::map<std::string_view, int32_t> bucket_counts;
  for (const BucketFiles& bucket : before_buckets) bucket_counts[bucket.head.partition_bytes] = bucket.head.total_buckets;
  for (const BucketFiles& bucket : after_buckets) {
    const auto found = bucket_counts.find(bucket.head.partition_bytes);
    if (found != bucket_counts.end() && found->second != bucket.head.total_buckets) {
      return Unsupported("the difference of snapshots ", target.since->id, " and ", target.snapshot->id, " of table ",
                         context_.paths.root, ": a partition's bucket count went from ", found->second, " to ",
                         bucket.head.total_buckets);
    }
  }
  return Compare(std::move(before_buckets), std::move(after_buckets), /*replaces=*/false);
}

arrow::Result<Splits> SplitPlanner::Replacement(const ScanTarget& target) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<HeadPruner> pruner, HeadPruner::Make(context_, spec_.predicate, spec_.pruning));
  scan_.emplace(context_, state_, std::move(pruner), &metrics_);
  ARROW_ASSIGN_OR_RAISE(Entries added, scan_->AddedFiles(*target.snapshot));
  ARROW_RETURN_NOT_OK(PruneByStats(&added));
  ARROW_ASSIGN_OR_RAISE(Entries removed, scan_->RemovedFiles(*target.snapshot));
  ARROW_RETURN_NOT_OK(PruneByStats(&removed));
  ARROW_ASSIGN_OR_RAISE(std::vector<BucketFiles> before, BucketsOf(*target.snapshot, removed, false));
  ARROW_ASSIGN_OR_RAISE(std::vector<BucketFiles> after, BucketsOf(*target.snapshot, added, false));
  return Compare(std::move(before), std::move(after), /*replaces=*/true);
}

arrow::Result<Splits> SplitPlanner::Compare(std::vector<BucketFiles> before, std::vector<BucketFiles> after,
                                            bool replaces) const {
  struct Sides {
    DataSplit head;
    std::vector<SplitFile> before, after;
  };
  std::vector<Sides> buckets;
  std::map<std::pair<std::string, int32_t>, size_t> index;
  auto sides_of = [&](const DataSplit& head) -> Sides& {
    auto [found, is_new] = index.try_emplace({head.partition_bytes, head.bucket_id}, buckets.size());
    if (is_new) buckets.emplace_back().head = head;
    return buckets[found->second];
  };
  for (BucketFiles& bucket : after) sides_of(bucket.head).after = std::move(bucket.files);
  for (BucketFiles& bucket : before) sides_of(bucket.head).before = std::move(bucket.files);
  Splits splits;
  for (Sides& bucket : buckets) {
    CancelCommon(&bucket.before, &bucket.after);
    if (bucket.before.empty() && bucket.after.empty()) continue;
    auto split = std::make_shared<DataSplit>(std::move(bucket.head));
    split->files = std::move(bucket.after);
    split->before = std::move(bucket.before);
    split->replaces = replaces;
    split->raw = false;
    splits.push_back(std::move(split));
  }
  return splits;
}

}  // namespace bactrian
