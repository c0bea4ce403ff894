/// The seam between a table and its writing side.
#pragma once

#include <memory>

#include "bactrian/table/table_context.h"
#include "bactrian/write.h"

namespace bactrian {

/// A writer of an append table. Checks every option that it depends on, so that nothing is written under a malformed one.
/// kUnsupported names what cannot be written yet (primary keys, file indexes, row tracking, a type, a format).
arrow::Result<std::unique_ptr<Writer>> MakeAppendWriter(TableContext context, const WriteOptions& options);

arrow::Result<std::unique_ptr<Committer>> MakeCommitter(TableContext context, const CommitOptions& options);

}  // namespace bactrian
