#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/scan.h"
#include "compat.h"

namespace bactrian::sql {

struct ScanSource;

/// A filter that leaves no more keys than this is looked up; one key after the other, each may cost a page of each column.
inline constexpr size_t kMaxLookupKeys = 256;

/// Adds the setting `paimon_key_lookup` to a database: false scans instead.
void RegisterKeyLookupSetting(duckdb::DBConfig& config);
bool LooksUpKeys(duckdb::ClientContext& context);

/// The plan that looks rows of a primary-key table up: for a predicate that fixes every column of the key by `=` or IN, to at
/// most kMaxLookupKeys keys in all. nullptr for another predicate or table, which is scanned. Its rows are all of these keys:
/// whoever asks applies the predicate.
arrow::Result<std::shared_ptr<Plan>> PlanKeyLookup(const ScanSource& source, const PredicatePtr& predicate);

/// How many keys the plan looks up; nullopt if it scans.
std::optional<int64_t> KeysLookedUp(const Plan& plan);

/// The rows of such a plan's split with these columns; nullptr for a split of another plan.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadKeyLookup(const ScanSource& source, const Split& split,
                                                                       const std::vector<std::string>& columns);

}  // namespace bactrian::sql
