#include "bactrian/format/parquet/shredded_variant.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <optional>

#include "bactrian/types/variant_builder.h"
#include "bactrian/types/variant_reader.h"

namespace bactrian {
namespace {

using parquet::LogicalType;
using parquet::schema::GroupNode;
using parquet::schema::Node;
using parquet::schema::PrimitiveNode;

constexpr char kMetadata[] = "metadata", kValue[] = "value", kTypedValue[] = "typed_value";
/// The file's structure decides how deep types nest.
constexpr int kMaxTypeDepth = 100;

TypePtr IntegerType(const PrimitiveNode& node) {
  const LogicalType& logical = *node.logical_type();
  if (logical.is_date()) return DataType::Make(TypeRoot::kDate);
  if (logical.is_timestamp()) {
    const auto& timestamp = static_cast<const parquet::TimestampLogicalType&>(logical);
    if (timestamp.time_unit() == LogicalType::TimeUnit::NANOS) return nullptr;
    const bool in_utc = timestamp.is_adjusted_to_utc();
    return DataType::WithPrecision(in_utc ? TypeRoot::kTimestampLtz : TypeRoot::kTimestamp, 6);
  }
  if (logical.is_int()) {
    const auto& integer = static_cast<const parquet::IntLogicalType&>(logical);
    if (!integer.is_signed()) return nullptr;
    if (integer.bit_width() == 8) return DataType::Make(TypeRoot::kTinyint);
    if (integer.bit_width() == 16) return DataType::Make(TypeRoot::kSmallint);
  } else if (!logical.is_none()) {
    return nullptr;
  }
  return node.physical_type() == parquet::Type::INT32 ? DataType::Int() : DataType::Bigint();
}

/// nullptr for a type that no VARIANT is shredded into.
TypePtr ScalarType(const PrimitiveNode& node) {
  const LogicalType& logical = *node.logical_type();
  if (logical.is_decimal()) {
    const auto& decimal = static_cast<const parquet::DecimalLogicalType&>(logical);
    return decimal.precision() > 38 ? nullptr : DataType::Decimal(decimal.precision(), decimal.scale());
  }
  switch (node.physical_type()) {
    case parquet::Type::BOOLEAN:
      return DataType::Make(TypeRoot::kBoolean);
    case parquet::Type::INT32:
    case parquet::Type::INT64:
      return IntegerType(node);
    case parquet::Type::FLOAT:
      return DataType::Make(TypeRoot::kFloat);
    case parquet::Type::DOUBLE:
      return DataType::Make(TypeRoot::kDouble);
    case parquet::Type::BYTE_ARRAY:
      if (logical.is_string()) return DataType::String();
      return logical.is_none() ? DataType::Bytes() : nullptr;
    default:
      return nullptr;
  }
}

class TypeReader {
 public:
  TypeReader(const std::string& path, const std::string& column) : path_(path), column_(column) {}

  /// A group of value and typed_value; at the top of metadata, too.
  arrow::Result<TypePtr> Group(const Node& node, bool is_top, int depth) const {
    if (!node.is_group() || node.is_repeated() || depth > kMaxTypeDepth) return Malformed(node);
    const auto& group = static_cast<const GroupNode&>(node);
    std::vector<Field> fields;
    for (int i = 0; i < group.field_count(); ++i) {
      const Node& field = *group.field(i);
      if (field.name() == kTypedValue) {
        ARROW_ASSIGN_OR_RAISE(TypePtr type, TypedValue(field, depth + 1));
        fields.push_back({i, kTypedValue, std::move(type)});
      } else if (field.name() == kValue || (is_top && field.name() == kMetadata)) {
        fields.push_back({i, field.name(), DataType::Bytes()});
      } else {
        return Malformed(field);
      }
    }
    if (fields.empty()) return Malformed(node);
    return DataType::Row(std::move(fields));
  }

 private:
  arrow::Result<TypePtr> TypedValue(const Node& node, int depth) const {
    if (node.is_repeated()) return Malformed(node);
    if (node.is_primitive()) {
      TypePtr type = ScalarType(static_cast<const PrimitiveNode&>(node));
      return type ? type : arrow::Result<TypePtr>(Malformed(node));
    }
    const auto& group = static_cast<const GroupNode&>(node);
    if (group.logical_type()->is_list()) {
      const Node* list = group.field_count() == 1 ? group.field(0).get() : nullptr;
      if (list == nullptr || !list->is_group() || !list->is_repeated()) return Malformed(node);
      const auto& repeated = static_cast<const GroupNode&>(*list);
      if (repeated.field_count() != 1) return Malformed(node);
      ARROW_ASSIGN_OR_RAISE(TypePtr element, Group(*repeated.field(0), /*is_top=*/false, depth + 1));
      return DataType::Array(std::move(element));
    }
    std::vector<Field> fields;
    for (int i = 0; i < group.field_count(); ++i) {
      ARROW_ASSIGN_OR_RAISE(TypePtr type, Group(*group.field(i), /*is_top=*/false, depth + 1));
      fields.push_back({i, group.field(i)->name(), std::move(type)});
    }
    if (fields.empty()) return Malformed(node);
    return DataType::Row(std::move(fields));
  }

  arrow::Status Malformed(const Node& node) const {
    return Corrupt("parquet file ", path_, ": column ", column_, " is a shredded VARIANT with an unknown structure at ",
                   node.name());
  }

  const std::string& path_;
  const std::string& column_;
};

/// One level of the columns: a value in the binary encoding, a typed one, for objects (in part) both, for a missing one none.
struct Level {
  std::shared_ptr<arrow::BinaryArray> value;
  std::shared_ptr<arrow::Array> typed;
  TypePtr type;                    // of `typed`
  std::vector<std::string> names;  // an object's shredded fields
  std::vector<Level> children;     // those fields, or an array's elements

  bool HasValue(int64_t row) const { return value && value->IsValid(row); }
  bool HasTyped(int64_t row) const { return typed && typed->IsValid(row); }
};

Level MakeLevel(const arrow::StructArray& group, const DataType& type) {
  Level level;
  for (size_t i = 0; i < type.fields().size(); ++i) {
    const Field& field = type.fields()[i];
    const std::shared_ptr<arrow::Array> array = group.field(static_cast<int>(i));
    if (field.name == kValue) level.value = std::static_pointer_cast<arrow::BinaryArray>(array);
    if (field.name != kTypedValue) continue;
    level.typed = array;
    level.type = field.type;
    if (field.type->root() == TypeRoot::kArray) {
      const auto& elements = static_cast<const arrow::StructArray&>(*static_cast<const arrow::ListArray&>(*array).values());
      level.children.push_back(MakeLevel(elements, *field.type->children()[0]));
    } else if (field.type->root() == TypeRoot::kRow) {
      const auto& object = static_cast<const arrow::StructArray&>(*array);
      for (size_t f = 0; f < field.type->fields().size(); ++f) {
        level.names.push_back(field.type->fields()[f].name);
        const auto child = object.field(static_cast<int>(f));
        level.children.push_back(MakeLevel(static_cast<const arrow::StructArray&>(*child), *field.type->fields()[f].type));
      }
    }
  }
  return level;
}

template <typename T>
const T& As(const arrow::Array& array) {
  return static_cast<const T&>(array);
}

class Assembler {
 public:
  /// The VARIANT at `row` of `level`, its names in the dictionary `metadata`, is appended to the builder.
  arrow::Status Append(const Level& level, int64_t row, std::string_view metadata) {
    if (level.HasTyped(row)) {
      if (level.type->root() == TypeRoot::kArray) return AppendArray(level, row, metadata);
      if (level.type->root() == TypeRoot::kRow) return AppendObject(level, row, metadata);
      AppendScalar(level, row);
      return arrow::Status::OK();
    }
    if (!level.HasValue(row)) return Corrupt("a shredded VARIANT has neither value nor typed_value");
    return builder_.AppendVariant({level.value->GetView(row), metadata});
  }

  VariantBuilder& builder() { return builder_; }

 private:
  arrow::Status AppendArray(const Level& level, int64_t row, std::string_view metadata) {
    const auto& list = As<arrow::ListArray>(*level.typed);
    const size_t start = builder_.position();
    std::vector<size_t> offsets;
    for (int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
      offsets.push_back(builder_.position() - start);
      ARROW_RETURN_NOT_OK(Append(level.children[0], i, metadata));
    }
    builder_.FinishArray(start, offsets);
    return arrow::Status::OK();
  }

  arrow::Status AppendObject(const Level& level, int64_t row, std::string_view metadata) {
    const size_t start = builder_.position();
    std::vector<VariantBuilder::FieldEntry> fields;
    for (size_t f = 0; f < level.children.size(); ++f) {
      const Level& child = level.children[f];
      if (!child.HasTyped(row) && !child.HasValue(row)) continue;
      fields.push_back({level.names[f], builder_.AddName(level.names[f]), builder_.position() - start});
      ARROW_RETURN_NOT_OK(Append(child, row, metadata));
    }
    if (level.HasValue(row)) ARROW_RETURN_NOT_OK(AppendLeftOver(level, row, metadata, start, &fields));
    return builder_.FinishObject(start, std::move(fields));
  }

  /// An object's fields that have no typed column.
  arrow::Status AppendLeftOver(const Level& level, int64_t row, std::string_view metadata, size_t start,
                               std::vector<VariantBuilder::FieldEntry>* fields) {
    ARROW_ASSIGN_OR_RAISE(const VariantNode node, VariantNode::Parse(level.value->GetView(row)));
    if (node.basic_type() != VariantBasicType::kObject) {
      return Corrupt("a shredded VARIANT has a typed object and a value that is none");
    }
    ARROW_ASSIGN_OR_RAISE(const VariantMetadata dictionary, VariantMetadata::Parse(metadata));
    for (uint32_t i = 0; i < node.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view name, dictionary.Name(node.FieldId(i)));
      fields->push_back({std::string(name), builder_.AddName(name), builder_.position() - start});
      ARROW_ASSIGN_OR_RAISE(const VariantNode child, node.Child(i));
      ARROW_RETURN_NOT_OK(builder_.AppendVariant({child.bytes(), metadata}));
    }
    return arrow::Status::OK();
  }

  void AppendScalar(const Level& level, int64_t row) {
    const arrow::Array& array = *level.typed;
    switch (level.type->root()) {
      case TypeRoot::kBoolean:
        return builder_.AppendBoolean(As<arrow::BooleanArray>(array).Value(row));
      case TypeRoot::kTinyint:
        return builder_.AppendLong(As<arrow::Int8Array>(array).Value(row));
      case TypeRoot::kSmallint:
        return builder_.AppendLong(As<arrow::Int16Array>(array).Value(row));
      case TypeRoot::kInt:
        return builder_.AppendLong(As<arrow::Int32Array>(array).Value(row));
      case TypeRoot::kBigint:
        return builder_.AppendLong(As<arrow::Int64Array>(array).Value(row));
      case TypeRoot::kFloat:
        return builder_.AppendFloat(As<arrow::FloatArray>(array).Value(row));
      case TypeRoot::kDouble:
        return builder_.AppendDouble(As<arrow::DoubleArray>(array).Value(row));
      case TypeRoot::kDecimal:
        return builder_.AppendDecimal(arrow::Decimal128(As<arrow::Decimal128Array>(array).GetValue(row)), level.type->scale());
      case TypeRoot::kDate:
        return builder_.AppendDate(As<arrow::Date32Array>(array).Value(row));
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        return builder_.AppendTimestamp(As<arrow::TimestampArray>(array).Value(row),
                                        level.type->root() == TypeRoot::kTimestampLtz);
      case TypeRoot::kVarchar:
        return builder_.AppendString(As<arrow::StringArray>(array).GetView(row));
      default:
        return builder_.AppendBinary(As<arrow::BinaryArray>(array).GetView(row));
    }
  }

  VariantBuilder builder_;
};

}  // namespace

bool IsShreddedVariant(const Node& node) {
  return node.is_group() && static_cast<const GroupNode&>(node).FieldIndex(kTypedValue) >= 0;
}

arrow::Result<TypePtr> ShreddedVariantType(const Node& node, const std::string& path, const std::string& column) {
  return TypeReader(path, column).Group(node, /*is_top=*/true, 0);
}

arrow::Result<std::shared_ptr<arrow::Array>> AssembleVariants(const arrow::StructArray& shredded, const DataType& type,
                                                              arrow::MemoryPool* pool) {
  const auto& fields = type.fields();
  const auto found = std::find_if(fields.begin(), fields.end(), [](const Field& field) { return field.name == kMetadata; });
  if (found == fields.end()) return Corrupt("a shredded VARIANT has no metadata");
  const std::shared_ptr<arrow::Array> metadata_array = shredded.field(static_cast<int>(found - fields.begin()));
  const auto& metadata = static_cast<const arrow::BinaryArray&>(*metadata_array);
  const Level top = MakeLevel(shredded, type);
  Assembler assembler;
  arrow::BinaryBuilder values(pool), dictionaries(pool);
  for (int64_t row = 0; row < shredded.length(); ++row) {
    if (shredded.IsNull(row)) {
      ARROW_RETURN_NOT_OK(values.AppendEmptyValue());
      ARROW_RETURN_NOT_OK(dictionaries.AppendEmptyValue());
      continue;
    }
    if (metadata.IsNull(row)) return Corrupt("a shredded VARIANT has no metadata");
    assembler.builder().Clear();
    ARROW_RETURN_NOT_OK(assembler.Append(top, row, metadata.GetView(row)));
    ARROW_RETURN_NOT_OK(values.Append(assembler.builder().value()));
    ARROW_RETURN_NOT_OK(dictionaries.Append(assembler.builder().Metadata()));
  }
  std::shared_ptr<arrow::Array> value_array, dictionary_array;
  ARROW_RETURN_NOT_OK(values.Finish(&value_array));
  ARROW_RETURN_NOT_OK(dictionaries.Finish(&dictionary_array));
  ARROW_ASSIGN_OR_RAISE(auto arrow_type, ToArrowType(*DataType::Make(TypeRoot::kVariant)));
  return std::make_shared<arrow::StructArray>(std::move(arrow_type), shredded.length(),
                                              arrow::ArrayVector{std::move(value_array), std::move(dictionary_array)},
                                              shredded.null_bitmap(), shredded.null_count(), shredded.offset());
}

}  // namespace bactrian
