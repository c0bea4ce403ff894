#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bactrian/meta/snapshot.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Names (they carry UUIDs) of the files that snapshots refer to. Data files: those that are live in a snapshot.
struct FileReferences {
  std::unordered_set<std::string> metadata;    ///< in manifest/, index/ and statistics/
  std::unordered_set<std::string> data_files;  ///< with extra files and changelog files
};

/// Adds the metadata files of one snapshot.
arrow::Status AddMetadataOf(const TableContext& context, const Snapshot& snapshot, FileReferences* references);

/// Adds the live data files and changelog files of one snapshot.
arrow::Status AddDataFilesOf(const TableContext& context, const Snapshot& snapshot, FileReferences* references);

/// Adds all that the snapshots, tags and long-lived changelogs of a branch need.
arrow::Status AddReferencesOfBranch(const TableContext& context, FileReferences* references);

/// The table's other branches, main included.
arrow::Result<std::vector<TableContext>> OtherBranches(const TableContext& context);

}  // namespace bactrian
