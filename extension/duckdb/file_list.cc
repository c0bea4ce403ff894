#include "file_list.h"

#include "bactrian/format/file_format.h"
#include "errors.h"
#include "filter_pushdown.h"
#include "key_lookup.h"
#include "partition_filters.h"
#include "store_file_system.h"

namespace bactrian::sql {

namespace {

constexpr char kItemOption[] = "bactrian_item";
constexpr int64_t kOneThreadRows = 122'880;  ///< no more than DuckDB has in one row group

/// Whether DuckDB's reader may decode the file; its columns are looked at once it is open.
bool IsParquetFile(const SplitFile& file) {
  arrow::Result<const FileFormat*> format = FormatOfFile(file.meta->file_name);
  return format.ok() && (*format)->identifier() == "parquet";
}

int64_t RowsOf(const PaimonFileList::Item& item) {
  return item.file ? static_cast<const DataSplit&>(*item.split).files[*item.file].meta->row_count : item.split->row_count();
}

std::vector<PaimonFileList::Item> ItemsOf(const ScanSource& source, const Plan& plan) {
  std::vector<PaimonFileList::Item> items;
  for (const auto& split : plan.splits()) {
    const auto* data_split = dynamic_cast<const DataSplit*>(split.get());
    const bool by_file =
        HoldsRowsAsStored(source, *split) && std::all_of(data_split->files.begin(), data_split->files.end(), IsParquetFile);
    if (!by_file) {
      items.push_back({split, std::nullopt});
      continue;
    }
    for (size_t file = 0; file < data_split->files.size(); ++file) items.push_back({split, file});
  }
  return items;
}

}  // namespace

bool HoldsRowsAsStored(const ScanSource& source, const Split& split) {
  const auto* data_split = dynamic_cast<const DataSplit*>(&split);
  return source.table->context() != nullptr && data_split != nullptr && data_split->raw && !data_split->changes &&
         data_split->branch == nullptr;
}

PaimonFileList::PaimonFileList(std::shared_ptr<const ScanSource> source, std::shared_ptr<Plan> plan, PredicatePtr predicate)
    : source_(std::move(source)), contents_(std::make_shared<Contents>()), predicate_(std::move(predicate)) {
  contents_->plan = std::move(plan);
}

const PaimonFileList::Contents& PaimonFileList::contents() const {
  std::call_once(contents_->planned, [&] {
    if (contents_->plan == nullptr) contents_->plan = ValueOrThrow(source_->BasePlan());
    contents_->items = ItemsOf(*source_, *contents_->plan);
  });
  return *contents_;
}

duckdb::shared_ptr<PaimonFileList> PaimonFileList::Choose(std::vector<size_t> order) const {
  auto chosen = duckdb::make_shared_ptr<PaimonFileList>(*this);
  chosen->order_ = std::move(order);
  return chosen;
}

duckdb::shared_ptr<PaimonFileList> PaimonFileList::Make(std::shared_ptr<const ScanSource> source) {
  return duckdb::make_shared_ptr<PaimonFileList>(std::move(source), nullptr, nullptr);
}

const PaimonFileList::Item& PaimonFileList::item(const duckdb::OpenFileInfo& file) const { return items()[ItemIndex(file)]; }

duckdb::idx_t PaimonFileList::ItemIndex(const duckdb::OpenFileInfo& file) {
  return file.extended_info->options.at(kItemOption).GetValue<duckdb::idx_t>();
}

duckdb::unique_ptr<duckdb::MultiFileList> PaimonFileList::ComplexFilterPushdown(
    duckdb::ClientContext& context, const duckdb::MultiFileOptions& options, duckdb::MultiFilePushdownInfo& info,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const {
  PredicatePtr predicate = TranslateFilters(*source_, info, filters);
  if (predicate == nullptr) return nullptr;
  if (predicate_ != nullptr) predicate = Predicate::And({predicate_, predicate});
  std::shared_ptr<Plan> plan = ValueOrThrow(source_->FilteredPlan(predicate, LooksUpKeys(context)));
  DropPartitionFilters(context, *source_, *plan, info, filters);
  return duckdb::make_uniq<PaimonFileList>(source_, std::move(plan), std::move(predicate));
}

duckdb::vector<duckdb::OpenFileInfo> PaimonFileList::GetAllFiles() const {
  duckdb::vector<duckdb::OpenFileInfo> files;
  for (duckdb::idx_t i = 0; i < GetTotalFileCount(); ++i) files.push_back(GetFile(i));
  return files;
}

duckdb::FileExpandResult PaimonFileList::GetExpandResult() const {
  if (GetTotalFileCount() == 0) return duckdb::FileExpandResult::NO_FILES;
  // SINGLE_FILE means one thread to DuckDB, which knows no row groups of a file that it has not opened.
  const bool small = GetTotalFileCount() == 1 && RowsOf(items()[NumberAt(0)]) <= kOneThreadRows;
  return small ? duckdb::FileExpandResult::SINGLE_FILE : duckdb::FileExpandResult::MULTIPLE_FILES;
}

duckdb::OpenFileInfo PaimonFileList::GetFile(duckdb::idx_t i) const {
  if (i >= GetTotalFileCount()) return duckdb::OpenFileInfo();
  const Item& item = items()[NumberAt(i)];
  auto info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
  info->options[kItemOption] = duckdb::Value::UBIGINT(NumberAt(i));
  std::string path;
  if (item.file) {
    const SplitFile& file = static_cast<const DataSplit&>(*item.split).files[*item.file];
    path = ToReaderPath(file.path);
    info->options["file_size"] = duckdb::Value::UBIGINT(static_cast<uint64_t>(file.meta->file_size));
    info->options["has_deletes"] = duckdb::Value::BOOLEAN(file.deletion.has_value());
  } else {
    path = item.split->bucket_path() + " (" + std::to_string(item.split->num_files()) + " files)";
  }
  duckdb::OpenFileInfo result(std::move(path));
  result.extended_info = std::move(info);
  return result;
}

duckdb::unique_ptr<duckdb::NodeStatistics> PaimonFileList::GetCardinality(duckdb::ClientContext&) const {
  const PlanStatistics& statistics = plan().statistics();
  if (statistics.row_count_precision == Precision::kAbsent) return nullptr;
  const auto rows = static_cast<duckdb::idx_t>(statistics.row_count);
  // With a filter the plan's rows are those of the files kept: an upper bound, and no worse an estimate than DuckDB has.
  return duckdb::make_uniq<duckdb::NodeStatistics>(rows, rows);
}

duckdb::unique_ptr<duckdb::MultiFileList> PaimonFileList::Copy() const { return duckdb::make_uniq<PaimonFileList>(*this); }

}  // namespace bactrian::sql
