#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bactrian/bactrian.h"
#include "bactrian/meta/entry_replay.h"
#include "bactrian/table/commit/live_files.h"
#include "bactrian/table/data_file_paths.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// The values of the BIGINT column `id`, sorted.
inline arrow::Result<std::vector<int64_t>> ReadIds(Table& table) {
  Scan scan = table.NewScan();
  ARROW_ASSIGN_OR_RAISE(const auto plan, scan.Select({"id"}).MakePlan());
  ARROW_ASSIGN_OR_RAISE(const auto reader, plan->ReadAll());
  std::vector<int64_t> ids;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (int64_t i = 0; i < column.length(); ++i) ids.push_back(column.Value(i));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Checks a table again and again; manifests, which never change, are read once.
class WholeTable {
 public:
  /// kCorrupt unless every snapshot is there without a gap, and every manifest and data file of each.
  arrow::Status Check(const TableContext& context);

 private:
  arrow::Result<std::vector<ManifestEntry>> LiveFiles(const TableContext& context, const Snapshot& snapshot);
  std::map<std::string, std::vector<ManifestEntry>> manifests_;
};

inline arrow::Result<std::vector<ManifestEntry>> WholeTable::LiveFiles(const TableContext& context, const Snapshot& snapshot) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestFileMeta> manifests, ReadSnapshotManifests(context, snapshot));
  EntryReplay replay;
  for (const ManifestFileMeta& manifest : manifests) {
    const auto [known, is_new] = manifests_.try_emplace(manifest.file_name);
    if (is_new) {
      ARROW_ASSIGN_OR_RAISE(known->second, ReadManifestEntries(context, {manifest}, nullptr));
    } else {
      ARROW_ASSIGN_OR_RAISE(const bool exists, context.store->Exists(context.paths.ManifestFile(manifest.file_name)));
      if (!exists) return Corrupt("snapshot ", snapshot.id, ": manifest ", manifest.file_name, " is missing");
    }
    for (const ManifestEntry& entry : known->second) ARROW_RETURN_NOT_OK(replay.Apply(entry));
  }
  return replay.FinishLive();
}

inline arrow::Status WholeTable::Check(const TableContext& context) {
  ARROW_ASSIGN_OR_RAISE(const DataFilePaths paths, DataFilePaths::Make(context.paths, *context.schema));
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, context.snapshots->ListIds());
  std::set<std::string> there;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != ids[0] + static_cast<int64_t>(i))
      return Corrupt("snapshot ", ids[0] + static_cast<int64_t>(i), " is missing");
    ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, context.snapshots->Load(ids[i]));
    ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> live, LiveFiles(context, snapshot));
    int64_t rows = 0;
    for (const ManifestEntry& entry : live) {
      rows += entry.file.row_count;
      ARROW_ASSIGN_OR_RAISE(std::string path, paths.DataFile(entry.partition, entry.bucket, entry.file));
      if (there.contains(path)) continue;
      ARROW_ASSIGN_OR_RAISE(const bool exists, context.store->Exists(path));
      if (!exists) return Corrupt("snapshot ", snapshot.id, ": ", path, " is missing");
      there.insert(std::move(path));
    }
    if (snapshot.total_record_count != rows) return Corrupt("snapshot ", snapshot.id, " counts other rows than its files hold");
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
