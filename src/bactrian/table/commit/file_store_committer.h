#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bactrian/table/commit/bucket_numbers.h"
#include "bactrian/table/commit/commit_settings.h"
#include "bactrian/table/commit/published_files.h"
#include "bactrian/table/commit/snapshot_committer.h"
#include "bactrian/table/data_file_paths.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// The committer of a table that lives in a FileStore.
class FileStoreCommitter final : public Committer {
 public:
  static arrow::Result<std::unique_ptr<FileStoreCommitter>> Make(TableContext context, const CommitOptions& options);

  const std::string& commit_user() const override { return commit_user_; }
  arrow::Result<CommitResult> Commit(const std::vector<CommitMessagePtr>& messages, int64_t identifier) override;
  arrow::Result<CommitResult> Overwrite(const std::vector<CommitMessagePtr>& messages, const OverwriteSpec& spec,
                                        int64_t identifier) override;
  arrow::Result<CommitResult> Truncate(int64_t identifier) override;
  arrow::Result<CommitResult> DropPartitions(const std::vector<PartitionSpec>& partitions, int64_t identifier) override;
  arrow::Status Abort(const std::vector<CommitMessagePtr>& messages) override;

 private:
  FileStoreCommitter(TableContext context, CommitSettings settings, DataFilePaths paths, std::string commit_user)
      : context_(std::move(context)),
        settings_(std::move(settings)),
        paths_(std::move(paths)),
        commit_user_(std::move(commit_user)),
        snapshots_(context_, settings_, commit_user_) {}
  FileStoreCommitter(const FileStoreCommitter&) = delete;

  /// The snapshot of an earlier call with this identifier or a later one of the same user.
  arrow::Result<std::optional<int64_t>> FindCommitted(int64_t identifier) const;
  arrow::Result<CommitResult> CommitAppend(const std::vector<CommitMessagePtr>& messages, int64_t identifier) const;
  arrow::Result<CommitResult> CommitCompact(const std::vector<CommitMessagePtr>& messages, int64_t identifier) const;

  /// What follows a commit, as the table's options say; the commit stands whatever comes of it.
  CommitResult Maintained(CommitResult result) const;

  /// Whether a partition (serialised row) is to be replaced.
  using PartitionFilter = std::function<arrow::Result<bool>(std::string_view partition)>;
  PartitionFilter MatchesAny(std::vector<PartitionSpec> specs) const;
  arrow::Result<CommitResult> Replace(const PartitionFilter& replaced, const std::vector<CommitMessagePtr>& messages,
                                      int64_t identifier, std::string operation) const;
  arrow::Status CheckInside(const std::vector<CommitMessagePtr>& messages, const PartitionSpec& spec) const;

  TableContext context_;
  CommitSettings settings_;
  DataFilePaths paths_;
  std::string commit_user_;
  SnapshotCommitter snapshots_;
  /// The newest snapshot of this user, among those up to `looked_through`.
  struct Newest {
    std::mutex mutex;
    int64_t looked_through = 0;
    std::optional<int64_t> snapshot_id;
    int64_t identifier = 0;
  };
  mutable Newest newest_;
  mutable BucketNumbers bucket_numbers_;
  PublishedFiles published_;
};

}  // namespace bactrian
