#pragma once

#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "bactrian/write.h"

namespace bactrian {

/// The data files that a committer published last, so that messages which are handed in twice are refused without a look at
/// the whole table: a file that is added twice would leave the table unreadable. Thread-safe.
class PublishedFiles {
 public:
  /// kCommitConflict, naming the file.
  arrow::Status CheckNone(const std::vector<CommitMessagePtr>& messages) const;
  void Add(const std::vector<CommitMessagePtr>& messages);

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> names_;
};

}  // namespace bactrian
