/// The files that make up a snapshot (format reference: manifest.md §4).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bactrian/meta/manifest.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Manifests of the snapshot's base list and delta list, in replay order.
arrow::Result<std::vector<ManifestFileMeta>> ReadSnapshotManifests(const TableContext& context, const Snapshot& snapshot);

/// Entries of the manifests, in order, as they stand there. `head_filter` may be empty.
arrow::Result<std::vector<ManifestEntry>> ReadManifestEntries(const TableContext& context,
                                                              const std::vector<ManifestFileMeta>& manifests,
                                                              const EntryHeadFilter& head_filter);

/// The live files of a snapshot: in the given partitions (serialised rows), or all.
arrow::Result<std::vector<ManifestEntry>> ReadLiveFiles(const TableContext& context, const Snapshot& snapshot,
                                                        const std::set<std::string, std::less<>>* partitions);

/// The live files of the newest snapshot, whatever expires meanwhile; none if the table has no snapshot.
arrow::Result<std::vector<ManifestEntry>> ReadNewestLiveFiles(const TableContext& context,
                                                              const std::set<std::string, std::less<>>* partitions);

/// Whether an error can come from reading a snapshot that expired meanwhile: then the newest one is to be read again.
bool MayHaveExpired(const arrow::Status& error);

}  // namespace bactrian
