#include "bactrian/table/read/merged_split_reader.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "bactrian/expr/evaluate.h"
#include "bactrian/merge/spill.h"
#include "bactrian/merge/table_merge.h"
#include "bactrian/table/plan/key_sections.h"
#include "bactrian/table/read/chained_reader.h"
#include "bactrian/table/read/file_reader.h"
#include "bactrian/table/read/merge_spec.h"

namespace bactrian {
namespace {

using ReaderPtr = std::shared_ptr<arrow::RecordBatchReader>;

/// A section of one run: each record is its key's only one, so nothing is merged; -U and -D rows are dropped.
class SingleRunReader final : public arrow::RecordBatchReader {
 public:
  SingleRunReader(std::shared_ptr<const MergeSpec> spec, ReaderPtr source)
      : spec_(std::move(spec)), source_(std::move(source)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->scan->schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    do {
      ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
      if (!*batch) return arrow::Status::OK();
      if (!spec_->options.keep_retracts) {
        const int kind = spec_->alone->schema->GetFieldIndex(std::string(kValueKindColumn));
        const auto& kinds = static_cast<const arrow::Int8Array&>(*(*batch)->column(kind));
        mask_.resize(kinds.length());
        for (int64_t i = 0; i < kinds.length(); ++i) mask_[i] = !IsRetract(RowKind{kinds.Value(i)});
        ARROW_ASSIGN_OR_RAISE(*batch, FilterByMask(*batch, mask_.data(), spec_->options.pool));
      }
    } while ((*batch)->num_rows() == 0);
    if (spec_->alone_adds_kind) {
      arrow::ArrayVector columns = (*batch)->columns();
      columns.pop_back();
      *batch = arrow::RecordBatch::Make(schema(), (*batch)->num_rows(), std::move(columns));
    }
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<const MergeSpec> spec_;
  ReaderPtr source_;
  std::vector<uint8_t> mask_;
};

/// Checks the predicate on merged rows and leaves what the scan asked for.
class FinishingReader final : public arrow::RecordBatchReader {
 public:
  FinishingReader(std::shared_ptr<const MergeSpec> spec, ReaderPtr source)
      : spec_(std::move(spec)), source_(std::move(source)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return spec_->scan->schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    do {
      ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
      if (!*batch) return arrow::Status::OK();
      if (spec_->residual) {
        mask_.resize((*batch)->num_rows());
        ARROW_RETURN_NOT_OK(spec_->residual->Evaluate(**batch, mask_.data()));
        ARROW_ASSIGN_OR_RAISE(*batch, FilterByMask(*batch, mask_.data(), spec_->options.pool));
      }
    } while ((*batch)->num_rows() == 0);
    arrow::ArrayVector columns;
    arrow::compute::ExecContext context(spec_->options.pool);
    for (int i = 0; i < schema()->num_fields(); ++i) {
      std::shared_ptr<arrow::Array>& column = columns.emplace_back((*batch)->column(i));
      const std::shared_ptr<arrow::DataType>& type = schema()->field(i)->type();
      if (column->type()->Equals(*type)) continue;
      ARROW_ASSIGN_OR_RAISE(column, arrow::compute::Cast(*column, type, arrow::compute::CastOptions::Safe(), &context));
    }
    *batch = arrow::RecordBatch::Make(schema(), (*batch)->num_rows(), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<const MergeSpec> spec_;
  ReaderPtr source_;
  std::vector<uint8_t> mask_;
};

class SectionOpener {
 public:
  SectionOpener(std::shared_ptr<const MergeSpec> spec, std::shared_ptr<const DataSplit> split)
      : spec_(std::move(spec)), split_(std::move(split)) {}

  arrow::Result<ReaderPtr> Open(const Section& section) const {
    if (section.size() == 1) {
      Files files = FilesOf(section.front());
      if (spec_->alone_adds_kind && HaveNoRetracts(files)) return OpenFiles(spec_->scan, std::move(files), /*in_layout=*/false);
      return std::make_shared<SingleRunReader>(spec_, OpenFiles(spec_->alone, std::move(files), /*in_layout=*/false));
    }
    ARROW_ASSIGN_OR_RAISE(std::vector<SortedRun> runs, OpenRuns(RunsOf(section)));
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<MergeFunction> function,
                          MakeTableMergeFunction(*spec_->scan->context.schema, spec_->layout));
    ARROW_ASSIGN_OR_RAISE(ReaderPtr merged, MergeRuns(spec_->layout, std::move(runs), std::move(function), spec_->options));
    return std::make_shared<FinishingReader>(spec_, std::move(merged));
  }

 private:
  using Files = std::vector<const SplitFile*>;
  static constexpr int64_t kRowsOfAllRuns = int64_t{1} << 15;
  static constexpr int64_t kMinReadAhead = 64 << 10;  // of a run

  Files FilesOf(const RunOfFiles& run) const {
    Files files;
    for (const KeyRange& range : run) files.push_back(&split_->files[range.file]);
    return files;
  }

  /// Where levels count, a run holds files of one level only.
  std::vector<Files> RunsOf(const Section& section) const {
    std::vector<Files> runs;
    std::map<int32_t, size_t> by_level;
    for (const RunOfFiles& run : section) {
      if (!spec_->options.newest_level_only) {
        runs.push_back(FilesOf(run));
        continue;
      }
      for (const SplitFile* file : FilesOf(run)) {
        const int32_t level = file->meta->level;
        if (level == 0 || !by_level.contains(level)) {
          if (level > 0) by_level[level] = runs.size();
          runs.push_back({file});
        } else {
          runs[by_level[level]].push_back(file);
        }
      }
    }
    for (auto [level, run] : by_level) SortByKey(section, &runs[run]);
    return runs;
  }

  static bool HaveNoRetracts(const Files& files) {
    return std::all_of(files.begin(), files.end(), [](const SplitFile* file) { return file->meta->delete_row_count == 0; });
  }

  /// Whether all records of a run were written before or after all of any other, so that the files' sequence numbers put the
  /// records of a key in order. Metadata that gives a file fewer numbers than rows is not believed.
  static bool AreOneAfterTheOther(const std::vector<Files>& runs) {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const Files& run : runs) {
      auto& [first, last] = ranges.emplace_back(INT64_MAX, INT64_MIN);
      for (const SplitFile* file : run) {
        const DataFileMeta& meta = *file->meta;
        if (meta.min_sequence_number < 0 || meta.max_sequence_number - meta.min_sequence_number < meta.row_count - 1)
          return false;
        first = std::min(first, meta.min_sequence_number);
        last = std::max(last, meta.max_sequence_number);
      }
    }
    std::sort(ranges.begin(), ranges.end());
    const auto overlap = [](const auto& a, const auto& b) { return a.second >= b.first; };
    return std::adjacent_find(ranges.begin(), ranges.end(), overlap) == ranges.end();
  }

  /// What to read of files of these runs: batches and bytes ahead by how many there are, and without the sequence numbers and
  /// kinds that the files' metadata tells.
  arrow::Result<std::shared_ptr<const ReadSpec>> SpecOf(const std::vector<Files>& runs, int64_t budget) const {
    auto spec = std::make_shared<ReadSpec>(*spec_->overlapping);
    // Each run holds a batch: many of them are better short than out of the processor's caches.
    const auto num_runs = static_cast<int64_t>(runs.size());
    spec->batch_rows = std::clamp(kRowsOfAllRuns / num_runs, std::min<int64_t>(1024, spec->batch_rows), spec->batch_rows);
    spec->read_ahead_bytes = std::max(std::min(spec->read_ahead_bytes, budget / 2) / num_runs, kMinReadAhead);
    const bool knows_order = !spec_->shows_sequences && AreOneAfterTheOther(runs);
    const bool knows_kinds = !spec_->shows_kinds && std::all_of(runs.begin(), runs.end(), HaveNoRetracts);
    std::erase_if(spec->fields, [&](const Field& field) {
      return (knows_order && field.id == kSequenceNumberFieldId) || (knows_kinds && field.id == kValueKindFieldId);
    });
    ARROW_ASSIGN_OR_RAISE(spec->schema, BatchSchema(spec->fields, spec->string_views));
    return spec;
  }

  /// More runs than fit the session's memory are interleaved in groups of one level first, and spilled.
  arrow::Result<std::vector<SortedRun>> OpenRuns(const std::vector<Files>& runs) const {
    const int64_t limit = spec_->scan->session->options().memory_limit_bytes;
    const int64_t budget = limit > 0 ? limit / 3 : INT64_MAX;
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const ReadSpec> file_spec, SpecOf(runs, budget));
    std::map<int32_t, std::vector<Files>> by_level;
    int64_t bytes = 0;
    for (const Files& run : runs) {
      by_level[run.front()->meta->level].push_back(run);
      bytes += MemoryOf(run, *file_spec);
    }
    // What was spilled is read back in batches short enough to count for little.
    const int64_t spilled_rows = std::max<int64_t>(file_spec->batch_rows / 8, 256);
    std::vector<SortedRun> opened;
    for (const auto& [level, of_level] : by_level) {
      const auto open = [&, level = level](const Files& run) {
        return SortedRun{OpenFiles(file_spec, run, /*in_layout=*/true), level};
      };
      for (size_t i = 0; i < of_level.size();) {
        std::vector<SortedRun> group;
        for (int64_t held = 0; i < of_level.size() && bytes > budget; ++i) {
          const int64_t needed = MemoryOf(of_level[i], *file_spec);
          if (group.size() > 1 && held + needed > budget) break;
          held += needed;
          bytes -= needed;
          group.push_back(open(of_level[i]));
        }
        if (group.empty()) {
          opened.push_back(open(of_level[i++]));
        } else if (group.size() == 1) {
          opened.push_back(std::move(group[0]));
        } else {
          ARROW_ASSIGN_OR_RAISE(opened.emplace_back(), SpillRuns(spec_->layout, std::move(group), spilled_rows,
                                                                 std::filesystem::temp_directory_path(), spec_->options.pool));
        }
      }
    }
    return opened;
  }

  /// Roughly what a run takes up while it is merged: what is read ahead of one file, a page of each column and a decoded batch.
  static int64_t MemoryOf(const Files& run, const ReadSpec& spec) {
    constexpr int64_t kExpansion = 4, kPage = 512 << 10;
    const int64_t pages = static_cast<int64_t>(spec.fields.size()) * kPage;
    int64_t most = 0;
    for (const SplitFile* file : run) {
      const int64_t rows = std::max<int64_t>(file->meta->row_count, 1), size = std::max<int64_t>(file->meta->file_size, 0);
      const double part = static_cast<double>(std::min(spec.batch_rows, rows)) / static_cast<double>(rows);
      const auto batch = static_cast<int64_t>(static_cast<double>(size) * kExpansion * part);
      most = std::max(most, std::min(size, spec.read_ahead_bytes) + std::min(size * kExpansion, pages) + batch);
    }
    return most;
  }

  void SortByKey(const Section& section, Files* run) const {
    std::map<const SplitFile*, const KeyRange*> ranges;
    for (const RunOfFiles& files : section) {
      for (const KeyRange& range : files) ranges[&split_->files[range.file]] = &range;
    }
    std::sort(run->begin(), run->end(),
              [&](const SplitFile* a, const SplitFile* b) { return CompareKeys(ranges[a]->min, ranges[b]->min) < 0; });
  }

  ReaderPtr OpenFiles(const std::shared_ptr<const ReadSpec>& file_spec, Files files, bool in_layout) const {
    auto open = [spec = spec_, split = split_, file_spec, in_layout, files = std::move(files), next = size_t{0},
                 compiled = CompiledProjection()](size_t) mutable -> arrow::Result<ReaderPtr> {
      while (next < files.size()) {
        const SplitFile& file = *files[next++];
        ARROW_ASSIGN_OR_RAISE(ReaderPtr reader, OpenDataFile(file_spec, *split, file, &compiled));
        if (!reader) continue;
        return in_layout ? MakeLayoutReader(spec, std::move(reader), file.meta->min_sequence_number) : std::move(reader);
      }
      return nullptr;
    };
    return std::make_shared<ChainedReader>(in_layout ? spec_->layout_schema : file_spec->schema, std::move(open), std::nullopt);
  }

  std::shared_ptr<const MergeSpec> spec_;
  std::shared_ptr<const DataSplit> split_;
};

}  // namespace

arrow::Result<ReaderPtr> MakeMergedSplitReader(std::shared_ptr<const ReadSpec> scan, std::shared_ptr<const DataSplit> split) {
  ARROW_ASSIGN_OR_RAISE(std::vector<Section> sections, SectionsOf(*scan->context.schema, split->files));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const MergeSpec> spec, MakeMergeSpec(std::move(scan)));
  auto open = [spec, sections = std::move(sections),
               opener = SectionOpener(spec, std::move(split))](size_t i) -> arrow::Result<ReaderPtr> {
    if (i == sections.size()) return nullptr;
    return opener.Open(sections[i]);
  };
  return std::make_shared<ChainedReader>(spec->scan->schema, std::move(open), spec->scan->limit);
}

}  // namespace bactrian
