/// Writing in two phases: a Writer makes files and returns commit messages, a Committer publishes them as one snapshot.
///
///   ARROW_ASSIGN_OR_RAISE(auto writer, table->NewWriter());
///   ARROW_RETURN_NOT_OK(writer->Write(*batch));
///   ARROW_ASSIGN_OR_RAISE(std::vector<CommitMessagePtr> messages, writer->Finish());
///   ARROW_ASSIGN_OR_RAISE(auto committer, table->NewCommitter());
///   ARROW_ASSIGN_OR_RAISE(CommitResult result, committer->Commit(messages));
///
/// Writers may run in many threads and processes; their messages travel as bytes and are committed once, together:
///
///   std::string bytes = SerializeCommitMessage(*message);                   // in the worker
///   ARROW_ASSIGN_OR_RAISE(auto message, ParseCommitMessage(bytes));         // where the commit is made
#pragma once

#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/schema.h"
#include "bactrian/value.h"

namespace bactrian {

/// Some or all partition keys with a value each (null included). Empty: the whole table.
using PartitionSpec = std::map<std::string, Value>;

/// A spec from text, each value cast to its column's type; nullopt is NULL. kInvalid for a column that is no partition key
/// and for text that is no such value.
BACTRIAN_EXPORT arrow::Result<PartitionSpec> ParsePartitionSpec(
    const TableSchema& schema, const std::map<std::string, std::optional<std::string>>& values);

struct WriteOptions {
  /// Budget over all open files and buffered rows of the writer. Beyond it the largest open file is closed and a later row of
  /// its bucket starts a new one.
  int64_t buffer_bytes = 256 << 20;
  /// Rows outside of it are kInvalid before anything of their batch is written; its columns may be missing in batches.
  PartitionSpec static_partition = {};
  /// The messages are for Overwrite(): the bucket number of existing files, which they replace, does not matter.
  bool for_overwrite = false;
};

struct CommitOptions {
  std::string commit_user = {};  ///< empty: option commit.user-prefix and a UUID
};

/// Files that one writer made in one bucket. Opaque to users; the library's own definition is in src/bactrian/table/write.
struct CommitMessage;
using CommitMessagePtr = std::shared_ptr<const CommitMessage>;

/// A versioned encoding of Bactrian's own (the reference's bytes are not specified).
BACTRIAN_EXPORT std::string SerializeCommitMessage(const CommitMessage& message);
/// kCorrupt for anything that SerializeCommitMessage did not make, kUnsupported for a newer version of it.
BACTRIAN_EXPORT arrow::Result<CommitMessagePtr> ParseCommitMessage(std::string_view bytes);

/// Not thread-safe: one writer a thread. Destroyed without Finish() it deletes what it wrote.
class BACTRIAN_EXPORT Writer {
 public:
  virtual ~Writer() = default;
  /// Columns are found by name; a missing one is its default or null (kInvalid when NOT NULL). Losslessly wider or narrower
  /// Arrow types (large, view, dictionary, another unit or integer width whose values fit) are taken; others are kInvalid, as
  /// are columns that the table lacks. A refused batch leaves nothing behind and the writer usable. After any other error the
  /// writer is spent: Finish() returns the error.
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  /// Closes all files. Messages are one a bucket; the writer may then go on with the next ones.
  virtual arrow::Result<std::vector<CommitMessagePtr>> Finish() = 0;
};

struct CommitResult {
  std::optional<int64_t> snapshot_id;  ///< nullopt: nothing to commit
  int32_t attempts = 0;                ///< 0: an earlier call had committed this identifier
  /// Of the expiry of old snapshots that follows a commit unless the table is write-only. The commit stands if it failed.
  arrow::Status expiry = {};
};

/// What an overwrite replaces.
struct OverwriteSpec {
  /// Static: the partitions to replace (empty: the whole table). Messages with rows outside are kInvalid in both modes.
  PartitionSpec partition = {};
  /// Dynamic: replace just the partitions that the messages touch. Default: the option dynamic-partition-overwrite (true). An
  /// unpartitioned table is always replaced whole.
  std::optional<bool> dynamic = std::nullopt;
};

inline constexpr int64_t kBatchCommitIdentifier = INT64_MAX;

/// Thread-safe. Errors of kind kCommitConflict mean that nothing was published and the messages' files are still there (for
/// another try or Abort); kCommitOutcomeUnknown means that the snapshot may be there: nothing was deleted, and Abort must
/// not be called until a reader has looked.
class BACTRIAN_EXPORT Committer {
 public:
  virtual ~Committer() = default;
  virtual const std::string& commit_user() const = 0;
  /// Publishes all messages: one snapshot for new rows and one more for compactions among them. An `identifier` other than the
  /// default makes the call idempotent: one that is not above the newest identifier of this commit user is already there
  /// and succeeds without effect.
  virtual arrow::Result<CommitResult> Commit(const std::vector<CommitMessagePtr>& messages,
                                             int64_t identifier = kBatchCommitIdentifier) = 0;
  /// Replaces rows by those of the messages in one OVERWRITE snapshot.
  virtual arrow::Result<CommitResult> Overwrite(const std::vector<CommitMessagePtr>& messages, const OverwriteSpec& spec = {},
                                                int64_t identifier = kBatchCommitIdentifier) = 0;
  /// Removes all rows.
  virtual arrow::Result<CommitResult> Truncate(int64_t identifier = kBatchCommitIdentifier) = 0;
  /// Removes all rows of the partitions; each spec names one or more keys. kInvalid for an empty one.
  virtual arrow::Result<CommitResult> DropPartitions(const std::vector<PartitionSpec>& partitions,
                                                     int64_t identifier = kBatchCommitIdentifier) = 0;
  /// Deletes the files of messages that will not be committed.
  virtual arrow::Status Abort(const std::vector<CommitMessagePtr>& messages) = 0;
};

}  // namespace bactrian
