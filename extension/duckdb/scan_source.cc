#include "scan_source.h"

#include <algorithm>

#include "bactrian/table/lookup/lookup_index.h"
#include "bactrian/table/lookup/table_lookup.h"
#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/plan/table_plan.h"
#include "bactrian/table/read/read_spec.h"
#include "bactrian/table/read/split_reader.h"
#include "bactrian/table/table_context.h"
#include "duckdb/common/types.hpp"
#include "duckdb/main/query_result.hpp"
#include "key_lookup.h"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

/// The context of a table held at a snapshot: a statement that names a table twice, or plans it again for a filter, must not
/// see two.
TableContext Pin(const TableContext& context, int64_t snapshot_id) {
  TableContext pinned = context;
  auto schema = std::make_shared<TableSchema>(*context.schema);
  const bool travels =
      NamesScanTarget(schema->options) || std::any_of(schema->options.begin(), schema->options.end(),
                                                      [](const auto& option) { return option.first.starts_with("scan."); });
  if (!travels) schema->options["scan.snapshot-id"] = std::to_string(snapshot_id);
  pinned.schema = std::move(schema);
  return pinned;
}

/// The sources that are alive, by id.
struct LiveSources {
  std::mutex mutex;
  uint64_t last_id = 0;
  std::map<uint64_t, std::weak_ptr<const ScanSource>> sources;
};

LiveSources& AllLiveSources() {
  static LiveSources sources;
  return sources;
}

}  // namespace

ScanSource::~ScanSource() {
  LiveSources& live = AllLiveSources();
  std::lock_guard lock(live.mutex);
  live.sources.erase(id_);
}

std::shared_ptr<const ScanSource> ScanSource::Find(uint64_t id) {
  LiveSources& live = AllLiveSources();
  std::lock_guard lock(live.mutex);
  const auto found = live.sources.find(id);
  return found == live.sources.end() ? nullptr : found->second.lock();
}

std::shared_ptr<ScanSource> ScanSource::Make(std::shared_ptr<Table> table) {
  auto source = std::make_shared<ScanSource>();
  {
    LiveSources& live = AllLiveSources();
    std::lock_guard lock(live.mutex);
    source->id_ = ++live.last_id;
    live.sources[source->id_] = source;
  }
  duckdb::vector<duckdb::string> names;
  for (const Field& field : table->schema()->fields) names.push_back(field.name);
  duckdb::QueryResult::DeduplicateColumns(names);  // `a` and `A` are two columns in Paimon, one in SQL: the second is A_1
  size_t i = 0;
  for (const Field& field : table->schema()->fields) {
    Column column{.name = names[i++], .type = duckdb::LogicalType::BLOB, .error = arrow::Status::OK()};
    arrow::Result<duckdb::LogicalType> type = ToLogicalType(*field.type);
    if (type.ok()) {
      column.type = *type;
    } else {
      column.error = Unsupported("column \"", field.name, "\": ", type.status().message());
    }
    source->columns.push_back(std::move(column));
  }
  source->table = std::move(table);
  return source;
}

arrow::Result<std::shared_ptr<Plan>> ScanSource::BasePlan() const {
  std::lock_guard lock(mutex_);
  if (base_plan_ != nullptr) return base_plan_;
  if (key_index_ != nullptr) {  // which found the snapshot
    const TableContext context = Pin(*table->context(), *key_index_->snapshot_id);
    ARROW_ASSIGN_OR_RAISE(base_plan_, PlanTable(context, table->session(), table->NewScan()));
  } else {
    ARROW_ASSIGN_OR_RAISE(base_plan_, table->NewScan().MakePlan());
  }
  return base_plan_;
}

arrow::Result<std::shared_ptr<const LookupIndex>> ScanSource::KeyIndex() const {
  const TableContext* context = table->context();
  std::lock_guard lock(mutex_);
  if (key_index_sought_ || context == nullptr || (base_plan_ != nullptr && !base_plan_->snapshot_id())) return key_index_;
  auto index = FindLookupIndex(base_plan_ != nullptr ? Pin(*context, *base_plan_->snapshot_id()) : *context, *table->session());
  if (!index.ok() && KindOf(index.status()) != ErrorKind::kUnsupported) return index.status();
  key_index_sought_ = true;
  if (index.ok() && (*index)->snapshot_id) key_index_ = *std::move(index);
  return key_index_;
}

arrow::Result<std::shared_ptr<Plan>> ScanSource::FilteredPlan(const PredicatePtr& predicate, bool by_key) const {
  const std::pair key(predicate->ToString(), by_key);
  {
    std::lock_guard lock(mutex_);
    const auto found = filtered_plans_.find(key);
    if (found != filtered_plans_.end()) return found->second.plan;
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, MakePlan(predicate, by_key));
  std::lock_guard lock(mutex_);
  return filtered_plans_.emplace(key, Filtered{predicate, std::move(plan)}).first->second.plan;
}

arrow::Result<std::shared_ptr<Plan>> ScanSource::MakePlan(const PredicatePtr& predicate, bool by_key) const {
  if (by_key) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> lookup, PlanKeyLookup(*this, predicate));
    if (lookup != nullptr) return lookup;
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> base, BasePlan());
  const TableContext* context = table->context();
  const Scan scan = table->NewScan().Filter(predicate);
  if (context == nullptr) return scan.MakePlan();
  if (!base->snapshot_id()) return base;
  return PlanTable(Pin(*context, *base->snapshot_id()), table->session(), scan);
}

PredicatePtr ScanSource::PlannedPredicate(const std::string& text) const {
  std::lock_guard lock(mutex_);
  const auto found = filtered_plans_.lower_bound({text, false});
  return found == filtered_plans_.end() || found->first.first != text ? nullptr : found->second.predicate;
}

arrow::Result<std::shared_ptr<const TableSchema>> ScanSource::FileSchema(const DataFileMeta& file) const {
  if (file.schema_id == table->schema()->id) return table->schema();
  return table->context()->schemas->Load(file.schema_id);
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ScanSource::Read(const Split& split, std::vector<std::string> columns,
                                                                          const PredicatePtr& predicate) const {
  ARROW_ASSIGN_OR_RAISE(auto found, ReadKeyLookup(*this, split, columns));
  if (found != nullptr) return found;
  const TableContext* context = table->context();
  const auto* data_split = dynamic_cast<const DataSplit*>(&split);
  if (context == nullptr || data_split == nullptr) {
    Scan scan = table->NewScan().Select(std::move(columns));
    if (predicate != nullptr) scan.Filter(predicate);
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, scan.MakePlan());
    return plan->Read(split);
  }
  auto spec = std::make_shared<ReadSpec>();
  spec->context = *context;
  spec->session = table->session();
  spec->predicate = predicate != nullptr ? predicate : Predicate::True();
  ARROW_RETURN_NOT_OK(SelectFields(columns, spec.get()));
  return MakeSplitReader(std::move(spec), *data_split);
}

std::optional<size_t> ScanSource::PartitionKeyIndex(const std::string& column) const {
  const auto& keys = table->schema()->partition_keys;
  const auto key = std::find(keys.begin(), keys.end(), column);
  return key == keys.end() ? std::nullopt : std::optional<size_t>(key - keys.begin());
}

}  // namespace bactrian::sql
