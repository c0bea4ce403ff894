/// Writing in two phases: a Writer makes files and returns commit messages, a Committer publishes them as one snapshot.
///
///   ARROW_ASSIGN_OR_RAISE(auto writer, table->NewWriter());
///   ARROW_RETURN_NOT_OK(writer->Write(*batch));
///   ARROW_ASSIGN_OR_RAISE(std::vector<CommitMessagePtr> messages, writer->Finish());
///   ARROW_ASSIGN_OR_RAISE(auto committer, table->NewCommitter());
///   ARROW_ASSIGN_OR_RAISE(CommitResult result, committer->Commit(messages));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "bactrian/schema.h"

namespace bactrian {

struct WriteOptions {
  int64_t buffer_bytes = 256 << 20;  ///< budget over all open files of the writer
};

struct CommitOptions {
  std::string commit_user;  ///< empty: option commit.user-prefix and a UUID
};

/// Files that one writer made in one bucket. Opaque to users; the library's own definition is src/bactrian/table/write.
class CommitMessage;
using CommitMessagePtr = std::shared_ptr<const CommitMessage>;

/// Not thread-safe: one writer a thread. Destroyed without Finish() it deletes what it wrote.
class BACTRIAN_EXPORT Writer {
 public:
  virtual ~Writer() = default;
  /// Columns are found by name; a missing one is its default or null (kInvalid when NOT NULL). Losslessly wider or narrower Arrow
  /// types (large, view, dictionary) are taken; others are kInvalid. Refused batches leave nothing behind.
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  virtual arrow::Result<std::vector<CommitMessagePtr>> Finish() = 0;
};

struct CommitResult {
  std::optional<int64_t> snapshot_id;  ///< nullopt: nothing to commit
  int32_t attempts = 1;
};

/// Thread-safe.
class BACTRIAN_EXPORT Committer {
 public:
  virtual ~Committer() = default;
  /// Publishes all messages as one APPEND snapshot. `identifier` with the commit user makes it idempotent; default: batch.
  virtual arrow::Result<CommitResult> Commit(const std::vector<CommitMessagePtr>& messages,
                                             int64_t identifier = INT64_MAX) = 0;
  /// Deletes the files of messages that will not be committed.
  virtual arrow::Status Abort(const std::vector<CommitMessagePtr>& messages) = 0;
};

}  // namespace bactrian
