#include "file_statistics.h"

#include "bactrian/table/plan/file_stats.h"
#include "bactrian/table/schema_evolution.h"
#include "bactrian/table/table_context.h"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/storage/statistics/numeric_stats.hpp"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

bool HasOrderedValues(const DataType& type) {
  return type.is_integer() || type.is_timestamp() || type.root() == TypeRoot::kDate || type.root() == TypeRoot::kDecimal;
}

duckdb::unique_ptr<duckdb::BaseStatistics> AllNull(const duckdb::LogicalType& type) {
  auto statistics = duckdb::BaseStatistics::CreateUnknown(type);
  statistics.Set(duckdb::StatsInfo::CANNOT_HAVE_VALID_VALUES);
  return statistics.ToUnique();
}

duckdb::unique_ptr<duckdb::BaseStatistics> OfConstant(const duckdb::LogicalType& type, const Field& field, const Value& value) {
  if (IsNull(value)) return AllNull(type);
  auto statistics = MakeStatistics(type, field, value, value);
  if (statistics) statistics->Set(duckdb::StatsInfo::CANNOT_HAVE_NULL_VALUES);
  return statistics;
}

/// Of the file's own statistics. Evolved types are left alone: their nulls and bounds are those of other values.
duckdb::unique_ptr<duckdb::BaseStatistics> OfFile(const ScanSource& source, const SplitFile& file, duckdb::column_t column) {
  const Field& field = source.fields()[column];
  const duckdb::LogicalType& type = source.columns[column].type;
  const std::shared_ptr<const TableSchema> schema = source.FileSchema(*file.meta).ValueOr(nullptr);
  if (schema == nullptr) return nullptr;
  const std::vector<Field> fields = PhysicalFields(*schema, *file.meta);
  const Field* in_file = FindFieldById(fields, field.id);
  if (in_file == nullptr) return AllNull(type);
  if (!in_file->type->EqualsIgnoreNullable(*field.type)) return nullptr;
  const std::optional<ColumnBounds> bounds = FileStats(*schema, *file.meta).Bounds(*in_file);
  if (!bounds) return nullptr;
  if (bounds->null_count == file.meta->row_count) return AllNull(type);
  auto statistics = MakeStatistics(type, field, bounds->min.value_or(Value()), bounds->max.value_or(Value()));
  if (statistics && bounds->null_count == 0) statistics->Set(duckdb::StatsInfo::CANNOT_HAVE_NULL_VALUES);
  return statistics;
}

/// Of `file_index`, by which a query that is late in fetching columns names the rows it wants.
duckdb::unique_ptr<duckdb::BaseStatistics> OfItemNumber(duckdb::idx_t item) {
  auto statistics = duckdb::BaseStatistics::CreateUnknown(duckdb::LogicalType::UBIGINT);
  statistics.Set(duckdb::StatsInfo::CANNOT_HAVE_NULL_VALUES);
  duckdb::NumericStats::SetMin(statistics, duckdb::Value::UBIGINT(item));
  duckdb::NumericStats::SetMax(statistics, duckdb::Value::UBIGINT(item));
  return statistics.ToUnique();
}

const SplitFile* FileOf(const PaimonFileList::Item& item) {
  return item.file ? &static_cast<const DataSplit&>(*item.split).files[*item.file] : nullptr;
}

std::optional<int64_t> ExactRows(const ScanSource& source, const PaimonFileList::Item& item) {
  const SplitFile* file = FileOf(item);
  if (file == nullptr) return HoldsRowsAsStored(source, *item.split) ? item.split->exact_row_count() : std::nullopt;
  if (!file->deletion) return file->meta->row_count;
  if (!file->deletion->range.cardinality) return std::nullopt;
  return file->meta->row_count - *file->deletion->range.cardinality;
}

/// The statistics of one item for DuckDB's evaluation of aggregates.
class ItemRowGroup final : public ScanPartStatistics {
 public:
  ItemRowGroup(duckdb::shared_ptr<const PaimonFileList> files, size_t item) : files_(std::move(files)), item_(item) {}

  duckdb::unique_ptr<duckdb::BaseStatistics> GetColumnStatistics(const duckdb::StorageIndex& column) override {
    if (column.HasChildren()) return nullptr;
    return ItemStatistics(*files_, files_->items()[item_], column.GetPrimaryIndex());
  }
  /// Not where rows are gone: the least one may be among them. Text was cut when the statistics were written.
  bool HasExactBounds(duckdb::idx_t column) const override {
    const SplitFile* file = FileOf(files_->items()[item_]);
    return file != nullptr && !file->deletion && HasOrderedValues(*files_->source().fields()[column].type);
  }

 private:
  duckdb::shared_ptr<const PaimonFileList> files_;
  size_t item_;
};

}  // namespace

duckdb::unique_ptr<duckdb::BaseStatistics> MakeStatistics(const duckdb::LogicalType& type, const Field& field, const Value& min,
                                                          const Value& max) {
  auto statistics = duckdb::BaseStatistics::CreateUnknown(type);
  if (IsNull(min) || IsNull(max)) return statistics.ToUnique();
  if (field.type->is_string()) {
    SetTextBounds(statistics, std::get<std::string>(min), std::get<std::string>(max));
  } else if (HasOrderedValues(*field.type)) {
    arrow::Result<duckdb::Value> low = FromPaimonValue(min, *field.type), high = FromPaimonValue(max, *field.type);
    if (low.ok() && high.ok()) {
      duckdb::NumericStats::SetMin(statistics, *low);
      duckdb::NumericStats::SetMax(statistics, *high);
    }
  }
  return statistics.ToUnique();
}

duckdb::unique_ptr<duckdb::BaseStatistics> ItemStatistics(const PaimonFileList& files, const PaimonFileList::Item& item,
                                                          duckdb::column_t column) {
  const ScanSource& source = files.source();
  if (column >= source.columns.size() || !source.columns[column].error.ok()) return nullptr;
  const Field& field = source.fields()[column];
  if (field.type->is_nested() || field.type->root() == TypeRoot::kVariant) return nullptr;
  if (const auto key = source.PartitionKeyIndex(field.name)) {
    if (*key >= item.split->partition().size()) return nullptr;
    return OfConstant(source.columns[column].type, field, item.split->partition()[*key]);
  }
  const SplitFile* file = FileOf(item);
  return file == nullptr ? nullptr : OfFile(source, *file, column);
}

bool MayPass(duckdb::ClientContext& context, const PaimonFileList& files, duckdb::idx_t item,
             const duckdb::vector<duckdb::ColumnIndex>& column_ids, const duckdb::TableFilterSet& filters) {
  bool may_pass = true;
  ForEachFilter(filters, [&](duckdb::idx_t index, const duckdb::TableFilter& filter) {
    if (!may_pass || index >= column_ids.size()) return;
    const duckdb::column_t column = column_ids[index].GetPrimaryIndex();
    auto statistics = column == duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX
                          ? OfItemNumber(item)
                          : ItemStatistics(files, files.items()[item], column);
    may_pass = !statistics || !RulesOut(context, filter, *statistics);
  });
  return may_pass;
}

duckdb::vector<duckdb::PartitionStatistics> PartitionStatisticsOf(const PaimonFileList& files) {
  const auto shared = duckdb::make_shared_ptr<const PaimonFileList>(files);
  duckdb::vector<duckdb::PartitionStatistics> partitions;
  for (size_t i = 0; i < shared->items().size(); ++i) {
    const std::optional<int64_t> rows = ExactRows(files.source(), shared->items()[i]);
    if (!rows) return {};
    duckdb::PartitionStatistics partition;
    partition.count = static_cast<duckdb::idx_t>(*rows);
    partition.count_type = duckdb::CountType::COUNT_EXACT;
    partition.partition_row_group = duckdb::make_shared_ptr<ItemRowGroup>(shared, i);
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

}  // namespace bactrian::sql
