#pragma once

#include <memory>

#include "bactrian/lookup.h"
#include "bactrian/session.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

struct LookupIndex;

/// The files of the snapshot that the table's options name (the newest by default) by key, through the session's cache.
/// kUnsupported for tables without primary key, that show rows of several branches, or whose options name changes.
arrow::Result<std::shared_ptr<const LookupIndex>> FindLookupIndex(const TableContext& context, Session& session);

/// Lookups in that snapshot; `index` saves finding it once more.
arrow::Result<std::shared_ptr<KeyLookup>> MakeTableLookup(const TableContext& context, std::shared_ptr<Session> session,
                                                          const LookupOptions& options,
                                                          std::shared_ptr<const LookupIndex> index = nullptr);

}  // namespace bactrian
