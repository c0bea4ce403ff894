#include "bactrian/table/commit/file_store_committer.h"

#include <algorithm>

#include "bactrian/meta/entry_replay.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/table/maintain/maintenance.h"
#include "bactrian/table/write/bucket_writer.h"
#include "bactrian/table/write/commit_message.h"
#include "bactrian/table/write/partition_spec.h"
#include "bactrian/table/write/table_writer.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

/// Leaves out what the table has already (option commit.discard-duplicate-files).
arrow::Status DiscardDuplicates(const TableContext& context, const Snapshot& latest, SnapshotChange* change) {
  const std::set<std::string, std::less<>> partitions = change->Partitions();
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> live, ReadLiveFiles(context, latest, &partitions));
  IdentitySet present;
  for (const ManifestEntry& entry : live) present.insert(&entry);
  std::erase_if(change->files,
                [&](const ManifestEntry& entry) { return entry.kind == FileKind::kAdd && present.contains(&entry); });
  return arrow::Status::OK();
}

bool HasFixedBuckets(const SnapshotChange& change) {
  return std::any_of(change.files.begin(), change.files.end(), [](const ManifestEntry& e) { return e.total_buckets > 0; });
}

}  // namespace

arrow::Result<std::unique_ptr<FileStoreCommitter>> FileStoreCommitter::Make(TableContext context,
                                                                            const CommitOptions& options) {
  ARROW_ASSIGN_OR_RAISE(CommitSettings settings, CommitSettings::Make(context.schema->options));
  ARROW_ASSIGN_OR_RAISE(DataFilePaths paths, DataFilePaths::Make(context.paths, *context.schema));
  std::string user = options.commit_user;
  if (user.empty()) {
    const std::optional<std::string> prefix = CoreOptions(context.schema->options).Get("commit.user-prefix");
    user = prefix ? *prefix + "_" + NewUuid() : NewUuid();
  }
  return std::unique_ptr<FileStoreCommitter>(
      new FileStoreCommitter(std::move(context), std::move(settings), std::move(paths), std::move(user)));
}

arrow::Result<CommitResult> FileStoreCommitter::Commit(const std::vector<CommitMessagePtr>& messages, int64_t identifier) {
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> committed, FindCommitted(identifier));
  if (committed) return CommitResult{committed, 0};
  ARROW_RETURN_NOT_OK(published_.CheckNone(messages));
  ARROW_ASSIGN_OR_RAISE(CommitResult result, CommitAppend(messages, identifier));
  published_.Add(messages);
  const bool compacts = std::any_of(messages.begin(), messages.end(), [](const auto& m) { return m->HasCompactChanges(); });
  if (compacts) {
    ARROW_ASSIGN_OR_RAISE(const CommitResult compaction, CommitCompact(messages, identifier));
    result.snapshot_id = compaction.snapshot_id;
    result.attempts += compaction.attempts;
  }
  return Maintained(std::move(result));
}

CommitResult FileStoreCommitter::Maintained(CommitResult result) const {
  if (result.snapshot_id && settings_.expires_snapshots) result.expiry = ExpireAfterCommit(context_, *result.snapshot_id);
  return result;
}

arrow::Result<std::optional<int64_t>> FileStoreCommitter::FindCommitted(int64_t identifier) const {
  if (identifier == kBatchCommitIdentifier) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> latest, context_.snapshots->LatestId());
  std::lock_guard lock(newest_.mutex);
  if (!latest || *latest < newest_.looked_through) newest_.looked_through = 0, newest_.snapshot_id = std::nullopt;
  // Newest first: only what came since the last call is looked at.
  for (int64_t id = latest.value_or(0); id > newest_.looked_through; --id) {
    arrow::Result<Snapshot> snapshot = context_.snapshots->Load(id);
    if (!snapshot.ok() && MayHaveExpired(snapshot.status())) break;
    ARROW_RETURN_NOT_OK(snapshot.status());
    if (snapshot->commit_user != commit_user_) continue;
    newest_.snapshot_id = id;
    newest_.identifier = snapshot->commit_identifier;
    break;
  }
  newest_.looked_through = latest.value_or(0);
  if (!newest_.snapshot_id || newest_.identifier < identifier) return std::nullopt;
  // A rollback may have put another snapshot in its place.
  const arrow::Result<Snapshot> snapshot = context_.snapshots->Load(*newest_.snapshot_id);
  if (snapshot.ok() && snapshot->commit_user == commit_user_) return newest_.snapshot_id;
  if (!snapshot.ok() && KindOf(snapshot.status()) == ErrorKind::kSnapshotExpired) return newest_.snapshot_id;
  newest_.snapshot_id = std::nullopt;
  return snapshot.ok() || MayHaveExpired(snapshot.status()) ? arrow::Result<std::optional<int64_t>>(std::nullopt)
                                                            : snapshot.status();
}

arrow::Result<CommitResult> FileStoreCommitter::CommitAppend(const std::vector<CommitMessagePtr>& messages,
                                                             int64_t identifier) const {
  const SnapshotChange change = AppendChangeOf(messages);
  const bool has_compaction =
      std::any_of(messages.begin(), messages.end(), [](const auto& m) { return m->HasCompactChanges(); });
  SnapshotRequest request;
  request.kind = change.RemovesRows() ? CommitKind::kOverwrite : CommitKind::kAppend;
  request.identifier = identifier;
  request.operation = change.RemovesRows() ? "" : "WRITE";
  // Plain appends cannot conflict but in their number of buckets: they cost the same however large the table is.
  request.check_conflicts = change.RemovesRows();
  const bool check_buckets = !change.RemovesRows() && HasFixedBuckets(change);
  request.allow_empty = !settings_.ignore_empty_commit && !has_compaction;
  request.change = [&](const std::optional<Snapshot>& latest) -> arrow::Result<SnapshotChange> {
    SnapshotChange next = change;
    if (check_buckets && latest) ARROW_RETURN_NOT_OK(bucket_numbers_.Check(context_, *latest, next));
    if (settings_.discard_duplicate_files && latest && request.kind == CommitKind::kAppend) {
      ARROW_RETURN_NOT_OK(DiscardDuplicates(context_, *latest, &next));
    }
    return next;
  };
  return snapshots_.Commit(request);
}

arrow::Result<CommitResult> FileStoreCommitter::CommitCompact(const std::vector<CommitMessagePtr>& messages,
                                                              int64_t identifier) const {
  const SnapshotChange change = CompactChangeOf(messages);
  SnapshotRequest request;
  request.kind = CommitKind::kCompact;
  request.identifier = identifier;
  request.check_conflicts = true;
  request.change = [&](const std::optional<Snapshot>&) -> arrow::Result<SnapshotChange> { return change; };
  return snapshots_.Commit(request);
}

arrow::Result<CommitResult> FileStoreCommitter::Overwrite(const std::vector<CommitMessagePtr>& messages,
                                                          const OverwriteSpec& spec, int64_t identifier) {
  ARROW_RETURN_NOT_OK(CheckPartitionSpec(*context_.schema, spec.partition));
  ARROW_RETURN_NOT_OK(CheckInside(messages, spec.partition));
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> committed, FindCommitted(identifier));
  if (committed) return CommitResult{committed, 0};
  const bool dynamic = spec.dynamic.value_or(settings_.dynamic_overwrite) && !context_.schema->partition_keys.empty();
  if (!dynamic) return Replace(MatchesAny({spec.partition}), messages, identifier, "OVERWRITE");
  std::set<std::string, std::less<>> touched;
  for (const CommitMessagePtr& message : messages) {
    if (!message->new_files.empty()) touched.insert(message->partition);
  }
  if (touched.empty()) return CommitResult{};
  return Replace([&](std::string_view partition) { return touched.contains(partition); }, messages, identifier, "OVERWRITE");
}

arrow::Result<CommitResult> FileStoreCommitter::Truncate(int64_t identifier) {
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> committed, FindCommitted(identifier));
  if (committed) return CommitResult{committed, 0};
  return Replace(MatchesAny({PartitionSpec{}}), {}, identifier, "TRUNCATE");
}

arrow::Result<CommitResult> FileStoreCommitter::DropPartitions(const std::vector<PartitionSpec>& partitions,
                                                               int64_t identifier) {
  for (const PartitionSpec& spec : partitions) {
    if (spec.empty()) return Invalid("a partition to drop names no partition key");
    ARROW_RETURN_NOT_OK(CheckPartitionSpec(*context_.schema, spec));
  }
  if (partitions.empty()) return CommitResult{};
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> committed, FindCommitted(identifier));
  if (committed) return CommitResult{committed, 0};
  return Replace(MatchesAny(partitions), {}, identifier, "DELETE");
}

FileStoreCommitter::PartitionFilter FileStoreCommitter::MatchesAny(std::vector<PartitionSpec> specs) const {
  return [this, specs = std::move(specs)](std::string_view partition) -> arrow::Result<bool> {
    ARROW_ASSIGN_OR_RAISE(const std::vector<Value> values, paths_.PartitionValues(partition));
    return std::any_of(specs.begin(), specs.end(),
                       [&](const PartitionSpec& spec) { return PartitionMatches(spec, paths_.partition_fields(), values); });
  };
}

arrow::Status FileStoreCommitter::CheckInside(const std::vector<CommitMessagePtr>& messages, const PartitionSpec& spec) const {
  if (spec.empty()) return arrow::Status::OK();
  const PartitionFilter inside = MatchesAny({spec});
  for (const CommitMessagePtr& message : messages) {
    ARROW_ASSIGN_OR_RAISE(const bool is_inside, inside(message->partition));
    if (is_inside || message->new_files.empty()) continue;
    ARROW_ASSIGN_OR_RAISE(const std::string path, paths_.RelativeBucketPath(std::string_view(message->partition), 0));
    return Invalid("the overwrite has rows outside of its static partition, in ", path);
  }
  return arrow::Status::OK();
}

arrow::Result<CommitResult> FileStoreCommitter::Replace(const PartitionFilter& replaced,
                                                        const std::vector<CommitMessagePtr>& messages, int64_t identifier,
                                                        std::string operation) const {
  SnapshotRequest request;
  request.kind = CommitKind::kOverwrite;
  request.identifier = identifier;
  request.operation = std::move(operation);
  request.allow_empty = true;
  // No conflict check: what is deleted is read from the very snapshot that this one follows.
  request.change = [&](const std::optional<Snapshot>& latest) -> arrow::Result<SnapshotChange> {
    SnapshotChange change;
    if (latest) {
      ARROW_ASSIGN_OR_RAISE(std::vector<ManifestEntry> live, ReadLiveFiles(context_, *latest, nullptr));
      for (ManifestEntry& entry : live) {
        ARROW_ASSIGN_OR_RAISE(const bool goes, replaced(entry.partition));
        if (!goes) continue;
        entry.kind = FileKind::kDelete;
        change.files.push_back(std::move(entry));
      }
    }
    if (latest && latest->index_manifest) {
      ARROW_ASSIGN_OR_RAISE(std::vector<IndexFileEntry> index_files,
                            ReadIndexManifest(*context_.store, context_.paths.ManifestFile(*latest->index_manifest)));
      for (IndexFileEntry& entry : index_files) {
        ARROW_ASSIGN_OR_RAISE(const bool goes, replaced(entry.partition));
        if (goes) change.deleted_index_files.push_back(std::move(entry));
      }
    }
    SnapshotChange added = AppendChangeOf(messages);
    std::move(added.files.begin(), added.files.end(), std::back_inserter(change.files));
    change.new_index_files = std::move(added.new_index_files);
    return change;
  };
  ARROW_ASSIGN_OR_RAISE(CommitResult result, snapshots_.Commit(request));
  return Maintained(std::move(result));
}

arrow::Status FileStoreCommitter::Abort(const std::vector<CommitMessagePtr>& messages) {
  std::set<std::string, std::less<>> partitions;
  for (const CommitMessagePtr& message : messages) partitions.insert(message->partition);
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> entries, ReadNewestLiveFiles(context_, &partitions));
  std::set<std::string, std::less<>> live;
  for (const ManifestEntry& entry : entries) live.insert(entry.file.file_name);
  std::vector<std::string> doomed;
  for (const CommitMessagePtr& message : messages) {
    for (const auto* files :
         {&message->new_files, &message->changelog_files, &message->compact_after, &message->compact_changelog}) {
      for (const DataFileMeta& file : *files) {
        if (live.contains(file.file_name)) return Invalid("data file ", file.file_name, " is committed: it cannot be aborted");
        ARROW_ASSIGN_OR_RAISE(std::string path, paths_.DataFile(message->partition, message->bucket, file));
        doomed.push_back(std::move(path));
        ARROW_ASSIGN_OR_RAISE(std::vector<std::string> extra, paths_.ExtraFiles(message->partition, message->bucket, file));
        doomed.insert(doomed.end(), extra.begin(), extra.end());
      }
    }
    for (const auto* files : {&message->new_index_files, &message->compact_new_index_files}) {
      for (const IndexFileEntry& file : *files) {
        ARROW_RETURN_NOT_OK(ValidateFileName(file.file_name, "commit message"));
        doomed.push_back(file.external_path.value_or(context_.paths.IndexFile(file.file_name)));
      }
    }
  }
  arrow::Status status;
  for (const std::string& path : doomed) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<FileStore> store, StoreOfPath(context_, path));
    status &= store->DeleteFile(path);
  }
  return status;
}

arrow::Result<std::unique_ptr<Committer>> MakeCommitter(TableContext context, const CommitOptions& options) {
  return FileStoreCommitter::Make(std::move(context), options);
}

}  // namespace bactrian
