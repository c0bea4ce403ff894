#include "bactrian/table/plan/manifest_scan.h"

#include <atomic>

#include "bactrian/meta/entry_replay.h"
#include "bactrian/table/session_state.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

/// Entries that a pruner kept, and how many it saw.
struct ManifestScan::CachedManifest {
  std::string name;
  std::vector<ManifestEntry> entries;
  bool whole = false;                        ///< nothing was pruned
  int64_t live = 0, live_in_partitions = 0;  ///< ADD less DELETE entries: all, and those in the kept partitions

  int64_t MemoryBytes() const;
};

namespace {

int64_t HeapBytes(const std::string& text) { return text.capacity() > 15 ? static_cast<int64_t>(text.capacity()) + 1 : 0; }

int64_t HeapBytes(const std::vector<std::string>& texts) {
  int64_t bytes = static_cast<int64_t>(texts.capacity() * sizeof(std::string));
  for (const std::string& text : texts) bytes += HeapBytes(text);
  return bytes;
}

int64_t HeapBytes(const SimpleStats& stats) {
  return HeapBytes(stats.min_values) + HeapBytes(stats.max_values) +
         static_cast<int64_t>(stats.null_counts.capacity() * sizeof(stats.null_counts[0]));
}

int64_t HeapBytes(const ManifestEntry& entry) {
  const DataFileMeta& file = entry.file;
  int64_t bytes = HeapBytes(entry.partition) + HeapBytes(file.file_name) + HeapBytes(file.min_key) + HeapBytes(file.max_key) +
                  HeapBytes(file.key_stats) + HeapBytes(file.value_stats) + HeapBytes(file.extra_files);
  if (file.embedded_index) bytes += HeapBytes(*file.embedded_index);
  if (file.external_path) bytes += HeapBytes(*file.external_path);
  if (file.value_stats_cols) bytes += HeapBytes(*file.value_stats_cols);
  if (file.write_cols) bytes += HeapBytes(*file.write_cols);
  return bytes;
}

}  // namespace

int64_t ManifestScan::CachedManifest::MemoryBytes() const {
  int64_t bytes = static_cast<int64_t>(sizeof(*this) + entries.capacity() * sizeof(ManifestEntry));
  for (const ManifestEntry& entry : entries) bytes += HeapBytes(entry);
  return bytes;
}

arrow::Result<std::shared_ptr<const ManifestScan::ManifestMetas>> ManifestScan::List(const std::string& name,
                                                                                     std::optional<int64_t> size) {
  ARROW_RETURN_NOT_OK(ValidateFileName(name, "a snapshot"));
  const std::string path = context_.paths.ManifestFile(name);
  if (auto cached = session_.cache.Get<ManifestMetas>(path)) return cached;
  ARROW_ASSIGN_OR_RAISE(ManifestMetas metas, ReadManifestList(*context_.store, path, size));
  auto list = std::make_shared<const ManifestMetas>(std::move(metas));
  int64_t bytes = static_cast<int64_t>(list->capacity() * sizeof(ManifestFileMeta));
  for (const ManifestFileMeta& meta : *list) bytes += HeapBytes(meta.file_name) + HeapBytes(meta.partition_stats);
  session_.cache.Put(path, list, bytes);
  return list;
}

arrow::Result<std::shared_ptr<const ManifestScan::CachedManifest>> ManifestScan::ReadOne(const ManifestFileMeta& manifest,
                                                                                         bool* was_read) {
  ARROW_RETURN_NOT_OK(ValidateFileName(manifest.file_name, "a manifest list"));
  const std::string path = context_.paths.ManifestFile(manifest.file_name);
  const std::string pruned_key = path + "?" + pruner_->CacheKey();
  for (const std::string& key : {path, pruned_key}) {
    if (auto cached = session_.cache.Get<CachedManifest>(key)) return cached;
  }
  *was_read = true;
  auto loaded = std::make_shared<CachedManifest>();
  loaded->name = manifest.file_name;
  loaded->whole = pruner_->keeps_all();
  // An entry that is kept may be shown to the filter twice, one that is not just once.
  EntryHeadFilter head_filter = [&](FileKind kind, std::string_view partition, int32_t bucket, int32_t total_buckets) {
    const int64_t change = kind == FileKind::kAdd ? 1 : -1;
    const bool keeps_partition = pruner_->KeepsPartition(partition);
    if (keeps_partition && (kind == FileKind::kDelete || pruner_->KeepsBucket(bucket, total_buckets))) return true;
    loaded->live += change;
    loaded->live_in_partitions += keeps_partition ? change : 0;
    return false;
  };
  ARROW_RETURN_NOT_OK(ReadManifest(*context_.store, path, manifest.file_size, head_filter, &loaded->entries));
  loaded->entries.shrink_to_fit();
  for (const ManifestEntry& entry : loaded->entries) {
    const int64_t change = entry.kind == FileKind::kAdd ? 1 : -1;
    loaded->live += change;
    loaded->live_in_partitions += change;
  }
  std::shared_ptr<const CachedManifest> shared = std::move(loaded);
  session_.cache.Put(shared->whole ? path : pruned_key, shared, shared->MemoryBytes());
  return shared;
}

arrow::Result<std::vector<std::shared_ptr<const ManifestScan::CachedManifest>>> ManifestScan::Read(
    const std::vector<const ManifestFileMeta*>& manifests) {
  std::vector<std::shared_ptr<const CachedManifest>> loaded(manifests.size());
  std::atomic<int64_t> manifests_read{0}, entries_read{0};
  ARROW_ASSIGN_OR_RAISE(int64_t parallelism, CoreOptions(context_.schema->options).GetInt("scan.manifest.parallelism", 0));
  ARROW_RETURN_NOT_OK(session_.tasks.ParallelFor(
      static_cast<int64_t>(manifests.size()),
      [&](int64_t i) {
        bool was_read = false;
        ARROW_ASSIGN_OR_RAISE(loaded[i], ReadOne(*manifests[i], &was_read));
        if (was_read) {
          ++manifests_read;
          entries_read += static_cast<int64_t>(loaded[i]->entries.size());
        }
        return arrow::Status::OK();
      },
      static_cast<int>(parallelism)));
  metrics_->manifests_read += manifests_read;
  metrics_->entries_read += entries_read;
  for (const auto& manifest : loaded) {
    metrics_->files_total += manifest->live;
    metrics_->files_after_partition += manifest->whole ? LiveInPartitions(*manifest) : manifest->live_in_partitions;
  }
  return loaded;
}

int64_t ManifestScan::LiveInPartitions(const CachedManifest& manifest) const {
  int64_t live = 0;
  for (const ManifestEntry& entry : manifest.entries) {
    if (pruner_->KeepsPartition(entry.partition)) live += entry.kind == FileKind::kAdd ? 1 : -1;
  }
  return live;
}

arrow::Result<std::vector<EntryPtr>> ManifestScan::LiveFiles(const Snapshot& snapshot) {
  ARROW_ASSIGN_OR_RAISE(auto base, List(snapshot.base_manifest_list, snapshot.base_manifest_list_size));
  ARROW_ASSIGN_OR_RAISE(auto delta, List(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size));
  std::vector<const ManifestFileMeta*> manifests;
  for (const ManifestMetas* list : {base.get(), delta.get()}) {
    metrics_->manifests_total += static_cast<int64_t>(list->size());
    for (const ManifestFileMeta& meta : *list) {
      if (pruner_->KeepsManifest(meta)) manifests.push_back(&meta);
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto loaded, Read(manifests));

  size_t num_entries = 0;
  for (const auto& manifest : loaded) num_entries += manifest->entries.size();
  IdentitySet live(num_entries);
  for (const auto& manifest : loaded) {
    for (const ManifestEntry& entry : manifest->entries) {
      if (entry.kind == FileKind::kDelete) {
        live.erase(&entry);
      } else if (!live.insert(&entry).second) {
        return Corrupt("manifest ", manifest->name, " of table ", context_.paths.root, ": file ", entry.file.file_name,
                       " is added twice");
      }
    }
  }
  std::vector<EntryPtr> files;
  files.reserve(live.size());
  for (const auto& manifest : loaded) {
    for (const ManifestEntry& entry : manifest->entries) {
      auto found = live.find(&entry);
      if (found != live.end() && *found == &entry) files.emplace_back(manifest, &entry);
    }
  }
  // A cached manifest may hold more than this scan's pruner keeps.
  std::erase_if(files, [&](const EntryPtr& entry) { return !pruner_->KeepsPartition(entry->partition); });
  std::erase_if(files, [&](const EntryPtr& entry) { return !pruner_->KeepsBucket(entry->bucket, entry->total_buckets); });
  metrics_->files_after_bucket = static_cast<int64_t>(files.size());
  return files;
}

arrow::Result<std::vector<EntryPtr>> ManifestScan::AddedFiles(const Snapshot& snapshot) {
  return EntriesOf(FileKind::kAdd, snapshot.delta_manifest_list, snapshot.delta_manifest_list_size);
}

arrow::Result<std::vector<EntryPtr>> ManifestScan::RemovedFiles(const Snapshot& snapshot) {
  return EntriesOf(FileKind::kDelete, snapshot.delta_manifest_list, snapshot.delta_manifest_list_size);
}

arrow::Result<std::vector<EntryPtr>> ManifestScan::ChangelogFiles(const Snapshot& snapshot) {
  if (!snapshot.changelog_manifest_list) return std::vector<EntryPtr>();
  return EntriesOf(FileKind::kAdd, *snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size);
}

arrow::Result<std::vector<EntryPtr>> ManifestScan::EntriesOf(FileKind kind, const std::string& list,
                                                             std::optional<int64_t> list_size) {
  ARROW_ASSIGN_OR_RAISE(auto delta, List(list, list_size));
  std::vector<const ManifestFileMeta*> manifests;
  metrics_->manifests_total += static_cast<int64_t>(delta->size());
  for (const ManifestFileMeta& meta : *delta) {
    if (pruner_->KeepsManifest(meta)) manifests.push_back(&meta);
  }
  ARROW_ASSIGN_OR_RAISE(auto loaded, Read(manifests));
  std::vector<EntryPtr> files;
  for (const auto& manifest : loaded) {
    for (const ManifestEntry& entry : manifest->entries) {
      if (entry.kind == kind && pruner_->KeepsPartition(entry.partition) &&
          pruner_->KeepsBucket(entry.bucket, entry.total_buckets)) {
        files.emplace_back(manifest, &entry);
      }
    }
  }
  metrics_->files_after_bucket += static_cast<int64_t>(files.size());
  return files;
}

arrow::Result<std::shared_ptr<const std::vector<IndexFileEntry>>> ManifestScan::IndexFiles(const Snapshot& snapshot) {
  using Entries = std::vector<IndexFileEntry>;
  if (!snapshot.index_manifest) return std::make_shared<const Entries>();
  ARROW_RETURN_NOT_OK(ValidateFileName(*snapshot.index_manifest, "a snapshot"));
  const std::string path = context_.paths.ManifestFile(*snapshot.index_manifest);
  if (auto cached = session_.cache.Get<Entries>(path)) return cached;
  ARROW_ASSIGN_OR_RAISE(Entries entries, ReadIndexManifest(*context_.store, path));
  auto shared = std::make_shared<const Entries>(std::move(entries));
  int64_t bytes = static_cast<int64_t>(shared->capacity() * sizeof(IndexFileEntry));
  for (const IndexFileEntry& entry : *shared) {
    bytes += HeapBytes(entry.file_name) + HeapBytes(entry.partition);
    if (!entry.deletion_vectors) continue;
    for (const DeletionVectorRange& range : *entry.deletion_vectors) {
      bytes += static_cast<int64_t>(sizeof(range)) + HeapBytes(range.data_file);
    }
  }
  session_.cache.Put(path, shared, bytes);
  return shared;
}

}  // namespace bactrian
