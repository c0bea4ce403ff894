/// Field ids, unique in a whole table (format reference: schema.md §4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

/// The type with new ids for every field of every ROW in it, counted on from *highest, which is the highest id in use.
/// Post-order: a field's own type is numbered before the field.
TypePtr ReassignFieldIds(const TypePtr& type, int32_t* highest);

/// A new top-level column: its id comes before those inside its type.
Field WithNewFieldIds(Field field, int32_t* highest);

/// Ids of the parts of a collection, as Parquet and ORC files carry them: `id` is that of the nearest field that has one of
/// its own (a column or a field of a ROW), `depth` the steps below it, from 1. They wrap like Java's ints.
int32_t ElementFieldId(int32_t id, int depth);  ///< of an ARRAY or VECTOR
int32_t MapKeyFieldId(int32_t id, int depth);
int32_t MapValueFieldId(int32_t id, int depth);

/// Columns of a structure whose fields have no ids of their own (metadata, system tables): positions serve as ids.
std::vector<Field> NumberedFields(std::vector<std::pair<std::string, TypePtr>> columns);

/// True for the names that the engine keeps for itself: _SEQUENCE_NUMBER, _VALUE_KIND, _LEVEL, rowkind, _ROW_ID, _KEY_*.
bool IsReservedColumnName(std::string_view name);

}  // namespace bactrian
