#include "bactrian/format/orc/orc_convert.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>

#include "bactrian/status.h"
#include "bactrian/types/timestamp.h"

namespace bactrian {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using ArrowTypePtr = std::shared_ptr<arrow::DataType>;

class OrcConversion {
 public:
  OrcConversion(const std::string& path, const std::string& column, arrow::MemoryPool* pool)
      : path_(path), column_(column), pool_(pool) {}

  arrow::Result<ArrayPtr> Convert(const ArrayPtr& array, const DataType& type, const ArrowTypePtr& target) const {
    switch (type.root()) {
      case TypeRoot::kRow:
        return ConvertStruct(*array, type, target);
      case TypeRoot::kArray:
        return ConvertList(*array, type, target);
      case TypeRoot::kMap:
      case TypeRoot::kMultiset:
        return ConvertMap(*array, type, target);
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        return ConvertTimestamp(*array, target);
      case TypeRoot::kChar:
        return CopyBytes(*array, target, /*trim=*/true);
      default:
        return ConvertAtomic(array, target);
    }
  }

 private:
  arrow::Status Mismatch(const arrow::DataType& file_type, const arrow::DataType& target) const {
    return Corrupt("orc file ", path_, ": column ", column_, " is ", file_type.ToString(), ", which cannot be read as ",
                   target.ToString());
  }

  /// Buffers of the array at offset 0: the adapter builds arrays afresh, so slices come from nested nodes only.
  static std::shared_ptr<arrow::Buffer> Validity(const arrow::Array& array) { return array.null_bitmap(); }

  arrow::Result<ArrayPtr> ConvertStruct(const arrow::Array& array, const DataType& type, const ArrowTypePtr& target) const {
    if (array.type_id() != arrow::Type::STRUCT) return Mismatch(*array.type(), *target);
    const auto& row = static_cast<const arrow::StructArray&>(array);
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    for (size_t i = 0; i < type.fields().size(); ++i) {
      const Field& field = type.fields()[i];
      const ArrowTypePtr& child_type = target->field(static_cast<int>(i))->type();
      const ArrayPtr child = row.GetFieldByName(field.name);
      if (child) {
        ARROW_ASSIGN_OR_RAISE(const ArrayPtr converted, Convert(child, *field.type, child_type));
        children.push_back(converted->data());
      } else {
        ARROW_ASSIGN_OR_RAISE(const ArrayPtr nulls, arrow::MakeArrayOfNull(child_type, array.length(), pool_));
        children.push_back(nulls->data());
      }
    }
    return arrow::MakeArray(
        arrow::ArrayData::Make(target, array.length(), {Validity(array)}, std::move(children), array.null_count()));
  }

  arrow::Result<ArrayPtr> ConvertList(const arrow::Array& array, const DataType& type, const ArrowTypePtr& target) const {
    if (array.type_id() != arrow::Type::LIST) return Mismatch(*array.type(), *target);
    const auto& list = static_cast<const arrow::ListArray&>(array);
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, Convert(list.values(), *type.children()[0], target->field(0)->type()));
    return arrow::MakeArray(arrow::ArrayData::Make(target, array.length(), {Validity(array), list.value_offsets()},
                                                   {values->data()}, array.null_count()));
  }

  arrow::Result<ArrayPtr> ConvertMap(const arrow::Array& array, const DataType& type, const ArrowTypePtr& target) const {
    if (array.type_id() != arrow::Type::MAP) return Mismatch(*array.type(), *target);
    const auto& map = static_cast<const arrow::MapArray&>(array);
    const auto& map_type = static_cast<const arrow::MapType&>(*target);
    static const TypePtr kMultiplicity = DataType::Int(false);
    const DataType& value_type = type.root() == TypeRoot::kMultiset ? *kMultiplicity : *type.children()[1];
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr keys, Convert(map.keys(), *type.children()[0], map_type.key_type()));
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, Convert(map.items(), value_type, map_type.item_type()));
    auto entries = arrow::ArrayData::Make(map_type.value_type(), keys->length(), {nullptr}, {keys->data(), values->data()}, 0);
    return arrow::MakeArray(arrow::ArrayData::Make(target, array.length(), {Validity(array), map.value_offsets()},
                                                   {std::move(entries)}, array.null_count()));
  }

  /// The adapter counts nanoseconds.
  arrow::Result<ArrayPtr> ConvertTimestamp(const arrow::Array& array, const ArrowTypePtr& target) const {
    if (array.type_id() != arrow::Type::TIMESTAMP) return Mismatch(*array.type(), *target);
    const auto& nanos = static_cast<const arrow::TimestampArray&>(array);
    const int64_t divisor = kNanosPerMilli / UnitsPerMilli(static_cast<const arrow::TimestampType&>(*target).unit());
    arrow::TimestampBuilder builder(target, pool_);
    ARROW_RETURN_NOT_OK(builder.Reserve(array.length()));
    for (int64_t i = 0; i < array.length(); ++i) {
      if (nanos.IsNull(i)) {
        builder.UnsafeAppendNull();
      } else {
        builder.UnsafeAppend(FloorDiv(nanos.Value(i), divisor));
      }
    }
    return builder.Finish();
  }

  arrow::Result<ArrayPtr> ConvertAtomic(const ArrayPtr& array, const ArrowTypePtr& target) const {
    if (array->type()->Equals(*target)) return array;
    if (arrow::is_binary_view_like(target->id())) return CopyBytes(*array, target, /*trim=*/false);
    if (array->type_id() == arrow::Type::INT32 && target->id() == arrow::Type::TIME32) return array->View(target);
    const bool is_number = arrow::is_numeric(array->type_id()) || arrow::is_decimal(array->type_id());
    const bool to_number = arrow::is_numeric(target->id()) || arrow::is_decimal(target->id());
    if (!is_number || !to_number) return Mismatch(*array->type(), *target);
    arrow::compute::ExecContext context(pool_);
    auto cast = arrow::compute::Cast(arrow::Datum(array), target, arrow::compute::CastOptions::Safe(), &context);
    if (!cast.ok()) {
      return Unsupported("orc file ", path_, ": column ", column_, ": ", cast.status().message());
    }
    return cast->make_array();
  }

  /// Text or bytes as `target`, which may be a view; CHAR is stored padded and read without the padding.
  arrow::Result<ArrayPtr> CopyBytes(const arrow::Array& array, const ArrowTypePtr& target, bool trim) const {
    if (!arrow::is_binary_like(array.type_id())) return Mismatch(*array.type(), *target);
    const auto& bytes = static_cast<const arrow::BinaryArray&>(array);
    std::unique_ptr<arrow::ArrayBuilder> builder;
    ARROW_RETURN_NOT_OK(arrow::MakeBuilder(pool_, target, &builder));
    const auto append = [&](auto& typed) -> arrow::Status {
      ARROW_RETURN_NOT_OK(typed.Reserve(array.length()));
      for (int64_t i = 0; i < array.length(); ++i) {
        std::string_view value = bytes.GetView(i);
        if (trim) value = value.substr(0, value.find_last_not_of(' ') + 1);
        ARROW_RETURN_NOT_OK(bytes.IsNull(i) ? typed.AppendNull() : typed.Append(value));
      }
      return arrow::Status::OK();
    };
    if (arrow::is_binary_view_like(target->id())) {
      ARROW_RETURN_NOT_OK(append(static_cast<arrow::BinaryViewBuilder&>(*builder)));
    } else {
      ARROW_RETURN_NOT_OK(append(static_cast<arrow::BinaryBuilder&>(*builder)));
    }
    return builder->Finish();
  }

  const std::string& path_;
  const std::string& column_;
  arrow::MemoryPool* const pool_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> ConvertOrcArray(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                                             const std::shared_ptr<arrow::DataType>& target,
                                                             const std::string& path, const std::string& column,
                                                             arrow::MemoryPool* pool) {
  return OrcConversion(path, column, pool).Convert(array, type, target);
}

}  // namespace bactrian
