#include "bactrian/table/commit/published_files.h"

#include "bactrian/status.h"
#include "bactrian/table/write/commit_message.h"

namespace bactrian {

namespace {

constexpr size_t kMaxNames = 100'000;

}  // namespace

arrow::Status PublishedFiles::CheckNone(const std::vector<CommitMessagePtr>& messages) const {
  std::lock_guard lock(mutex_);
  for (const CommitMessagePtr& message : messages) {
    for (const DataFileMeta& file : message->new_files) {
      if (names_.contains(file.file_name)) return CommitConflict("data file ", file.file_name, " is in the table already");
    }
  }
  return arrow::Status::OK();
}

void PublishedFiles::Add(const std::vector<CommitMessagePtr>& messages) {
  std::lock_guard lock(mutex_);
  if (names_.size() > kMaxNames) names_.clear();
  for (const CommitMessagePtr& message : messages) {
    for (const DataFileMeta& file : message->new_files) names_.insert(file.file_name);
  }
}

}  // namespace bactrian
