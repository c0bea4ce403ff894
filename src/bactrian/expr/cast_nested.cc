// Reading nested types of an older schema: ROW fields are matched by id, in ROW, ARRAY and MAP alike.
#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/type.h>

#include "bactrian/expr/cast_kernels.h"

namespace bactrian {
namespace {

/// One field of the target: where it is in the source (-1: nowhere, all null) and how it gets there.
struct FieldCast {
  int source = -1;
  CastPtr cast{};
  ArrowTypePtr type{};
};

arrow::Result<std::shared_ptr<arrow::ArrayData>> CastField(const FieldCast& field, const arrow::StructArray& rows,
                                                           arrow::MemoryPool* pool) {
  std::shared_ptr<arrow::Array> result;
  if (field.source < 0) {
    ARROW_ASSIGN_OR_RAISE(result, arrow::MakeArrayOfNull(field.type, rows.length(), pool));
  } else {
    // Flattened: what lies under a null row may be anything, and must not fail a cast.
    ARROW_ASSIGN_OR_RAISE(auto values, rows.GetFlattenedField(field.source, pool));
    ARROW_ASSIGN_OR_RAISE(result, field.cast->Apply(values, pool));
  }
  return result->data();
}

arrow::Result<CastPtr> MakeRowCast(const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  std::vector<FieldCast> fields;
  for (size_t i = 0; i < to.fields().size(); ++i) {
    FieldCast field{.type = type->field(static_cast<int>(i))->type()};
    for (size_t j = 0; j < from.fields().size(); ++j) {
      if (from.fields()[j].id != to.fields()[i].id) continue;
      field.source = static_cast<int>(j);
      ARROW_ASSIGN_OR_RAISE(field.cast, Cast::Make(from.fields()[j].type, to.fields()[i].type));
    }
    fields.push_back(std::move(field));
  }
  return MakeFunctionCast(
      [type, fields = std::move(fields)](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
        const auto& rows = static_cast<const arrow::StructArray&>(*array);
        ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity, ValidityOf(rows, pool));
        std::vector<std::shared_ptr<arrow::ArrayData>> children;
        for (const FieldCast& field : fields) {
          ARROW_ASSIGN_OR_RAISE(children.emplace_back(), CastField(field, rows, pool));
        }
        return arrow::MakeArray(
            arrow::ArrayData::Make(type, rows.length(), {std::move(validity)}, std::move(children), rows.null_count()));
      });
}

/// The same lists, of another type, over `child`, which holds the cast elements from the first one that `lists` refers to.
ArrayResult WithChild(const arrow::ListArray& lists, const ArrowTypePtr& type, std::shared_ptr<arrow::ArrayData> child,
                      arrow::MemoryPool* pool) {
  const int64_t length = lists.length();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity, ValidityOf(lists, pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets,
                        arrow::AllocateBuffer((length + 1) * static_cast<int64_t>(sizeof(int32_t)), pool));
  auto* out = offsets->mutable_data_as<int32_t>();
  for (int64_t i = 0; i <= length; ++i) out[i] = lists.value_offset(i) - lists.value_offset(0);
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, length, {std::move(validity), std::move(offsets)}, {std::move(child)}, lists.null_count()));
}

std::shared_ptr<arrow::Array> UsedElements(const arrow::ListArray& lists) {
  const int32_t first = lists.value_offset(0);
  return lists.values()->Slice(first, lists.value_offset(lists.length()) - first);
}

arrow::Result<CastPtr> MakeArrayCast(const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  ARROW_ASSIGN_OR_RAISE(CastPtr element, Cast::Make(from.children()[0], to.children()[0]));
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    const auto& lists = static_cast<const arrow::ListArray&>(*array);
    ARROW_ASSIGN_OR_RAISE(auto elements, element->Apply(UsedElements(lists), pool));
    return WithChild(lists, type, elements->data(), pool);
  });
}

arrow::Result<CastPtr> MakeMapCast(const DataType& from, const DataType& to, const ArrowTypePtr& type) {
  if (!from.children()[0]->EqualsIgnoreNullable(*to.children()[0])) {
    return Unsupported("no cast from ", from.ToSqlString(), " to ", to.ToSqlString(), ": the key types differ");
  }
  ARROW_ASSIGN_OR_RAISE(CastPtr item, Cast::Make(from.children()[1], to.children()[1]));
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    const auto& maps = static_cast<const arrow::MapArray&>(*array);
    const std::shared_ptr<arrow::Array> used = UsedElements(maps);
    const auto& entries = static_cast<const arrow::StructArray&>(*used);
    ARROW_ASSIGN_OR_RAISE(auto items, item->Apply(entries.field(1), pool));
    auto cast_entries = arrow::ArrayData::Make(static_cast<const arrow::MapType&>(*type).value_type(), entries.length(),
                                               {nullptr}, {entries.field(0)->data(), items->data()}, 0);
    return WithChild(maps, type, std::move(cast_entries), pool);
  });
}

}  // namespace

arrow::Result<CastPtr> MakeNestedCast(const TypePtr& from, const TypePtr& to, const ArrowTypePtr& type) {
  if (from->root() != to->root()) return CastPtr();
  switch (to->root()) {
    case TypeRoot::kRow:
      return MakeRowCast(*from, *to, type);
    case TypeRoot::kArray:
      return MakeArrayCast(*from, *to, type);
    case TypeRoot::kMap:
      return MakeMapCast(*from, *to, type);
    default:
      return CastPtr();
  }
}

}  // namespace bactrian
