#include "bactrian/table/system/system_table.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <array>

#include "bactrian/table/system/system_fields.h"
#include "bactrian/table/system/system_readers.h"

namespace bactrian {
namespace {

struct SystemTable {
  std::string_view name;
  std::vector<Field> fields;
  arrow::Status (*read)(const SystemTableContext&, BatchBuilder*);
};

const std::vector<SystemTable>& SystemTables() {
  static const std::vector<SystemTable> tables = {
      {"aggregation_fields", AggregationFieldsFields(), ReadAggregationFields},
      {"branches", BranchesFields(), ReadBranches},
      {"buckets", BucketsFields(), ReadBuckets},
      {"consumers", ConsumersFields(), ReadConsumers},
      {"file_key_ranges", FileKeyRangesFields(), ReadFileKeyRanges},
      {"files", FilesFields(), ReadFiles},
      {"manifests", ManifestsFields(), ReadManifests},
      {"options", OptionsFields(), ReadOptions},
      {"partitions", PartitionsFields(), ReadPartitions},
      {"schemas", SchemasFields(), ReadSchemas},
      {"snapshots", SnapshotsFields(), ReadSnapshots},
      {"statistics", StatisticsFields(), ReadStatistics},
      {"table_indexes", TableIndexesFields(), ReadTableIndexes},
      {"tags", TagsFields(), ReadTags},
  };
  return tables;
}

const SystemTable* Find(std::string_view name) {
  for (const SystemTable& table : SystemTables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string_view>& SystemTableNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const SystemTable& table : SystemTables()) all.push_back(table.name);
    return all;
  }();
  return names;
}

const std::vector<Field>* SystemTableFields(std::string_view name) {
  const SystemTable* table = Find(name);
  return table == nullptr ? nullptr : &table->fields;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadSystemTable(std::string_view name, const SystemTableContext& context) {
  const SystemTable* table = Find(name);
  if (table == nullptr) return NotFound("there is no system table \"", name, "\"");
  ARROW_ASSIGN_OR_RAISE(BatchBuilder rows, BatchBuilder::Make(table->fields, context.pool));
  ARROW_RETURN_NOT_OK(table->read(context, &rows));
  return rows.Finish();
}

}  // namespace bactrian
