#include "bactrian/table/plan/branches.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "bactrian/expr/conjuncts.h"
#include "bactrian/table/plan/split_packing.h"
#include "bactrian/table/session_state.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

using Partition = std::vector<Value>;
/// Nulls first, then by value.
struct PartitionLess {
  bool operator()(const Partition& a, const Partition& b) const { return Compare(a, b, 0) < 0; }

  static int Compare(const Partition& a, const Partition& b, size_t from) {
    for (size_t i = from; i < a.size(); ++i) {
      if (IsNull(a[i]) || IsNull(b[i])) {
        if (IsNull(a[i]) != IsNull(b[i])) return IsNull(a[i]) ? -1 : 1;
        continue;
      }
      const auto order = CompareValues(a[i], b[i]);
      if (order != 0) return order < 0 ? -1 : 1;
    }
    return 0;
  }
};
using PartitionSet = std::set<Partition, PartitionLess>;

/// Snapshot ids differ between branches: an id of one is a time for the other.
arrow::Status TranslateSnapshotId(const TableContext& from, const TableContext& to, Options* options) {
  auto id = options->find("scan.snapshot-id");
  if (id == options->end()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const int64_t number, CoreOptions(*options).GetInt(id->first, 0));
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, from.snapshots->Load(number));
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> there, to.snapshots->AtOrBeforeTime(snapshot.time_millis));
  id->second = std::to_string(there ? there->id : 1);
  return arrow::Status::OK();
}

/// Another branch of the table at its latest schema, under the time travel of the main branch's handle.
arrow::Result<std::shared_ptr<const TableContext>> OpenBranch(const TableContext& main, const std::string& name) {
  ARROW_RETURN_NOT_OK(ValidateFileName(name, "a branch's name"));
  auto branch = std::make_shared<TableContext>(main);
  branch->paths.branch = name;
  branch->schemas = std::make_shared<const SchemaStore>(main.store, branch->paths);
  branch->snapshots = std::make_shared<const SnapshotStore>(main.store, branch->paths);
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> latest, branch->schemas->Latest());
  Options travel = ScanTargetOptions(main.schema->options);
  ARROW_RETURN_NOT_OK(TranslateSnapshotId(main, *branch, &travel));
  auto schema = std::make_shared<TableSchema>(*latest);
  for (auto& [key, value] : travel) schema->options[key] = value;
  branch->schema = std::move(schema);
  const auto same = [](const Field& a, const Field& b) { return a.name == b.name && a.type->EqualsIgnoreNullable(*b.type); };
  const std::vector<Field>&fields = main.schema->fields, &there = branch->schema->fields;
  if (!std::equal(fields.begin(), fields.end(), there.begin(), there.end(), same)) {
    return Invalid("branch ", name, " of table ", main.paths.root, " has other columns than branch ", main.paths.branch);
  }
  return branch;
}

/// One branch in its role: what it holds and what a scan reads of it.
class BranchScan {
 public:
  static arrow::Result<std::unique_ptr<BranchScan>> Make(const ReadSpec& spec, std::shared_ptr<const TableContext> context) {
    auto branch = std::make_unique<BranchScan>();
    branch->spec_ = spec;
    branch->spec_.context = *context;
    branch->spec_.limit.reset();
    branch->context_ = std::move(context);
    ARROW_ASSIGN_OR_RAISE(branch->target_, ResolveScanTarget(*branch->context_));
    return branch;
  }

  const ReadSpec& spec() const { return spec_; }
  const std::shared_ptr<const TableContext>& context() const { return context_; }
  const ScanTarget& target() const { return target_; }

  /// The partitions that the predicate's conjuncts over partition keys allow; all of them with `every`.
  arrow::Result<PartitionSet> Partitions(bool every = false) const {
    PartitionSet partitions;
    if (!target_.snapshot) return partitions;
    ReadSpec spec = spec_;
    spec.predicate = every ? Predicate::True() : ConjunctsOver(spec_.predicate, spec_.context.schema->partition_keys, true);
    ARROW_ASSIGN_OR_RAISE(const std::vector<BucketFiles> buckets, SplitPlanner(spec).Buckets(target_));
    for (const BucketFiles& bucket : buckets) partitions.insert(bucket.head.partition_values);
    return partitions;
  }

  /// Splits of the partitions that are not in `but`, marked with the branch that they are of.
  arrow::Result<PlannedSplits> Plan(const PartitionSet& but) const {
    SplitPlanner planner(spec_);
    BucketGrouping rows(*context_, spec_.session->options());
    arrow::Status status;
    planner.KeepPartitions([&](const std::string& row) {
      auto partition = rows.PartitionOf(row);
      if (!partition.ok()) status = partition.status();
      return partition.ok() && !but.contains(**partition);
    });
    ARROW_ASSIGN_OR_RAISE(PlannedSplits planned, planner.Plan(target_));
    ARROW_RETURN_NOT_OK(status);
    if (context_->paths.branch == "main") return planned;
    for (auto& split : planned.splits) {
      auto marked = std::make_shared<DataSplit>(static_cast<const DataSplit&>(*split));
      marked->branch = context_;
      split = std::move(marked);
    }
    return planned;
  }

 private:
  ReadSpec spec_;
  std::shared_ptr<const TableContext> context_;
  ScanTarget target_;
};

void Append(PlannedSplits more, PlannedSplits* planned) {
  planned->splits.insert(planned->splits.end(), more.splits.begin(), more.splits.end());
  PlanMetrics& sum = planned->metrics;
  const PlanMetrics& added = more.metrics;
  for (auto figure : {&PlanMetrics::manifests_total, &PlanMetrics::manifests_read, &PlanMetrics::entries_read,
                      &PlanMetrics::files_total, &PlanMetrics::files_after_partition, &PlanMetrics::files_after_bucket,
                      &PlanMetrics::files_after_stats, &PlanMetrics::files_after_index, &PlanMetrics::files_kept}) {
    sum.*figure += added.*figure;
  }
}

/// Partitions that the delta branch alone has, each with all that came before it since the nearest snapshot.
class ChainPlanner {
 public:
  ChainPlanner(const BranchScan& snapshot, const BranchScan& delta) : snapshot_(snapshot), delta_(delta) {}

  arrow::Result<PlannedSplits> Plan(const PartitionSet& but) {
    ARROW_RETURN_NOT_OK(FindGroupKeys());
    ARROW_ASSIGN_OR_RAISE(const PartitionSet wanted, delta_.Partitions());
    ARROW_ASSIGN_OR_RAISE(anchors_, snapshot_.Partitions(/*every=*/true));
    ARROW_RETURN_NOT_OK(ReadBuckets(snapshot_, &snapshot_buckets_));
    ARROW_RETURN_NOT_OK(ReadBuckets(delta_, &delta_buckets_));
    PlannedSplits planned;
    ARROW_ASSIGN_OR_RAISE(const SplitOptions options, SplitOptions::Make(*delta_.context()->schema));
    for (const Partition& partition : wanted) {
      if (but.contains(partition)) continue;
      for (BucketFiles& bucket : Chain(partition)) {
        ARROW_RETURN_NOT_OK(PackSplits(*delta_.context()->schema, std::move(bucket), options, &planned.splits));
      }
    }
    for (const auto& split : planned.splits) planned.metrics.files_kept += split->num_files();
    return planned;
  }

 private:
  using Buckets = std::map<Partition, std::vector<BucketFiles>, PartitionLess>;

  /// The chain keys are the last ones among the partition keys.
  arrow::Status FindGroupKeys() {
    const TableSchema& schema = *delta_.context()->schema;
    const std::string names = CoreOptions(schema.options).GetString("chain-table.chain-partition-keys", "");
    if (names.empty()) return arrow::Status::OK();
    const size_t chain_keys = static_cast<size_t>(std::count(names.begin(), names.end(), ',')) + 1;
    if (chain_keys > schema.partition_keys.size()) {
      return Invalid("option chain-table.chain-partition-keys: more keys than the table's partition keys");
    }
    group_keys_ = schema.partition_keys.size() - chain_keys;
    return arrow::Status::OK();
  }

  /// Files by partition. No row may be filtered by a partition that it does not come to lie in.
  static arrow::Status ReadBuckets(const BranchScan& branch, Buckets* buckets) {
    if (!branch.target().snapshot) return arrow::Status::OK();
    ReadSpec spec = branch.spec();
    const TableSchema& schema = *branch.context()->schema;
    spec.predicate = ConjunctsOver(spec.predicate, schema.partition_keys, /*inside=*/false);
    spec.predicate = ConjunctsOver(spec.predicate, schema.TrimmedPrimaryKeys(), /*inside=*/true);
    ARROW_ASSIGN_OR_RAISE(std::vector<BucketFiles> found, SplitPlanner(spec).Buckets(branch.target()));
    for (BucketFiles& bucket : found) (*buckets)[bucket.head.partition_values].push_back(std::move(bucket));
    return arrow::Status::OK();
  }

  bool SameGroup(const Partition& a, const Partition& b) const {
    return PartitionLess::Compare({a.begin(), a.begin() + static_cast<ptrdiff_t>(group_keys_)},
                                  {b.begin(), b.begin() + static_cast<ptrdiff_t>(group_keys_)}, 0) == 0;
  }

  std::vector<BucketFiles> Chain(const Partition& partition) const {
    const auto before = [&](const Partition& a, const Partition& b) { return PartitionLess::Compare(a, b, group_keys_) < 0; };
    const Partition* anchor = nullptr;
    for (const Partition& candidate : anchors_) {
      if (!SameGroup(candidate, partition) || !before(candidate, partition)) continue;
      if (anchor == nullptr || before(*anchor, candidate)) anchor = &candidate;
    }
    std::map<int32_t, BucketFiles> merged;
    if (anchor != nullptr) AddFiles(snapshot_buckets_, *anchor, partition, snapshot_.context()->schemas, &merged);
    for (const auto& [delta, buckets] : delta_buckets_) {
      if (!SameGroup(delta, partition) || before(partition, delta) || (anchor != nullptr && !before(*anchor, delta))) continue;
      AddFiles(delta_buckets_, delta, partition, nullptr, &merged);
    }
    std::vector<BucketFiles> buckets;
    for (auto& [id, bucket] : merged) buckets.push_back(std::move(bucket));
    return buckets;
  }

  void AddFiles(const Buckets& from, const Partition& source, const Partition& partition,
                const std::shared_ptr<const SchemaStore>& schemas, std::map<int32_t, BucketFiles>* merged) const {
    const auto found = from.find(source);
    if (found == from.end()) return;
    const auto target = delta_buckets_.find(partition);
    for (const BucketFiles& bucket : found->second) {
      auto [to, is_new] = merged->try_emplace(bucket.head.bucket_id);
      if (is_new) {
        to->second.head = target->second.front().head;
        to->second.head.bucket_id = bucket.head.bucket_id;
        to->second.head.path = bucket.head.path;
        to->second.head.branch = delta_.context();
        to->second.raw = false;
      }
      for (SplitFile file : bucket.files) {
        file.schemas = schemas;
        to->second.files.push_back(std::move(file));
      }
    }
  }

  const BranchScan& snapshot_;
  const BranchScan& delta_;
  size_t group_keys_ = 0;  ///< partition keys before the chain keys
  PartitionSet anchors_;
  Buckets snapshot_buckets_, delta_buckets_;
};

arrow::Result<PlannedSplits> PlanInOrder(const BranchScan& first, const BranchScan& second) {
  ARROW_ASSIGN_OR_RAISE(PlannedSplits planned, first.Plan({}));
  ARROW_ASSIGN_OR_RAISE(const PartitionSet complete, first.Partitions());
  ARROW_ASSIGN_OR_RAISE(PlannedSplits rest, second.Plan(complete));
  Append(std::move(rest), &planned);
  return planned;
}

arrow::Result<PlannedSplits> PlanChainTable(const BranchScan& main, const BranchScan& snapshot, const BranchScan& delta) {
  ARROW_ASSIGN_OR_RAISE(PlannedSplits planned, main.Plan({}));
  ARROW_ASSIGN_OR_RAISE(PartitionSet complete, main.Partitions());
  ARROW_ASSIGN_OR_RAISE(PlannedSplits whole, snapshot.Plan(complete));
  Append(std::move(whole), &planned);
  ARROW_ASSIGN_OR_RAISE(PartitionSet snapshots, snapshot.Partitions());
  complete.merge(snapshots);
  ARROW_ASSIGN_OR_RAISE(PlannedSplits chained, ChainPlanner(snapshot, delta).Plan(complete));
  Append(std::move(chained), &planned);
  return planned;
}

/// The branch that an option names, if it is set and the table has it.
arrow::Result<std::unique_ptr<BranchScan>> NamedBranch(const ReadSpec& spec, std::string_view option) {
  const auto name = CoreOptions(spec.context.schema->options).Get(option);
  if (!name) return nullptr;
  arrow::Result<std::shared_ptr<const TableContext>> context = OpenBranch(spec.context, *name);
  if (!context.ok() && KindOf(context.status()) == ErrorKind::kNotFound) return nullptr;
  ARROW_RETURN_NOT_OK(context.status());
  return BranchScan::Make(spec, *context);
}

}  // namespace

arrow::Result<bool> CombinesBranches(const TableContext& context) {
  if (context.paths.branch != "main") return false;
  const CoreOptions options(context.schema->options);
  ARROW_ASSIGN_OR_RAISE(const bool chain_table, options.GetBool("chain-table.enabled", false));
  if (chain_table) return options.Get("scan.fallback-snapshot-branch") && options.Get("scan.fallback-delta-branch");
  return options.Get("scan.fallback-branch") || options.Get("scan.primary-branch");
}

arrow::Result<PlannedSplits> PlanBranches(const ReadSpec& spec, const ScanTarget& target) {
  ARROW_ASSIGN_OR_RAISE(auto main, BranchScan::Make(spec, std::make_shared<const TableContext>(spec.context)));
  ARROW_ASSIGN_OR_RAISE(const bool chain_table,
                        CoreOptions(spec.context.schema->options).GetBool("chain-table.enabled", false));
  if (chain_table) {
    ARROW_ASSIGN_OR_RAISE(auto snapshot, NamedBranch(spec, "scan.fallback-snapshot-branch"));
    ARROW_ASSIGN_OR_RAISE(auto delta, NamedBranch(spec, "scan.fallback-delta-branch"));
    if (!snapshot || !delta) return NotFound("a branch of chain table ", spec.context.paths.root, " is not there");
    return PlanChainTable(*main, *snapshot, *delta);
  }
  ARROW_ASSIGN_OR_RAISE(auto fallback, NamedBranch(spec, "scan.fallback-branch"));
  if (fallback) return PlanInOrder(*main, *fallback);
  ARROW_ASSIGN_OR_RAISE(auto primary, NamedBranch(spec, "scan.primary-branch"));
  if (primary) return PlanInOrder(*primary, *main);
  return SplitPlanner(spec).Plan(target);
}

}  // namespace bactrian
