/// Between Paimon and Arrow types.
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include <charconv>

#include "bactrian/types/timestamp.h"
#include "bactrian/types/type_json.h"

namespace bactrian {
namespace {

constexpr char kFieldIdKey[] = "PARQUET:field_id";

arrow::Result<std::shared_ptr<arrow::Field>> ChildField(const char* name, const DataType& type) {
  ARROW_ASSIGN_OR_RAISE(auto arrow_type, ToArrowType(type));
  return arrow::field(name, std::move(arrow_type), type.nullable());
}

int32_t UnitPrecision(arrow::TimeUnit::type unit) { return static_cast<int32_t>(unit) * 3; }

arrow::Result<TypePtr> FromArrow(const arrow::DataType& type, bool nullable, int depth);

arrow::Result<TypePtr> FromArrowStruct(const arrow::DataType& type, bool nullable, int depth) {
  std::vector<Field> fields;
  for (const auto& child : type.fields()) {
    Field field{.name = child->name()};
    ARROW_ASSIGN_OR_RAISE(field.type, FromArrow(*child->type(), child->nullable(), depth + 1));
    if (child->metadata() != nullptr) {
      const std::string id = child->metadata()->Get(kFieldIdKey).ValueOr("");
      std::from_chars(id.data(), id.data() + id.size(), field.id);
    }
    fields.push_back(std::move(field));
  }
  return DataType::Row(std::move(fields), nullable);
}

arrow::Result<TypePtr> FromArrowList(const arrow::DataType& type, bool nullable, int depth) {
  const auto& child = *type.field(0);
  ARROW_ASSIGN_OR_RAISE(TypePtr element, FromArrow(*child.type(), child.nullable(), depth + 1));
  if (type.id() == arrow::Type::FIXED_SIZE_LIST) {
    const int32_t length = static_cast<const arrow::FixedSizeListType&>(type).list_size();
    if (CheckVector(*element, length).ok()) return DataType::Vector(element, length, nullable);
  }
  return DataType::Array(element, nullable);
}

arrow::Result<TypePtr> FromArrow(const arrow::DataType& type, bool nullable, int depth) {
  if (depth > kMaxTypeDepth) return Invalid("an Arrow type of more than ", kMaxTypeDepth, " levels");
  switch (type.id()) {
    case arrow::Type::BOOL:
      return DataType::Make(TypeRoot::kBoolean, nullable);
    case arrow::Type::INT8:
      return DataType::Make(TypeRoot::kTinyint, nullable);
    case arrow::Type::INT16:
    case arrow::Type::UINT8:
      return DataType::Make(TypeRoot::kSmallint, nullable);
    case arrow::Type::INT32:
    case arrow::Type::UINT16:
      return DataType::Int(nullable);
    case arrow::Type::INT64:
    case arrow::Type::UINT32:
      return DataType::Bigint(nullable);
    case arrow::Type::UINT64:
      return DataType::Decimal(20, 0, nullable);
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
      return DataType::Make(TypeRoot::kFloat, nullable);
    case arrow::Type::DOUBLE:
      return DataType::Make(TypeRoot::kDouble, nullable);
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return DataType::String(nullable);
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return DataType::Bytes(nullable);
    case arrow::Type::FIXED_SIZE_BINARY: {
      const int32_t width = static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width();
      return width > 0 ? DataType::WithLength(TypeRoot::kBinary, width, nullable) : DataType::Bytes(nullable);
    }
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      if (decimal.precision() > 38 || decimal.scale() < 0 || decimal.scale() > decimal.precision()) break;
      return DataType::Decimal(decimal.precision(), decimal.scale(), nullable);
    }
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return DataType::Make(TypeRoot::kDate, nullable);
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return DataType::WithPrecision(TypeRoot::kTime, UnitPrecision(static_cast<const arrow::TimeType&>(type).unit()),
                                     nullable);
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      return DataType::WithPrecision(timestamp.timezone().empty() ? TypeRoot::kTimestamp : TypeRoot::kTimestampLtz,
                                     UnitPrecision(timestamp.unit()), nullable);
    }
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
    case arrow::Type::FIXED_SIZE_LIST:
      return FromArrowList(type, nullable, depth);
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      ARROW_ASSIGN_OR_RAISE(TypePtr key, FromArrow(*map.key_type(), /*nullable=*/false, depth + 1));
      ARROW_ASSIGN_OR_RAISE(TypePtr value, FromArrow(*map.item_type(), map.item_field()->nullable(), depth + 1));
      return DataType::Map(key, value, nullable);
    }
    case arrow::Type::STRUCT:
      return FromArrowStruct(type, nullable, depth);
    case arrow::Type::DICTIONARY:
      return FromArrow(*static_cast<const arrow::DictionaryType&>(type).value_type(), nullable, depth + 1);
    case arrow::Type::RUN_END_ENCODED:
      return FromArrow(*static_cast<const arrow::RunEndEncodedType&>(type).value_type(), nullable, depth + 1);
    case arrow::Type::EXTENSION:
      return FromArrow(*static_cast<const arrow::ExtensionType&>(type).storage_type(), nullable, depth + 1);
    default:
      break;
  }
  return Unsupported("Paimon has no type for Arrow's ", type.ToString());
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::DataType>> ToArrowType(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return arrow::utf8();
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography:
      return arrow::binary();
    case TypeRoot::kBoolean:
      return arrow::boolean();
    case TypeRoot::kDecimal:
      return arrow::Decimal128Type::Make(type.precision(), type.scale());
    case TypeRoot::kTinyint:
      return arrow::int8();
    case TypeRoot::kSmallint:
      return arrow::int16();
    case TypeRoot::kInt:
      return arrow::int32();
    case TypeRoot::kBigint:
      return arrow::int64();
    case TypeRoot::kFloat:
      return arrow::float32();
    case TypeRoot::kDouble:
      return arrow::float64();
    case TypeRoot::kDate:
      return arrow::date32();
    case TypeRoot::kTime:
      return arrow::time32(arrow::TimeUnit::MILLI);
    case TypeRoot::kTimestamp:
      return arrow::timestamp(UnitOfPrecision(type.precision()));
    case TypeRoot::kTimestampLtz:
      return arrow::timestamp(UnitOfPrecision(type.precision()), "UTC");
    case TypeRoot::kVariant:
      return arrow::struct_({arrow::field("value", arrow::binary(), false), arrow::field("metadata", arrow::binary(), false)});
    case TypeRoot::kArray: {
      ARROW_ASSIGN_OR_RAISE(auto element, ChildField("element", *type.children()[0]));
      return arrow::list(std::move(element));
    }
    case TypeRoot::kVector: {
      ARROW_ASSIGN_OR_RAISE(auto element, ChildField("element", *type.children()[0]));
      return arrow::fixed_size_list(std::move(element), type.length());
    }
    case TypeRoot::kMultiset: {
      ARROW_ASSIGN_OR_RAISE(auto key, ToArrowType(*type.children()[0]));
      return arrow::map(std::move(key), arrow::field("value", arrow::int32(), /*nullable=*/false));
    }
    case TypeRoot::kMap: {
      ARROW_ASSIGN_OR_RAISE(auto key, ToArrowType(*type.children()[0]));
      ARROW_ASSIGN_OR_RAISE(auto value, ChildField("value", *type.children()[1]));
      return arrow::map(std::move(key), std::move(value));
    }
    case TypeRoot::kRow: {
      arrow::FieldVector fields;
      for (const Field& field : type.fields()) {
        ARROW_ASSIGN_OR_RAISE(auto arrow_field, ToArrowField(field));
        fields.push_back(std::move(arrow_field));
      }
      return arrow::struct_(std::move(fields));
    }
  }
  return Unsupported("no Arrow type for ", type.ToSqlString());
}

arrow::Result<std::shared_ptr<arrow::Field>> ToArrowField(const Field& field) {
  ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(*field.type));
  return arrow::field(field.name, std::move(type), field.type->nullable(),
                      arrow::key_value_metadata({kFieldIdKey}, {std::to_string(field.id)}));
}

arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const std::vector<Field>& fields) {
  arrow::FieldVector arrow_fields;
  arrow_fields.reserve(fields.size());
  for (const Field& field : fields) {
    ARROW_ASSIGN_OR_RAISE(auto arrow_field, ToArrowField(field));
    arrow_fields.push_back(std::move(arrow_field));
  }
  return arrow::schema(std::move(arrow_fields));
}

arrow::Result<TypePtr> FromArrowType(const arrow::DataType& type, bool nullable) { return FromArrow(type, nullable, 0); }

}  // namespace bactrian
