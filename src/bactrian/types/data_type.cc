#include "bactrian/data_type.h"

#include <utility>

namespace bactrian {

bool Field::operator==(const Field& other) const {
  return id == other.id && name == other.name && description == other.description && default_value == other.default_value &&
         type->Equals(*other.type);
}

bool DataType::EqualsIgnoreNullable(const DataType& other) const {
  if (root_ != other.root_ || length_ != other.length_ || precision_ != other.precision_ || scale_ != other.scale_ ||
      crs_ != other.crs_ || algorithm_ != other.algorithm_ || fields_ != other.fields_ ||
      children_.size() != other.children_.size()) {
    return false;
  }
  for (size_t i = 0; i < children_.size(); ++i) {
    if (!children_[i]->Equals(*other.children_[i])) return false;
  }
  return true;
}

bool DataType::Equals(const DataType& other) const {
  return this == &other || (nullable_ == other.nullable_ && EqualsIgnoreNullable(other));
}

TypePtr DataType::WithNullable(bool nullable) const {
  auto type = std::make_shared<DataType>(DataType(*this));
  type->nullable_ = nullable;
  return type;
}

TypePtr DataType::Make(TypeRoot root, bool nullable) {
  DataType type;
  type.root_ = root;
  type.nullable_ = nullable;
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::WithLength(TypeRoot root, int32_t length, bool nullable) {
  DataType type;
  type.root_ = root;
  type.nullable_ = nullable;
  type.length_ = length;
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::Decimal(int32_t precision, int32_t scale, bool nullable) {
  DataType type;
  type.root_ = TypeRoot::kDecimal;
  type.nullable_ = nullable;
  type.precision_ = precision;
  type.scale_ = scale;
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::WithPrecision(TypeRoot root, int32_t precision, bool nullable) {
  DataType type;
  type.root_ = root;
  type.nullable_ = nullable;
  type.precision_ = precision;
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::Array(TypePtr element, bool nullable) {
  DataType type;
  type.root_ = TypeRoot::kArray;
  type.nullable_ = nullable;
  type.children_ = {std::move(element)};
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::Vector(TypePtr element, int32_t length, bool nullable) {
  DataType type;
  type.root_ = TypeRoot::kVector;
  type.nullable_ = nullable;
  type.length_ = length;
  type.children_ = {std::move(element)};
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::Multiset(TypePtr element, bool nullable) {
  DataType type;
  type.root_ = TypeRoot::kMultiset;
  type.nullable_ = nullable;
  type.children_ = {std::move(element)};
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::Map(TypePtr key, TypePtr value, bool nullable) {
  DataType type;
  type.root_ = TypeRoot::kMap;
  type.nullable_ = nullable;
  type.children_ = {std::move(key), std::move(value)};
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::Row(std::vector<Field> fields, bool nullable) {
  DataType type;
  type.root_ = TypeRoot::kRow;
  type.nullable_ = nullable;
  type.fields_ = std::move(fields);
  return std::make_shared<const DataType>(std::move(type));
}

TypePtr DataType::Geo(TypeRoot root, std::string crs, std::string algorithm, bool nullable) {
  DataType type;
  type.root_ = root;
  type.nullable_ = nullable;
  type.crs_ = std::move(crs);
  type.algorithm_ = std::move(algorithm);
  return std::make_shared<const DataType>(std::move(type));
}

}  // namespace bactrian
