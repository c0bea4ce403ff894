#include "bactrian/table/maintain/compaction_task.h"

#include <algorithm>

#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

double DeletedShare(const SplitFile& file) {
  if (!file.deletion || file.meta->row_count <= 0) return 0;
  // Without a count the vector is not read for planning: it is there to delete something.
  if (!file.deletion->range.cardinality) return 1;
  return static_cast<double>(*file.deletion->range.cardinality) / static_cast<double>(file.meta->row_count);
}

}  // namespace

int FileCompactionTask::num_files() const {
  int files = 0;
  for (const DataSplit& group : groups) files += group.num_files();
  return files;
}

int64_t FileCompactionTask::bytes() const {
  int64_t bytes = 0;
  for (const DataSplit& group : groups) bytes += group.bytes();
  return bytes;
}

arrow::Result<CompactionRule> CompactionRule::Make(const TableSchema& schema, const CompactionOptions& given) {
  const CoreOptions options(schema.options);
  CompactionRule rule;
  ARROW_ASSIGN_OR_RAISE(rule.target_bytes, options.GetMemorySize("target-file-size", int64_t{256} << 20));
  ARROW_ASSIGN_OR_RAISE(const double ratio, options.GetDouble("compaction.small-file-ratio", 0.7));
  ARROW_ASSIGN_OR_RAISE(rule.min_files, options.GetInt("compaction.min.file-num", 5));
  ARROW_ASSIGN_OR_RAISE(rule.delete_ratio, options.GetDouble("compaction.delete-ratio-threshold", 0.2));
  ARROW_ASSIGN_OR_RAISE(const int64_t buckets, options.bucket());
  if (ratio <= 0 || ratio > 1) return Invalid("option compaction.small-file-ratio must be above 0 and at most 1");
  rule.small_bytes = static_cast<int64_t>(static_cast<double>(rule.target_bytes) * ratio);
  rule.min_files = given.full ? 2 : std::max<int64_t>(rule.min_files, 2);
  rule.full = given.full;
  rule.keep_order = buckets > 0;
  return rule;
}

bool CompactionRule::Wants(const SplitFile& file) const {
  const double deleted = DeletedShare(file);
  return file.meta->file_size < small_bytes || deleted > delete_ratio || (full && deleted > 0);
}

std::vector<std::vector<SplitFile>> GroupFiles(const CompactionRule& rule, const std::vector<SplitFile>& files) {
  std::vector<std::vector<SplitFile>> groups;
  std::vector<SplitFile> group;
  int64_t bytes = 0;
  const auto close = [&] {
    const bool deletes = std::any_of(group.begin(), group.end(), [&](const SplitFile& file) {
      return DeletedShare(file) > (rule.full ? 0 : rule.delete_ratio);
    });
    const bool worth_while =
        static_cast<int64_t>(group.size()) >= rule.min_files || (group.size() > 1 && bytes >= rule.target_bytes);
    if (worth_while || deletes) groups.push_back(std::move(group));
    group.clear();
    bytes = 0;
  };
  for (const SplitFile& file : files) {
    if (rule.Wants(file)) {
      group.push_back(file);
      bytes += file.meta->file_size;
      if (bytes >= rule.target_bytes) close();
    } else if (rule.keep_order) {
      close();
    }
  }
  close();
  return groups;
}

}  // namespace bactrian
