#include "bactrian/format/parquet/parquet_schema.h"

#include <arrow/util/decimal.h>

#include "bactrian/types/field_ids.h"

namespace bactrian {
namespace {

using parquet::LogicalType;
using parquet::Repetition;
using parquet::Type;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;

/// Bytes that hold every unscaled number of `precision` digits.
int DecimalBytes(int precision) {
  int bytes = 1;
  for (arrow::Decimal128 max = arrow::Decimal128::GetMaxValue(precision); bytes < 16; ++bytes) {
    if (max < (arrow::Decimal128(1) << (8 * bytes - 1))) break;
  }
  return bytes;
}

struct Place {
  std::string name;
  Repetition::type repetition;
  int32_t own_id;    // written as field_id
  int32_t field_id;  // of the nearest field with an id of its own
  int depth;
};

NodePtr Primitive(const Place& place, std::shared_ptr<const LogicalType> logical, Type::type physical, int length = -1) {
  return PrimitiveNode::Make(place.name, place.repetition, std::move(logical), physical, length, place.own_id);
}

Repetition::type RepetitionOf(const DataType& type) { return type.nullable() ? Repetition::OPTIONAL : Repetition::REQUIRED; }

arrow::Result<NodePtr> ToNode(const DataType& type, const Place& place);

arrow::Result<NodePtr> FieldNode(const Field& field) {
  return ToNode(*field.type, {field.name, RepetitionOf(*field.type), field.id, field.id, 0});
}

arrow::Result<NodePtr> TimestampNode(const DataType& type, const Place& place) {
  if (type.precision() > 6) return Primitive(place, LogicalType::None(), Type::INT96);
  const bool is_utc = type.root() == TypeRoot::kTimestampLtz;
  const auto unit = type.precision() <= 3 ? LogicalType::TimeUnit::MILLIS : LogicalType::TimeUnit::MICROS;
  return Primitive(place, LogicalType::Timestamp(is_utc, unit), Type::INT64);
}

arrow::Result<NodePtr> ListNode(const DataType& type, const Place& place) {
  const DataType& element = *type.children()[0];
  const int depth = place.depth + 1;
  ARROW_ASSIGN_OR_RAISE(NodePtr node, ToNode(element, {"element", RepetitionOf(element), ElementFieldId(place.field_id, depth),
                                                       place.field_id, depth}));
  const NodePtr list = GroupNode::Make("list", Repetition::REPEATED, {node});
  return GroupNode::Make(place.name, place.repetition, {list}, LogicalType::List(), place.own_id);
}

arrow::Result<NodePtr> MapNode(const DataType& key, const DataType& value, const Place& place) {
  const int depth = place.depth + 1;
  ARROW_ASSIGN_OR_RAISE(NodePtr key_node, ToNode(key, {"key", Repetition::REQUIRED, MapKeyFieldId(place.field_id, depth),
                                                       place.field_id, depth}));
  ARROW_ASSIGN_OR_RAISE(NodePtr value_node, ToNode(value, {"value", RepetitionOf(value), MapValueFieldId(place.field_id, depth),
                                                           place.field_id, depth}));
  const NodePtr entries =
      GroupNode::Make("key_value", Repetition::REPEATED, {key_node, value_node}, parquet::ConvertedType::MAP_KEY_VALUE);
  return GroupNode::Make(place.name, place.repetition, {entries}, LogicalType::Map(), place.own_id);
}

arrow::Result<NodePtr> ToNode(const DataType& type, const Place& place) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return Primitive(place, LogicalType::String(), Type::BYTE_ARRAY);
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return Primitive(place, LogicalType::None(), Type::BYTE_ARRAY);
    case TypeRoot::kBoolean:
      return Primitive(place, LogicalType::None(), Type::BOOLEAN);
    case TypeRoot::kTinyint:
      return Primitive(place, LogicalType::Int(8, true), Type::INT32);
    case TypeRoot::kSmallint:
      return Primitive(place, LogicalType::Int(16, true), Type::INT32);
    case TypeRoot::kInt:
      return Primitive(place, LogicalType::None(), Type::INT32);
    case TypeRoot::kBigint:
      return Primitive(place, LogicalType::None(), Type::INT64);
    case TypeRoot::kFloat:
      return Primitive(place, LogicalType::None(), Type::FLOAT);
    case TypeRoot::kDouble:
      return Primitive(place, LogicalType::None(), Type::DOUBLE);
    case TypeRoot::kDate:
      return Primitive(place, LogicalType::Date(), Type::INT32);
    case TypeRoot::kTime:
      return Primitive(place, LogicalType::Time(true, LogicalType::TimeUnit::MILLIS), Type::INT32);
    case TypeRoot::kDecimal: {
      const auto logical = LogicalType::Decimal(type.precision(), type.scale());
      if (type.precision() <= 9) return Primitive(place, logical, Type::INT32);
      if (type.precision() <= 18) return Primitive(place, logical, Type::INT64);
      return Primitive(place, logical, Type::FIXED_LEN_BYTE_ARRAY, DecimalBytes(type.precision()));
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return TimestampNode(type, place);
    case TypeRoot::kGeometry:
      return Primitive(place, LogicalType::Geometry(type.crs()), Type::BYTE_ARRAY);
    case TypeRoot::kGeography:
      return Primitive(place, LogicalType::Geography(type.crs()), Type::BYTE_ARRAY);
    case TypeRoot::kArray:
    case TypeRoot::kVector:
      return ListNode(type, place);
    case TypeRoot::kMap:
      return MapNode(*type.children()[0], *type.children()[1], place);
    case TypeRoot::kMultiset:
      return MapNode(*type.children()[0], *DataType::Int(false), place);
    case TypeRoot::kVariant:
      return GroupNode::Make(
          place.name, place.repetition,
          {PrimitiveNode::Make("value", Repetition::REQUIRED, LogicalType::None(), Type::BYTE_ARRAY, -1, 0),
           PrimitiveNode::Make("metadata", Repetition::REQUIRED, LogicalType::None(), Type::BYTE_ARRAY, -1, 1)},
          nullptr, place.own_id);
    case TypeRoot::kRow: {
      parquet::schema::NodeVector children;
      for (const Field& field : type.fields()) {
        ARROW_ASSIGN_OR_RAISE(NodePtr child, FieldNode(field));
        children.push_back(std::move(child));
      }
      return GroupNode::Make(place.name, place.repetition, children, nullptr, place.own_id);
    }
  }
  return Unsupported("parquet: a column of type ", type.ToSqlString());
}

}  // namespace

arrow::Result<std::shared_ptr<GroupNode>> ToParquetSchema(const std::vector<Field>& fields) {
  parquet::schema::NodeVector nodes;
  for (const Field& field : fields) {
    ARROW_ASSIGN_OR_RAISE(NodePtr node, FieldNode(field));
    nodes.push_back(std::move(node));
  }
  return std::static_pointer_cast<GroupNode>(GroupNode::Make("paimon_schema", Repetition::REQUIRED, nodes));
}

}  // namespace bactrian
