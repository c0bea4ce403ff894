#include "bactrian/types/binary_cells.h"

#include <arrow/type.h>

namespace bactrian {
namespace {

const TypePtr& MultisetCount() {
  static const TypePtr count = DataType::Int(/*nullable=*/false);
  return count;
}

/// Key and value of a MAP, element and count of a MULTISET.
const DataType& MapKey(const DataType& type) { return *type.children()[0]; }
const DataType& MapValue(const DataType& type) {
  return type.root() == TypeRoot::kMultiset ? *MultisetCount() : *type.children()[1];
}

size_t ArrayFixedBytes(const DataType& element, int64_t length) {
  return PaddedTo8(ArrayHeaderBytes(static_cast<size_t>(length)) + ElementWidth(element) * static_cast<size_t>(length));
}

size_t ArrayBytes(const DataType& element, const arrow::Array& values, int64_t begin, int64_t length) {
  return ArrayFixedBytes(element, length) + VariableBytes(element, values, begin, length, Container::kArray);
}

size_t WriteArray(const DataType& element, const arrow::Array& values, int64_t begin, int64_t length, char* base) {
  Store(base, static_cast<int32_t>(length));
  const size_t width = ElementWidth(element);
  SlotWriter writer(base, ArrayFixedBytes(element, length));
  WithCellWriter(element, values, Container::kArray, [&](const auto& write_cell) {
    char* slot = base + ArrayHeaderBytes(static_cast<size_t>(length));
    for (int64_t i = 0; i < length; ++i, slot += width) {
      if (values.IsNull(begin + i)) {
        base[4 + i / 8] = static_cast<char>(base[4 + i / 8] | 1 << (i % 8));
      } else {
        write_cell(begin + i, slot, &writer);
      }
    }
  });
  return writer.end();
}

size_t WriteMap(const DataType& type, const arrow::MapArray& map, int64_t i, char* base) {
  const int64_t begin = map.value_offset(i), length = map.value_length(i);
  const size_t keys = WriteArray(MapKey(type), *map.keys(), begin, length, base + 4);
  Store(base, static_cast<int32_t>(keys));
  return 4 + keys + WriteArray(MapValue(type), *map.items(), begin, length, base + 4 + keys);
}

size_t WriteRow(const DataType& type, const arrow::StructArray& row, int64_t i, char* base) {
  const size_t arity = type.fields().size();
  SlotWriter writer(base, RowFixedBytes(arity));
  for (size_t f = 0; f < arity; ++f) {
    const DataType& field = *type.fields()[f].type;
    const std::shared_ptr<arrow::Array> child = row.field(static_cast<int>(f));
    char* slot = base + RowNullBytes(arity) + kSlotBytes * f;
    if (child->IsNull(i)) {
      SetRowBit(base, f);
      writer.PutReserved(slot, ReservedBytes(field));
    } else {
      WithCellWriter(field, *child, Container::kRow, [&](const auto& write_cell) { write_cell(i, slot, &writer); });
    }
  }
  return writer.end();
}

/// The elements' region is a multiple of 8 bytes, and its padding counts, as the reference's BinaryVector has it.
size_t VectorBytes(const DataType& type) {
  return 4 + PaddedTo8(ElementWidth(*type.children()[0]) * static_cast<size_t>(type.length()));
}

/// Packed elements without null bits; a null among them is left zero.
size_t WriteVector(const DataType& type, const arrow::FixedSizeListArray& vector, int64_t i, char* base) {
  const DataType& element = *type.children()[0];
  const int64_t begin = vector.value_offset(i), length = type.length();
  const size_t width = ElementWidth(element);
  Store(base, static_cast<int32_t>(length));
  SlotWriter writer(base, VectorBytes(type));
  WithCellWriter(element, *vector.values(), Container::kArray, [&](const auto& write_cell) {
    for (int64_t k = 0; k < length; ++k) {
      if (!vector.values()->IsNull(begin + k)) write_cell(begin + k, base + 4 + width * static_cast<size_t>(k), &writer);
    }
  });
  return writer.end();
}

std::pair<std::string_view, std::string_view> VariantParts(const arrow::StructArray& variant, int64_t i) {
  return {static_cast<const arrow::BinaryArray&>(*variant.field(0)).GetView(i),
          static_cast<const arrow::BinaryArray&>(*variant.field(1)).GetView(i)};
}

size_t WriteVariant(const arrow::StructArray& variant, int64_t i, char* base) {
  const auto [value, metadata] = VariantParts(variant, i);
  Store(base, static_cast<int32_t>(value.size()));
  value.copy(base + 4, value.size());
  metadata.copy(base + 4 + value.size(), metadata.size());
  return 4 + value.size() + metadata.size();
}

arrow::Status CheckChildren(const DataType& type, const arrow::DataType& arrow_type) {
  switch (type.root()) {
    case TypeRoot::kArray:
      return CheckArrowType(*type.children()[0], *arrow_type.field(0)->type());
    case TypeRoot::kVector:
      if (static_cast<const arrow::FixedSizeListType&>(arrow_type).list_size() != type.length()) {
        return Invalid(type.ToSqlString(), " cannot come from ", arrow_type.ToString());
      }
      return CheckArrowType(*type.children()[0], *arrow_type.field(0)->type());
    case TypeRoot::kMultiset:
    case TypeRoot::kMap: {
      const auto& map = static_cast<const arrow::MapType&>(arrow_type);
      ARROW_RETURN_NOT_OK(CheckArrowType(MapKey(type), *map.key_type()));
      return CheckArrowType(MapValue(type), *map.item_type());
    }
    case TypeRoot::kRow:
      if (arrow_type.num_fields() != static_cast<int>(type.fields().size())) {
        return Invalid(type.ToSqlString(), " cannot come from ", arrow_type.ToString());
      }
      for (int i = 0; i < arrow_type.num_fields(); ++i) {
        ARROW_RETURN_NOT_OK(CheckArrowType(*type.fields()[static_cast<size_t>(i)].type, *arrow_type.field(i)->type()));
      }
      return arrow::Status::OK();
    default:
      return arrow::Status::OK();
  }
}

}  // namespace

arrow::Status CheckArrowType(const DataType& type, const arrow::DataType& arrow_type) {
  ARROW_ASSIGN_OR_RAISE(const auto expected, ToArrowType(type));
  const bool same = type.is_nested() ? expected->id() == arrow_type.id() : expected->Equals(arrow_type);
  if (!same) return Invalid(type.ToSqlString(), " cannot come from ", arrow_type.ToString());
  return CheckChildren(type, arrow_type);
}

size_t ElementWidth(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyint:
      return 1;
    case TypeRoot::kSmallint:
      return 2;
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kFloat:
      return 4;
    default:
      return kSlotBytes;
  }
}

size_t VariableBytes(const DataType& type, const arrow::Array& array, int64_t begin, int64_t length, Container container) {
  const size_t reserved = ReservedBytes(type);
  size_t total = 0;
  if (type.is_nested() || type.root() == TypeRoot::kVariant) {
    for (int64_t i = begin; i < begin + length; ++i) {
      if (!array.IsNull(i)) total += PaddedTo8(NestedBytes(type, array, i));
    }
  } else if (reserved > 0) {
    if (container == Container::kRow) return reserved * static_cast<size_t>(length);
    for (int64_t i = begin; i < begin + length; ++i) total += array.IsNull(i) ? 0 : reserved;
  } else if (array.type_id() == arrow::Type::STRING || array.type_id() == arrow::Type::BINARY) {
    const auto& bytes = static_cast<const arrow::BinaryArray&>(array);
    for (int64_t i = begin; i < begin + length; ++i) {
      const auto size = static_cast<size_t>(bytes.value_length(i));
      if (size > kMaxInlineBytes && !array.IsNull(i)) total += PaddedTo8(size);
    }
  }
  return total;
}

size_t NestedBytes(const DataType& type, const arrow::Array& array, int64_t i) {
  switch (type.root()) {
    case TypeRoot::kArray: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      return ArrayBytes(*type.children()[0], *list.values(), list.value_offset(i), list.value_length(i));
    }
    case TypeRoot::kVector:
      return VectorBytes(type);
    case TypeRoot::kMultiset:
    case TypeRoot::kMap: {
      const auto& map = static_cast<const arrow::MapArray&>(array);
      const int64_t begin = map.value_offset(i), length = map.value_length(i);
      return 4 + ArrayBytes(MapKey(type), *map.keys(), begin, length) + ArrayBytes(MapValue(type), *map.items(), begin, length);
    }
    case TypeRoot::kVariant: {
      const auto [value, metadata] = VariantParts(static_cast<const arrow::StructArray&>(array), i);
      return 4 + value.size() + metadata.size();
    }
    default: {
      const auto& row = static_cast<const arrow::StructArray&>(array);
      size_t total = RowFixedBytes(type.fields().size());
      for (size_t f = 0; f < type.fields().size(); ++f) {
        total += VariableBytes(*type.fields()[f].type, *row.field(static_cast<int>(f)), i, 1, Container::kRow);
      }
      return total;
    }
  }
}

size_t WriteNested(const DataType& type, const arrow::Array& array, int64_t i, char* base) {
  switch (type.root()) {
    case TypeRoot::kArray: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      return WriteArray(*type.children()[0], *list.values(), list.value_offset(i), list.value_length(i), base);
    }
    case TypeRoot::kVector:
      return WriteVector(type, static_cast<const arrow::FixedSizeListArray&>(array), i, base);
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
      return WriteMap(type, static_cast<const arrow::MapArray&>(array), i, base);
    case TypeRoot::kVariant:
      return WriteVariant(static_cast<const arrow::StructArray&>(array), i, base);
    default:
      return WriteRow(type, static_cast<const arrow::StructArray&>(array), i, base);
  }
}

}  // namespace bactrian
