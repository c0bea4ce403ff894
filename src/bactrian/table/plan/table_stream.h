#pragma once

#include <memory>

#include "bactrian/session.h"
#include "bactrian/stream.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// Follows one branch (format reference: query.md §5). kInvalid for options that no stream can start from.
arrow::Result<std::unique_ptr<ChangeStream>> MakeTableStream(const TableContext& context, std::shared_ptr<Session> session,
                                                             const Scan& scan);

}  // namespace bactrian
