#include "bactrian/table/write/value_checks.h"

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>

#include <algorithm>

namespace bactrian {

namespace {

/// Whether a value of the type can be wrong at all: spares the walk into most nested columns.
bool CanBeWrong(const DataType& type) {
  if (!type.nullable()) return true;
  if ((type.is_string() || type.is_binary()) && type.length() != DataType::kMaxLength) return true;
  return std::any_of(type.children().begin(), type.children().end(), [](const TypePtr& t) { return CanBeWrong(*t); }) ||
         std::any_of(type.fields().begin(), type.fields().end(), [](const Field& f) { return CanBeWrong(*f.type); });
}

int64_t CountCharacters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; });
}

arrow::Status CheckLengths(const arrow::BinaryArray& array, const DataType& type, const std::string& name) {
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.value_length(i) <= type.length() || array.IsNull(i)) continue;
    const int64_t length = type.is_string() ? CountCharacters(array.GetView(i)) : array.value_length(i);
    if (length > type.length()) {
      return Invalid("column ", name, ": a value of length ", length, " does not fit ", type.ToSqlString());
    }
  }
  return arrow::Status::OK();
}

/// Children of null parents are no values: only those of the other rows are checked.
arrow::Status CheckRow(const std::shared_ptr<arrow::Array>& array, const DataType& type, const std::string& name) {
  std::shared_ptr<arrow::Array> rows = array;
  if (array->null_count() > 0) {
    ARROW_ASSIGN_OR_RAISE(rows, arrow::compute::DropNull(*array));
  }
  const auto& row = static_cast<const arrow::StructArray&>(*rows);
  for (size_t i = 0; i < type.fields().size(); ++i) {
    const Field& field = type.fields()[i];
    ARROW_RETURN_NOT_OK(CheckValues(*row.field(static_cast<int>(i)), *field.type, name + "." + field.name));
  }
  return arrow::Status::OK();
}

arrow::Status CheckMap(const arrow::MapArray& map, const DataType& key, const DataType& value, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> flat, map.Flatten());
  const auto& entries = static_cast<const arrow::StructArray&>(*flat);
  if (entries.field(0)->null_count() > 0) return Invalid("column ", name, ": a map key is null");
  ARROW_RETURN_NOT_OK(CheckValues(*entries.field(0), key, name + ".key"));
  return CheckValues(*entries.field(1), value, name + ".value");
}

}  // namespace

arrow::Status CheckValues(const arrow::Array& array, const DataType& type, const std::string& name) {
  if (!type.nullable() && array.null_count() > 0) return Invalid("column ", name, " is NOT NULL, but a value is null");
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      if (type.length() == DataType::kMaxLength) return arrow::Status::OK();
      return CheckLengths(static_cast<const arrow::BinaryArray&>(array), type, name);
    case TypeRoot::kArray: {
      if (!CanBeWrong(*type.children()[0])) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(auto elements, static_cast<const arrow::ListArray&>(array).Flatten());
      return CheckValues(*elements, *type.children()[0], name + ".element");
    }
    case TypeRoot::kVector: {
      ARROW_ASSIGN_OR_RAISE(auto elements, static_cast<const arrow::FixedSizeListArray&>(array).Flatten());
      return CheckValues(*elements, *type.children()[0]->WithNullable(false), name + ".element");
    }
    case TypeRoot::kMultiset:
      return CheckMap(static_cast<const arrow::MapArray&>(array), *type.children()[0], *DataType::Int(false), name);
    case TypeRoot::kMap:
      return CheckMap(static_cast<const arrow::MapArray&>(array), *type.children()[0], *type.children()[1], name);
    case TypeRoot::kRow:
      if (std::none_of(type.fields().begin(), type.fields().end(), [](const Field& f) { return CanBeWrong(*f.type); })) {
        return arrow::Status::OK();
      }
      return CheckRow(arrow::MakeArray(array.data()), type, name);
    case TypeRoot::kVariant: {
      const auto& row = static_cast<const arrow::StructArray&>(array);
      for (int i = 0; i < row.num_fields(); ++i) {
        ARROW_ASSIGN_OR_RAISE(auto child, row.GetFlattenedField(i));
        if (child->null_count() > array.null_count()) return Invalid("column ", name, ": half a variant is null");
      }
      return arrow::Status::OK();
    }
    default:
      return arrow::Status::OK();
  }
}

}  // namespace bactrian
