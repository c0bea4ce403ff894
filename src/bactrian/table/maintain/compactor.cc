#include <arrow/record_batch.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "bactrian/index/deletion_vector.h"
#include "bactrian/maintain.h"
#include "bactrian/session.h"
#include "bactrian/table.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/table/maintain/compaction_task.h"
#include "bactrian/table/session_state.h"
#include "bactrian/table/table_context.h"
#include "bactrian/table/write/bucket_writer.h"
#include "bactrian/table/write/commit_message.h"
#include "bactrian/table/write/partition_spec.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

constexpr int kMaxPlans = 3;

std::string FileNameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class AppendCompactor final : public Compactor {
 public:
  AppendCompactor(std::shared_ptr<Table> table, CompactionRule rule, PartitionSpec partition)
      : table_(std::move(table)), context_(*table_->context()), rule_(rule), partition_(std::move(partition)) {}

  arrow::Result<CompactionPlan> Plan() const override;
  arrow::Result<CommitMessagePtr> Run(const CompactionTask& task) const override;

 private:
  using IndexFiles = std::map<std::string, IndexFileEntry>;  ///< by name
  arrow::Result<IndexFiles> ReadIndexFiles(int64_t snapshot_id) const;
  static arrow::Status AddTasks(std::vector<DataSplit> groups, const IndexFiles& index_files,
                                const std::shared_ptr<const bactrian::Plan>& plan, CompactionPlan* result);
  arrow::Status Rewrite(const FileCompactionTask& task, const DataSplit& group, WriteSettings* settings,
                        CommitMessage* message) const;
  arrow::Status ReplaceIndexFiles(const FileCompactionTask& task, CommitMessage* message) const;

  std::shared_ptr<Table> table_;
  const TableContext& context_;
  const CompactionRule rule_;
  const PartitionSpec partition_;
};

arrow::Result<CompactionPlan> AppendCompactor::Plan() const {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const bactrian::Plan> plan, table_->NewScan().MakePlan());
  CompactionPlan result;
  result.snapshot_id = plan->snapshot_id();
  if (!result.snapshot_id) return result;
  ARROW_ASSIGN_OR_RAISE(const IndexFiles index_files, ReadIndexFiles(*result.snapshot_id));
  const std::vector<Field> partition_fields = context_.schema->PartitionFields();
  // The plan packs a bucket's files into splits by size; here they are wanted by bucket.
  std::map<std::pair<std::string, int32_t>, DataSplit> buckets;
  for (const auto& planned : plan->splits()) {
    const auto& split = static_cast<const DataSplit&>(*planned);
    if (!PartitionMatches(partition_, partition_fields, split.partition_values)) continue;
    const auto [bucket, is_new] = buckets.try_emplace({split.partition_bytes, split.bucket_id}, split);
    if (is_new) continue;
    auto& files = bucket->second.files;
    files.insert(files.end(), split.files.begin(), split.files.end());
  }
  for (auto& [id, bucket] : buckets) {
    std::vector<DataSplit> groups;
    for (std::vector<SplitFile>& files : GroupFiles(rule_, bucket.files)) {
      groups.push_back(bucket);
      groups.back().files = std::move(files);
    }
    ARROW_RETURN_NOT_OK(AddTasks(std::move(groups), index_files, plan, &result));
  }
  return result;
}

arrow::Result<AppendCompactor::IndexFiles> AppendCompactor::ReadIndexFiles(int64_t snapshot_id) const {
  IndexFiles index_files;
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, context_.snapshots->Load(snapshot_id));
  if (!snapshot.index_manifest) return index_files;
  ARROW_ASSIGN_OR_RAISE(std::vector<IndexFileEntry> entries,
                        ReadIndexManifest(*context_.store, context_.paths.ManifestFile(*snapshot.index_manifest)));
  for (IndexFileEntry& entry : entries) {
    if (!entry.deletion_vectors) continue;
    std::string name = entry.file_name;
    index_files.emplace(std::move(name), std::move(entry));
  }
  return index_files;
}

/// One task a group, but one for all groups that are joined by an index file.
arrow::Status AppendCompactor::AddTasks(std::vector<DataSplit> groups, const IndexFiles& index_files,
                                        const std::shared_ptr<const bactrian::Plan>& plan, CompactionPlan* result) {
  std::map<std::string, std::shared_ptr<FileCompactionTask>> task_of_index;
  std::vector<std::shared_ptr<FileCompactionTask>> tasks;
  for (DataSplit& group : groups) {
    auto task = std::make_shared<FileCompactionTask>();
    task->plan = plan;
    for (const SplitFile& file : group.files) {
      if (!file.deletion) continue;
      const auto index_file = index_files.find(FileNameOf(file.deletion->path));
      if (index_file == index_files.end()) return Corrupt(file.deletion->path, " is not in the snapshot's index manifest");
      const auto [owner, is_new] = task_of_index.try_emplace(index_file->first, task);
      if (is_new) task->index_files.push_back(index_file->second);
      if (owner->second == task) continue;
      // Joined by this index file: the earlier task takes over what this one has so far.
      const std::shared_ptr<FileCompactionTask> joined = owner->second;
      std::move(task->index_files.begin(), task->index_files.end(), std::back_inserter(joined->index_files));
      std::move(task->groups.begin(), task->groups.end(), std::back_inserter(joined->groups));
      std::erase(tasks, task);
      for (auto& [name, holder] : task_of_index) {
        if (holder == task) holder = joined;
      }
      task = joined;
    }
    task->groups.push_back(std::move(group));
    if (std::find(tasks.begin(), tasks.end(), task) == tasks.end()) tasks.push_back(task);
  }
  result->tasks.insert(result->tasks.end(), tasks.begin(), tasks.end());
  return arrow::Status::OK();
}

arrow::Result<CommitMessagePtr> AppendCompactor::Run(const CompactionTask& given) const {
  const auto& task = static_cast<const FileCompactionTask&>(given);
  ARROW_ASSIGN_OR_RAISE(WriteSettings settings, WriteSettings::Make(context_));
  settings.tasks = &table_->session()->state().tasks;
  auto message = std::make_shared<CommitMessage>();
  message->partition = task.groups.front().partition_bytes;
  message->bucket = task.groups.front().bucket_id;
  message->total_buckets = task.groups.front().total_buckets;
  arrow::Status status;
  for (const DataSplit& group : task.groups) {
    if (status.ok()) status = Rewrite(task, group, &settings, message.get());
  }
  if (status.ok()) status = ReplaceIndexFiles(task, message.get());
  if (!status.ok()) {
    ARROW_ASSIGN_OR_RAISE(auto committer, table_->NewCommitter());
    (void)committer->Abort({message});
    return status;
  }
  return message;
}

arrow::Status AppendCompactor::Rewrite(const FileCompactionTask& task, const DataSplit& group, WriteSettings* settings,
                                       CommitMessage* message) const {
  const BucketId id{group.partition_bytes, group.bucket_id, group.total_buckets};
  int64_t first_sequence = INT64_MAX;
  for (const SplitFile& file : group.files) first_sequence = std::min(first_sequence, file.meta->min_sequence_number);
  ARROW_ASSIGN_OR_RAISE(const auto writer, BucketWriter::Make(settings, id, FileSource::kCompact, first_sequence));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatchReader> reader, task.plan->Read(group));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<DataFileMeta> files, writer->TakeFiles());
  std::move(files.begin(), files.end(), std::back_inserter(message->compact_after));
  for (const SplitFile& file : group.files) message->compact_before.push_back(*file.meta);
  return arrow::Status::OK();
}

/// The vectors of rewritten files go; what else is in their index files moves to new ones.
arrow::Status AppendCompactor::ReplaceIndexFiles(const FileCompactionTask& task, CommitMessage* message) const {
  std::vector<std::string> rewritten;
  for (const DataFileMeta& file : message->compact_before) rewritten.push_back(file.file_name);
  ARROW_ASSIGN_OR_RAISE(const bool bitmap64, CoreOptions(context_.schema->options).GetBool("deletion-vectors.bitmap64", false));
  for (const IndexFileEntry& old : task.index_files) {
    message->compact_deleted_index_files.push_back(old);
    const std::string path = old.external_path.value_or(context_.paths.IndexFile(old.file_name));
    std::vector<std::shared_ptr<const RoaringBitmap>> owned;
    std::vector<std::pair<std::string, const RoaringBitmap*>> kept;
    for (const DeletionVectorRange& range : *old.deletion_vectors) {
      if (std::find(rewritten.begin(), rewritten.end(), range.data_file) != rewritten.end()) continue;
      ARROW_ASSIGN_OR_RAISE(auto vector, ReadDeletionVector(*context_.store, path, range));
      kept.emplace_back(range.data_file, vector.get());
      owned.push_back(std::move(vector));
    }
    if (kept.empty()) continue;
    const std::string directory = path.substr(0, path.rfind('/'));
    ARROW_ASSIGN_OR_RAISE(WrittenDeletionVectors written,
                          WriteDeletionVectors(*context_.store, directory, "index-" + NewUuid() + "-0", kept, bitmap64));
    IndexFileEntry entry = old;
    entry.file_name = written.file.name;
    entry.file_size = written.file.size;
    entry.row_count = static_cast<int64_t>(written.ranges.size());
    entry.deletion_vectors = std::move(written.ranges);
    if (old.external_path) entry.external_path = JoinPath(directory, entry.file_name);
    message->compact_new_index_files.push_back(std::move(entry));
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<CommitMessagePtr>> PlanAndRun(Table& table, const Compactor& compactor,
                                                        const CompactionOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const CompactionPlan plan, compactor.Plan());
  int64_t total = 0;
  for (const CompactionTaskPtr& task : plan.tasks) total += task->bytes();
  std::vector<CommitMessagePtr> messages(plan.tasks.size());
  const arrow::Status status =
      table.session()->state().tasks.ParallelFor(static_cast<int64_t>(plan.tasks.size()), [&](int64_t i) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(messages[i], compactor.Run(*plan.tasks[i]));
        if (options.progress) options.progress(plan.tasks[i]->bytes(), total);
        return arrow::Status::OK();
      });
  if (status.ok()) return messages;
  std::erase(messages, nullptr);
  ARROW_ASSIGN_OR_RAISE(auto committer, table.NewCommitter());
  (void)committer->Abort(messages);
  return status;
}

}  // namespace

arrow::Result<std::unique_ptr<Compactor>> Compactor::Make(std::shared_ptr<Table> table, const CompactionOptions& options) {
  const TableContext* context = table->context();
  if (context == nullptr) return Unsupported(table->identifier().ToString(), " has no files of its own");
  if (context->schema->is_primary_key_table()) return Unsupported("compacting primary-key tables is not supported yet");
  ARROW_RETURN_NOT_OK(CheckPartitionSpec(*context->schema, options.partition));
  ARROW_RETURN_NOT_OK(WriteSettings::Make(*context).status());
  ARROW_ASSIGN_OR_RAISE(const CompactionRule rule, CompactionRule::Make(*context->schema, options));
  return std::make_unique<AppendCompactor>(std::move(table), rule, options.partition);
}

arrow::Result<CompactResult> Compact(const std::shared_ptr<Table>& table, const CompactionOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const std::unique_ptr<Compactor> compactor, Compactor::Make(table, options));
  ARROW_ASSIGN_OR_RAISE(const std::unique_ptr<Committer> committer, table->NewCommitter());
  for (int attempt = 1;; ++attempt) {
    const auto messages = PlanAndRun(*table, *compactor, options);
    if (!messages.ok()) {
      // The snapshot that was read may have expired under the compaction.
      if (MayHaveExpired(messages.status()) && attempt < kMaxPlans) continue;
      return messages.status();
    }
    if (messages->empty()) return CompactResult{};
    const arrow::Result<CommitResult> committed = committer->Commit(*messages);
    if (committed.ok()) {
      CompactResult result{committed->snapshot_id, 0, 0};
      for (const CommitMessagePtr& message : *messages) {
        result.files_before += static_cast<int64_t>(message->compact_before.size());
        result.files_after += static_cast<int64_t>(message->compact_after.size());
      }
      return result;
    }
    if (KindOf(committed.status()) == ErrorKind::kCommitOutcomeUnknown) return committed.status();
    (void)committer->Abort(*messages);
    if (KindOf(committed.status()) != ErrorKind::kCommitConflict || attempt == kMaxPlans) return committed.status();
  }
}

}  // namespace bactrian
