#include "file_list.h"

#include "bactrian/format/file_format.h"
#include "errors.h"
#include "filter_pushdown.h"

namespace bactrian::sql {

namespace {

constexpr char kItemOption[] = "bactrian_item";

bool IsLocalPath(const std::string& path) { return !path.empty() && path[0] == '/'; }

/// Whether DuckDB's reader may decode the file; its columns are looked at once it is open.
bool IsParquetFile(const SplitFile& file) {
  arrow::Result<const FileFormat*> format = FormatOfFile(file.meta->file_name);
  return format.ok() && (*format)->identifier() == "parquet" && IsLocalPath(file.path);
}

}  // namespace

PaimonFileList::PaimonFileList(std::shared_ptr<const ScanSource> source, std::shared_ptr<Plan> plan, PredicatePtr predicate)
    : source_(std::move(source)), plan_(std::move(plan)), predicate_(std::move(predicate)) {
  for (const auto& split : plan_->splits()) {
    const auto* data_split = dynamic_cast<const DataSplit*>(split.get());
    // What is no row of the table as the file has it, a log's, a change or another branch's, is not for DuckDB to decode.
    const bool as_stored = source_->table->context() != nullptr && data_split != nullptr && data_split->raw &&
                           !data_split->changes && data_split->branch == nullptr;
    const bool by_file = as_stored && std::all_of(data_split->files.begin(), data_split->files.end(), IsParquetFile);
    if (!by_file) {
      items_.push_back({split, std::nullopt});
      continue;
    }
    for (size_t file = 0; file < data_split->files.size(); ++file) items_.push_back({split, file});
  }
}

duckdb::shared_ptr<PaimonFileList> PaimonFileList::Make(std::shared_ptr<const ScanSource> source) {
  std::shared_ptr<Plan> plan = ValueOrThrow(source->BasePlan());
  return duckdb::make_shared_ptr<PaimonFileList>(std::move(source), std::move(plan), nullptr);
}

const PaimonFileList::Item& PaimonFileList::item(const duckdb::OpenFileInfo& file) const { return items_[ItemIndex(file)]; }

duckdb::idx_t PaimonFileList::ItemIndex(const duckdb::OpenFileInfo& file) {
  return file.extended_info->options.at(kItemOption).GetValue<duckdb::idx_t>();
}

duckdb::unique_ptr<duckdb::MultiFileList> PaimonFileList::ComplexFilterPushdown(
    duckdb::ClientContext& context, const duckdb::MultiFileOptions& options, duckdb::MultiFilePushdownInfo& info,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const {
  PredicatePtr predicate = TranslateFilters(*source_, info, filters);
  if (predicate == nullptr) return nullptr;
  if (predicate_ != nullptr) predicate = Predicate::And({predicate_, predicate});
  std::shared_ptr<Plan> plan = ValueOrThrow(source_->FilteredPlan(predicate));
  return duckdb::make_uniq<PaimonFileList>(source_, std::move(plan), std::move(predicate));
}

duckdb::vector<duckdb::OpenFileInfo> PaimonFileList::GetAllFiles() const {
  duckdb::vector<duckdb::OpenFileInfo> files;
  for (duckdb::idx_t i = 0; i < items_.size(); ++i) files.push_back(GetFile(i));
  return files;
}

duckdb::FileExpandResult PaimonFileList::GetExpandResult() const {
  // Never SINGLE_FILE: DuckDB would scan that one with as many threads as the row groups of a file it has not opened, none.
  return items_.empty() ? duckdb::FileExpandResult::NO_FILES : duckdb::FileExpandResult::MULTIPLE_FILES;
}

duckdb::OpenFileInfo PaimonFileList::GetFile(duckdb::idx_t i) const {
  if (i >= items_.size()) return duckdb::OpenFileInfo();
  const Item& item = items_[i];
  auto info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
  info->options[kItemOption] = duckdb::Value::UBIGINT(i);
  std::string path;
  if (item.file) {
    const SplitFile& file = static_cast<const DataSplit&>(*item.split).files[*item.file];
    path = file.path;
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
  const PlanStatistics& statistics = plan_->statistics();
  if (statistics.row_count_precision == Precision::kAbsent) return nullptr;
  const auto rows = static_cast<duckdb::idx_t>(statistics.row_count);
  // With a filter the plan's rows are those of the files kept: an upper bound, and no worse an estimate than DuckDB has.
  return duckdb::make_uniq<duckdb::NodeStatistics>(rows, rows);
}

duckdb::unique_ptr<duckdb::MultiFileList> PaimonFileList::Copy() const {
  return duckdb::make_uniq<PaimonFileList>(source_, plan_, predicate_);
}

}  // namespace bactrian::sql
