#include "split_reader.h"

#include <arrow/record_batch.h>

#include "column_mapping.h"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "errors.h"

namespace bactrian::sql {

namespace {

std::shared_ptr<const Split> SplitOf(const PaimonFileList::Item& item) {
  if (!item.file) return item.split;
  auto single = std::make_shared<DataSplit>(static_cast<const DataSplit&>(*item.split));
  single->files = {single->files[*item.file]};
  return single;
}

}  // namespace

SplitReader::SplitReader(duckdb::OpenFileInfo file, std::shared_ptr<const ScanSource> source, PredicatePtr predicate,
                         const PaimonFileList::Item& item)
    : ScanFileReader(std::move(file)), source_(std::move(source)), predicate_(std::move(predicate)), split_(SplitOf(item)) {
  columns = GlobalColumns(*source_);
}

void SplitReader::AddVirtualColumn(duckdb::column_t virtual_column_id) {
  if (virtual_column_id != duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER) {
    throw duckdb::InternalException("a Paimon split has no virtual column %d", virtual_column_id);
  }
  row_number_column_ = columns.size() - 1;  // the caller has just appended its definition
}

bool SplitReader::TryInitializeScan(duckdb::ClientContext&, duckdb::GlobalTableFunctionState&,
                                    duckdb::LocalTableFunctionState&) {
  return !std::exchange(handed_out_, true);
}

void SplitReader::Open(duckdb::ClientContext& context) {
  std::vector<std::string> names;
  std::vector<Field> fields;
  for (duckdb::idx_t i = 0; i < column_ids.size(); ++i) {
    const duckdb::idx_t column = column_ids[duckdb::MultiFileLocalIndex(i)].GetId();
    if (row_number_column_ == column) {
      row_number_target_ = i;
      continue;
    }
    names.push_back(source_->fields()[column].name);
    fields.push_back(source_->fields()[column]);
    targets_.push_back(i);
  }
  if (names.empty()) {  // count(*): any column tells how many rows there are
    names.push_back(source_->fields()[0].name);
    fields.push_back(source_->fields()[0]);
  }
  // Row numbers name a row for a second look at the split: every row must be counted, whatever the filters.
  const PredicatePtr predicate = row_number_target_ ? nullptr : predicate_;
  chunks_ = std::make_unique<ArrowChunkSource>(context, ValueOrThrow(source_->Read(*split_, std::move(names), predicate)),
                                               std::move(fields));
  if (filters) {
    ForEachFilter(*filters, [&](duckdb::idx_t index, const duckdb::TableFilter& filter) {
      filters_.push_back({index, filter, duckdb::TableFilterState::Initialize(context, filter)});
    });
  }
}

duckdb::AsyncResult SplitReader::Scan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState&,
                                      duckdb::LocalTableFunctionState&, duckdb::DataChunk& chunk) {
  if (chunks_ == nullptr) Open(context);
  do {
    chunk.Reset();
    if (!chunks_->Next(chunk, targets_)) return duckdb::AsyncResult(duckdb::SourceResultType::FINISHED);
    NumberRows(chunk);
    ApplyFilters(chunk);
  } while (chunk.size() == 0);
  return duckdb::AsyncResult(duckdb::SourceResultType::HAVE_MORE_OUTPUT);
}

void SplitReader::NumberRows(duckdb::DataChunk& chunk) {
  if (row_number_target_) chunk.data[*row_number_target_].Sequence(next_row_number_, 1, chunk.size());
  next_row_number_ += static_cast<int64_t>(chunk.size());
}

void SplitReader::ApplyFilters(duckdb::DataChunk& chunk) {
  if (filters_.empty()) return;
  duckdb::idx_t approved = chunk.size();
  duckdb::SelectionVector selection(duckdb::idx_t{0}, approved);
  for (const auto& [index, filter, state] : filters_) {
    if (approved == 0) break;
    duckdb::Vector& vector = chunk.data[index];
    FilterRows(vector, filter, *state, chunk.size(), selection, approved);
  }
  if (approved == 0) {
    chunk.Reset();
  } else if (approved < chunk.size()) {
    chunk.Slice(selection, approved);
  }
}

}  // namespace bactrian::sql
