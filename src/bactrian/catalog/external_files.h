#pragma once

#include "bactrian/io/file_store.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/session.h"

namespace bactrian {

/// Deletes the data files (and files beside them) that manifests of the table name outside of its folder, in directories that
/// the table may use. Other files there stay: the root may be shared by tables.
arrow::Status DeleteExternalFiles(const std::shared_ptr<FileStore>& store, const TablePaths& paths,
                                  const SessionOptions& session);

}  // namespace bactrian
