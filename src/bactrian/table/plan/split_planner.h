#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/table/plan/bucket_files.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

struct PlannedSplits {
  std::vector<std::shared_ptr<const Split>> splits;
  PlanMetrics metrics;
};

/// Whether a scan's predicate says more than which partitions are read. (Partition conjuncts drop whole files while planning,
/// unless that is switched off.)
bool FiltersRows(const ReadSpec& spec);

/// Splits of one branch (format reference: query.md §1–4, merge.md §10). Plans once; not thread-safe.
class SplitPlanner {
 public:
  /// `spec` must outlive the planner.
  explicit SplitPlanner(const ReadSpec& spec);

  /// Only partitions (serialised rows) for which this is true are looked at.
  void KeepPartitions(std::function<bool(const std::string&)> keeps) { keeps_partition_ = std::move(keeps); }
  arrow::Result<PlannedSplits> Plan(const ScanTarget& target);

  /// The buckets of a state with the files that a scan of it reads, deletion vectors attached: what Plan packs into splits.
  arrow::Result<std::vector<BucketFiles>> Buckets(const ScanTarget& target);

 private:
  using Entries = std::vector<EntryPtr>;

  arrow::Result<Entries> ReadEntries(const ScanTarget& target);
  arrow::Result<Entries> FilesOf(const Snapshot& snapshot, const ScanTarget& target);
  arrow::Result<std::function<bool(int32_t)>> LevelFilter(const ScanTarget& target) const;
  arrow::Status PruneByStats(Entries* entries);
  arrow::Result<std::vector<BucketFiles>> BucketsOf(const Snapshot& snapshot, const Entries& entries, bool with_deletions);
  arrow::Status PruneByValues(BucketFiles* bucket);
  arrow::Status MarkEvolution(BucketFiles* bucket) const;
  /// What two lists of files of each bucket have not in common, as splits to be compared.
  arrow::Result<std::vector<std::shared_ptr<const Split>>> Compare(std::vector<BucketFiles> before,
                                                                   std::vector<BucketFiles> after, bool replaces) const;
  arrow::Result<std::vector<std::shared_ptr<const Split>>> Difference(const ScanTarget& target);
  arrow::Result<std::vector<std::shared_ptr<const Split>>> Replacement(const ScanTarget& target);
  arrow::Result<std::vector<std::shared_ptr<const Split>>> Rows(const ScanTarget& target);

  const ReadSpec& spec_;
  const TableContext& context_;
  const TableSchema& schema_;
  Session::State& state_;
  PlanMetrics metrics_;
  std::function<bool(const std::string&)> keeps_partition_;
  std::optional<ManifestScan> scan_;
  BucketGrouping grouping_;
};

}  // namespace bactrian
