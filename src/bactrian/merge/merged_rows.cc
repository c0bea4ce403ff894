#include "bactrian/merge/merged_rows.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace bactrian {

bool HasRetracts(const KeyValueLayout& layout, const arrow::RecordBatch& batch) {
  const auto& data = *batch.column_data(layout.kind_index());
  const int8_t* kinds = data.GetValues<int8_t>(1);
  bool any = false;  // without an early exit the loop is a few vector instructions
  for (int64_t i = 0; i < data.length; ++i) any |= IsRetract(RowKind{kinds[i]});
  return any;
}

arrow::Result<std::unique_ptr<MergedRows>> MergedRows::Make(const KeyValueLayout& layout,
                                                            std::unique_ptr<MergeFunction> function, MergeOptions options) {
  if (options.pool == nullptr) options.pool = arrow::default_memory_pool();
  if (options.output_columns.empty()) {
    options.output_columns.resize(layout.num_columns());
    std::iota(options.output_columns.begin(), options.output_columns.end(), 0);
  }
  std::unique_ptr<MergedRows> rows(new MergedRows(layout, std::move(function), std::move(options)));
  ARROW_ASSIGN_OR_RAISE(rows->input_schema_, layout.ArrowSchema());
  arrow::FieldVector fields;
  for (const int c : rows->options_.output_columns) fields.push_back(rows->input_schema_->field(c));
  rows->schema_ = arrow::schema(std::move(fields));
  return rows;
}

uint32_t MergedRows::AddSource(MergeSource source) {
  NoteSource(source);
  sources_.push_back(std::move(source));
  return static_cast<uint32_t>(sources_.size()) - 1;
}

void MergedRows::NoteSource(const MergeSource& source) {
  batches_.push_back(source.batch);
  sequence_numbers_.push_back(source.batch->column_data(layout_.sequence_index())->GetValues<int64_t>(1));
  kinds_.push_back(source.batch->column_data(layout_.kind_index())->GetValues<int8_t>(1));
}

void MergedRows::AddRows(uint32_t source, int64_t start, int64_t length) {
  num_keys_ += length;
  if (!segments_.empty()) {
    Segment& last = segments_.back();
    if (last.source == source && last.start + last.length == start) {
      last.length += static_cast<uint32_t>(length);
      return;
    }
  }
  segments_.push_back({source, static_cast<uint32_t>(start), static_cast<uint32_t>(length)});
}

void MergedRows::AddGroup(std::span<const RowRef> records) {
  std::vector<RowRef>& rows = groups_.rows;
  const size_t begin = rows.size();
  rows.insert(rows.end(), records.begin(), records.end());
  if (options_.newest_level_only) KeepNewestLevel(begin);
  if (rows.size() - begin == 1) {
    AddRows(rows[begin].source, rows[begin].row, 1);
    rows.resize(begin);
    return;
  }
  SortGroup(begin);
  segments_.push_back({kGroup, static_cast<uint32_t>(groups_.num_groups()), 1});
  groups_.offsets.push_back(static_cast<uint32_t>(rows.size()));
  ++num_keys_;
}

void MergedRows::KeepNewestLevel(size_t begin) {
  std::vector<RowRef>& rows = groups_.rows;
  int32_t newest = std::numeric_limits<int32_t>::max();
  for (size_t r = begin; r < rows.size(); ++r) {
    const int32_t level = sources_[rows[r].source].level;
    if (level > 0) newest = std::min(newest, level);
  }
  const auto is_older = [&](const RowRef& r) { return sources_[r.source].level > newest; };
  rows.erase(std::remove_if(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(), is_older), rows.end());
}

/// Insertion sort: groups are small and mostly in order.
void MergedRows::SortGroup(size_t begin) {
  std::vector<RowRef>& rows = groups_.rows;
  for (size_t i = begin + 1; i < rows.size(); ++i) {
    const RowRef row = rows[i];
    size_t at = i;
    while (at > begin && Before(row, rows[at - 1])) {
      rows[at] = rows[at - 1];
      --at;
    }
    rows[at] = row;
  }
}

bool MergedRows::Before(const RowRef& a, const RowRef& b) const {
  if (sources_[a.source].sequences != nullptr) {
    const int order = sources_[a.source].sequences->Compare(a.row, *sources_[b.source].sequences, b.row);
    if (order != 0) return order < 0;
  }
  const int64_t x = sequence_numbers_[a.source][a.row], y = sequence_numbers_[b.source][b.row];
  if (x != y) return x < y;
  return IsRetractAt(a.source, a.row) && !IsRetractAt(b.source, b.row);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MergedRows::Flush(std::vector<int64_t>* kept) {
  ARROW_RETURN_NOT_OK(ResolveGroups());
  DropRetracts(kept);
  int64_t num_rows = 0;
  for (const Segment& s : segments_) num_rows += s.length;
  std::shared_ptr<arrow::RecordBatch> batch;
  if (num_rows > 0) {
    arrow::ArrayVector columns, parts(batches_.size());
    for (const int c : options_.output_columns) {
      for (size_t s = 0; s < batches_.size(); ++s) parts[s] = batches_[s]->column(c);
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(),
                            Gather(input_schema_->field(c)->type(), parts, segments_, num_rows, options_.pool));
    }
    batch = arrow::RecordBatch::Make(schema_, num_rows, std::move(columns));
  }
  segments_.clear();
  groups_.rows.clear();
  groups_.offsets.assign(1, 0);
  batches_.clear();
  sources_.clear();
  sequence_numbers_.clear();
  kinds_.clear();
  num_keys_ = 0;
  return batch;
}

/// Puts rows in the place of groups; a group without a row becomes an empty segment.
arrow::Status MergedRows::ResolveGroups() {
  if (groups_.num_groups() == 0) return arrow::Status::OK();
  groups_.sources = batches_;
  groups_.levels.clear();
  for (const MergeSource& source : sources_) groups_.levels.push_back(source.level);
  if (!function_->selects()) {
    ARROW_ASSIGN_OR_RAISE(auto computed, function_->Compute(groups_, options_.pool));
    const uint32_t source = AddSource({.batch = std::move(computed)});
    for (Segment& s : segments_) {
      if (s.source == kGroup) s.source = source;
    }
    return arrow::Status::OK();
  }
  std::vector<int32_t> winners(groups_.num_groups());
  ARROW_RETURN_NOT_OK(function_->Select(groups_, winners.data()));
  for (Segment& s : segments_) {
    if (s.source != kGroup) continue;
    const int32_t winner = winners[s.start];
    s = winner < 0 ? Segment{0, 0, 0} : Segment{groups_.rows[winner].source, groups_.rows[winner].row, 1};
  }
  return arrow::Status::OK();
}

/// Cuts -U and -D rows, and empty segments, out of the segments.
void MergedRows::DropRetracts(std::vector<int64_t>* kept) {
  std::vector<Segment> left;
  left.reserve(segments_.size());
  int64_t key = 0;
  for (const Segment& s : segments_) {
    const auto keep = [&](uint32_t begin, uint32_t end) {
      if (begin == end) return;
      left.push_back({s.source, begin, end - begin});
      for (uint32_t row = begin; kept != nullptr && row < end; ++row) kept->push_back(key + (row - s.start));
    };
    const uint32_t end = s.start + s.length;
    if (s.length > 0 && (options_.keep_retracts || !sources_[s.source].has_retracts)) {
      keep(s.start, end);
    } else {
      for (uint32_t row = s.start; row < end;) {
        while (row < end && IsRetractAt(s.source, row)) ++row;
        const uint32_t begin = row;
        while (row < end && !IsRetractAt(s.source, row)) ++row;
        keep(begin, row);
      }
    }
    key += std::max<uint32_t>(s.length, 1);
  }
  segments_ = std::move(left);
}

}  // namespace bactrian
