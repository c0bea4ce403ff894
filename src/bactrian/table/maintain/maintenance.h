#pragma once

#include "bactrian/maintain.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

arrow::Result<ExpireResult> ExpireSnapshots(const TableContext& context, const ExpireOptions& options);
arrow::Result<OrphanResult> RemoveOrphanFiles(const TableContext& context, const OrphanOptions& options);

}  // namespace bactrian
