#pragma once

#include <memory>

#include "bactrian/lookup.h"
#include "bactrian/session.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Lookups in the snapshot that the table's options name, the newest by default. kUnsupported for tables without primary key.
arrow::Result<std::shared_ptr<KeyLookup>> MakeTableLookup(const TableContext& context, std::shared_ptr<Session> session,
                                                          const LookupOptions& options);

}  // namespace bactrian
