#include "bactrian/table/write/lossless_cast.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/type.h>

namespace bactrian {

namespace {

bool CanTake(const arrow::DataType& from, const arrow::DataType& to);

bool IsListLike(arrow::Type::type id) {
  return id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST || id == arrow::Type::FIXED_SIZE_LIST ||
         id == arrow::Type::LIST_VIEW || id == arrow::Type::LARGE_LIST_VIEW;
}

/// Every field that is given has a place, in any order.
bool CanTakeStruct(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() != arrow::Type::STRUCT) return false;
  const auto& target = static_cast<const arrow::StructType&>(to);
  for (const auto& field : from.fields()) {
    const auto place = target.GetFieldByName(field->name());
    if (place == nullptr || !CanTake(*field->type(), *place->type())) return false;
  }
  return true;
}

bool CanTakeTimestamp(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() != arrow::Type::TIMESTAMP) return false;
  const auto& source = static_cast<const arrow::TimestampType&>(from);
  const auto& target = static_cast<const arrow::TimestampType&>(to);
  return source.timezone().empty() == target.timezone().empty();
}

bool CanTake(const arrow::DataType& from, const arrow::DataType& to) {
  const arrow::Type::type id = from.id();
  switch (id) {
    case arrow::Type::NA:
      return true;
    case arrow::Type::DICTIONARY:
      return CanTake(*static_cast<const arrow::DictionaryType&>(from).value_type(), to);
    case arrow::Type::RUN_END_ENCODED:
      return CanTake(*static_cast<const arrow::RunEndEncodedType&>(from).value_type(), to);
    case arrow::Type::EXTENSION:
      return CanTake(*static_cast<const arrow::ExtensionType&>(from).storage_type(), to);
    default:
      break;
  }
  switch (to.id()) {
    case arrow::Type::STRING:
      return id == arrow::Type::STRING || id == arrow::Type::LARGE_STRING || id == arrow::Type::STRING_VIEW;
    case arrow::Type::BINARY:
      return id == arrow::Type::BINARY || id == arrow::Type::LARGE_BINARY || id == arrow::Type::BINARY_VIEW ||
             id == arrow::Type::FIXED_SIZE_BINARY;
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return arrow::is_integer(id);
    case arrow::Type::FLOAT:
      return id == arrow::Type::FLOAT || id == arrow::Type::HALF_FLOAT;
    case arrow::Type::DOUBLE:
      return arrow::is_floating(id);
    case arrow::Type::DECIMAL128:
      return arrow::is_decimal(id) || arrow::is_integer(id);
    case arrow::Type::DATE32:
      return id == arrow::Type::DATE32 || id == arrow::Type::DATE64;
    case arrow::Type::TIME32:
      return id == arrow::Type::TIME32 || id == arrow::Type::TIME64;
    case arrow::Type::TIMESTAMP:
      return CanTakeTimestamp(from, to);
    case arrow::Type::LIST:
    case arrow::Type::FIXED_SIZE_LIST:
      return IsListLike(id) && CanTake(*from.field(0)->type(), *to.field(0)->type());
    case arrow::Type::MAP: {
      if (id != arrow::Type::MAP) return false;
      const auto& source = static_cast<const arrow::MapType&>(from);
      const auto& target = static_cast<const arrow::MapType&>(to);
      return CanTake(*source.key_type(), *target.key_type()) && CanTake(*source.item_type(), *target.item_type());
    }
    case arrow::Type::STRUCT:
      return CanTakeStruct(from, to);
    default:
      return id == to.id();
  }
}

std::shared_ptr<arrow::ArrayData> DataWithType(const arrow::ArrayData& data, const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::ArrayData> copy = data.Copy();
  copy->type = type;
  for (size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] = DataWithType(*copy->child_data[i], type->field(static_cast<int>(i))->type());
  }
  return copy;
}

}  // namespace

std::shared_ptr<arrow::DataType> RelaxNullability(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::LIST: {
      const auto& field = type->field(0);
      return arrow::list(field->WithType(RelaxNullability(field->type()))->WithNullable(true));
    }
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& field = type->field(0);
      return arrow::fixed_size_list(field->WithType(RelaxNullability(field->type()))->WithNullable(true),
                                    static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(
          map.key_field()->WithType(RelaxNullability(map.key_type())),
          map.item_field()->WithType(RelaxNullability(map.item_type()))->WithNullable(true));
    }
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (const auto& field : type->fields()) {
        fields.push_back(field->WithType(RelaxNullability(field->type()))->WithNullable(true));
      }
      return arrow::struct_(std::move(fields));
    }
    default:
      return type;
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> CastLossless(const std::shared_ptr<arrow::Array>& array,
                                                          const std::shared_ptr<arrow::DataType>& type,
                                                          arrow::MemoryPool* pool) {
  if (array->type()->Equals(*type)) return array;
  if (!CanTake(*array->type(), *type)) {
    return Invalid("Arrow type ", array->type()->ToString(), " cannot be taken as ", type->ToString());
  }
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  options.allow_time_truncate = type->id() == arrow::Type::TIME32;
  arrow::compute::ExecContext context(pool);
  arrow::Result<arrow::Datum> cast = arrow::compute::Cast(array, options, &context);
  if (!cast.ok()) {
    if (cast.status().IsOutOfMemory()) return cast.status();
    return Invalid("Arrow type ", array->type()->ToString(), " as ", type->ToString(), ": ", cast.status().message());
  }
  return cast->make_array();
}

std::shared_ptr<arrow::Array> WithType(const arrow::Array& array, const std::shared_ptr<arrow::DataType>& type) {
  return arrow::MakeArray(DataWithType(*array.data(), type));
}

}  // namespace bactrian
