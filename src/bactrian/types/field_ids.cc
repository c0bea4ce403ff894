#include "bactrian/types/field_ids.h"

#include <algorithm>
#include <array>

namespace bactrian {
namespace {

constexpr uint32_t kStructureBase = 536870911;  ///< a quarter of the largest int
constexpr uint32_t kStructureDepths = 1024;     ///< ids set aside for the parts of one field

uint32_t PartOffset(int32_t id, int depth) {
  return static_cast<uint32_t>(id) * kStructureDepths + static_cast<uint32_t>(depth);
}

}  // namespace

TypePtr ReassignFieldIds(const TypePtr& type, int32_t* highest) {
  const bool nullable = type->nullable();
  switch (type->root()) {
    case TypeRoot::kArray:
      return DataType::Array(ReassignFieldIds(type->children()[0], highest), nullable);
    case TypeRoot::kMultiset:
      return DataType::Multiset(ReassignFieldIds(type->children()[0], highest), nullable);
    case TypeRoot::kMap: {
      TypePtr key = ReassignFieldIds(type->children()[0], highest);
      TypePtr value = ReassignFieldIds(type->children()[1], highest);
      return DataType::Map(std::move(key), std::move(value), nullable);
    }
    case TypeRoot::kRow: {
      std::vector<Field> fields = type->fields();
      for (Field& field : fields) {
        field.type = ReassignFieldIds(field.type, highest);
        field.id = ++*highest;
      }
      return DataType::Row(std::move(fields), nullable);
    }
    default:
      return type;  // atomic, and VECTOR, whose element is atomic
  }
}

Field WithNewFieldIds(Field field, int32_t* highest) {
  field.id = ++*highest;
  field.type = ReassignFieldIds(field.type, highest);
  return field;
}

int32_t ElementFieldId(int32_t id, int depth) { return static_cast<int32_t>(kStructureBase + PartOffset(id, depth)); }
int32_t MapKeyFieldId(int32_t id, int depth) { return static_cast<int32_t>(kStructureBase - PartOffset(id, depth)); }
int32_t MapValueFieldId(int32_t id, int depth) { return ElementFieldId(id, depth); }

std::vector<Field> NumberedFields(std::vector<std::pair<std::string, TypePtr>> columns) {
  std::vector<Field> fields;
  fields.reserve(columns.size());
  for (auto& [name, type] : columns) {
    fields.push_back({static_cast<int32_t>(fields.size()), std::move(name), std::move(type), std::nullopt, std::nullopt});
  }
  return fields;
}

bool IsReservedColumnName(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.substr(0, 5) == "_KEY_";
}

}  // namespace bactrian
