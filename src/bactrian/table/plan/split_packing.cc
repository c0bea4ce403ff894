#include "bactrian/table/plan/split_packing.h"

#include <algorithm>
#include <utility>

#include "bactrian/table/plan/key_sections.h"
#include "bactrian/table/plan/row_groups.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

std::shared_ptr<const Split> MakeSplit(const DataSplit& head, std::vector<SplitFile> files, bool raw) {
  auto split = std::make_shared<DataSplit>(head);
  split->files = std::move(files);
  split->raw = raw;
  return split;
}

}  // namespace

arrow::Result<SplitOptions> SplitOptions::Make(const TableSchema& schema) {
  SplitOptions made;
  const CoreOptions options(schema.options);
  ARROW_ASSIGN_OR_RAISE(made.target_size, options.GetMemorySize("source.split.target-size", made.target_size));
  ARROW_ASSIGN_OR_RAISE(made.open_file_cost, options.GetMemorySize("source.split.open-file-cost", made.open_file_cost));
  return made;
}

arrow::Status PackSplits(const TableSchema& schema, BucketFiles bucket, const SplitOptions& options,
                         std::vector<std::shared_ptr<const Split>>* splits) {
  std::vector<std::vector<SplitFile>> items;  // what must not be torn apart, in order
  if (bucket.head.evolves) {
    ARROW_ASSIGN_OR_RAISE(items, GroupByRows(bucket.files));
  } else if (bucket.raw) {
    std::stable_sort(bucket.files.begin(), bucket.files.end(), [](const SplitFile& a, const SplitFile& b) {
      return a.meta->min_sequence_number < b.meta->min_sequence_number;
    });
    for (SplitFile& file : bucket.files) items.emplace_back().push_back(std::move(file));
  } else {
    ARROW_ASSIGN_OR_RAISE(const std::vector<Section> sections, SectionsOf(schema, bucket.files));
    for (const Section& section : sections) {
      std::vector<SplitFile>& item = items.emplace_back();
      for (const RunOfFiles& run : section) {
        for (const KeyRange& file : run) item.push_back(std::move(bucket.files[file.file]));
      }
    }
  }
  std::vector<SplitFile> bin;
  int64_t bin_weight = 0;
  auto close_bin = [&] {
    if (bin.empty()) return;
    const bool raw = bucket.raw || (bin.size() == 1 && (bucket.head.evolves || IsRawConvertible(schema, bin)));
    splits->push_back(MakeSplit(bucket.head, std::exchange(bin, {}), raw));
    bin_weight = 0;
  };
  for (std::vector<SplitFile>& item : items) {
    int64_t size = 0;
    for (const SplitFile& file : item) size += file.meta->file_size;
    const int64_t weight = std::max(size, options.open_file_cost);
    if (bin_weight + weight > options.target_size) close_bin();
    for (SplitFile& file : item) bin.push_back(std::move(file));
    bin_weight += weight;
  }
  close_bin();
  return arrow::Status::OK();
}

bool IsRawConvertible(const TableSchema& schema, const std::vector<SplitFile>& files) {
  const CoreOptions options(schema.options);
  auto has_delete_rows = [](const SplitFile& file) { return file.meta->delete_row_count.value_or(0) != 0; };
  if (std::any_of(files.begin(), files.end(), has_delete_rows)) return false;
  if (files.size() == 1) return true;
  auto is_level_0 = [](const SplitFile& file) { return file.meta->level == 0; };
  if (std::any_of(files.begin(), files.end(), is_level_0)) return false;
  if (options.GetBool("deletion-vectors.enabled", false).ValueOr(false)) return true;
  if (options.GetString("merge-engine", "deduplicate") == "first-row") return true;
  auto same_level = [&](const SplitFile& file) { return file.meta->level == files.front().meta->level; };
  return std::all_of(files.begin(), files.end(), same_level);
}

}  // namespace bactrian
