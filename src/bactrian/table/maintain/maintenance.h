#pragma once

#include "bactrian/maintain.h"
#include "bactrian/table/table_context.h"

namespace bactrian {

/// What a table's options say of how long snapshots live (format reference: snapshot.md §10).
struct RetentionOptions {
  /// kInvalid names the malformed option.
  static arrow::Result<RetentionOptions> Make(const Options& options);

  int64_t retain_min = 10;
  int64_t retain_max = INT32_MAX;
  int64_t time_retained_millis = 3'600'000;
  int64_t limit = 50;
  bool clean_empty_directories = false;
};

arrow::Result<ExpireResult> ExpireSnapshots(const TableContext& context, const ExpireOptions& options);

/// The expiry that follows the commit of snapshot `latest_id`. Where nothing is to expire it costs the same however many
/// snapshots there are.
arrow::Status ExpireAfterCommit(const TableContext& context, int64_t latest_id);

arrow::Result<OrphanResult> RemoveOrphanFiles(const TableContext& context, const OrphanOptions& options);

}  // namespace bactrian
