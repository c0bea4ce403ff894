/// Reading under one schema what was written under another (format reference: schema.md §7).
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bactrian/data_type.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/predicate.h"
#include "bactrian/schema.h"

namespace bactrian {

/// The field with this id, or nullptr.
const Field* FindFieldById(std::span<const Field> fields, int32_t id);

/// The columns that a data file physically holds: those of its schema, or of its `_WRITE_COLS`.
std::vector<Field> PhysicalFields(const TableSchema& data_schema, const DataFileMeta& file);

/// A predicate over a table's columns as one over the columns of a data file.
struct EvolvedPredicate {
  PredicatePtr predicate;  ///< true for every row for which the original is; kTrue when nothing could be carried over
  PredicatePtr residual;   ///< the conjuncts of the original that must be checked again afterwards; kTrue for none
};

/// Columns are matched by field id and renamed to the file's; one that the file lacks is null there. Literals are cast to the
/// file's type where comparing in it gives the same answer. `constant_of` gives the value of a column that is the same in the
/// whole file (partition keys), nullptr for others.
EvolvedPredicate EvolvePredicate(const PredicatePtr& predicate, std::span<const Field> query_fields,
                                 std::span<const Field> data_fields,
                                 const std::function<const Value*(std::string_view column)>& constant_of);

}  // namespace bactrian
