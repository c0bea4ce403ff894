// Text of nested values, "[1, null]", "{k -> 1}", "{1, a}", and values from such text (default values are written like that).
#include <arrow/array.h>
#include <arrow/builder.h>

#include "bactrian/expr/array_value.h"
#include "bactrian/expr/cast_kernels.h"
#include "bactrian/expr/nested_text.h"

namespace bactrian {
namespace {

void AppendText(const arrow::Array& array, int64_t i, const DataType& type, std::string* text);

void AppendRow(const arrow::StructArray& rows, int64_t i, const DataType& type, std::string* text) {
  *text += '{';
  for (size_t field = 0; field < type.fields().size(); ++field) {
    if (field > 0) *text += ", ";
    AppendText(*rows.field(static_cast<int>(field)), i, *type.fields()[field].type, text);
  }
  *text += '}';
}

void AppendArray(const arrow::ListArray& lists, int64_t i, const DataType& type, std::string* text) {
  *text += '[';
  for (int64_t k = lists.value_offset(i); k < lists.value_offset(i + 1); ++k) {
    if (k > lists.value_offset(i)) *text += ", ";
    AppendText(*lists.values(), k, *type.children()[0], text);
  }
  *text += ']';
}

void AppendMap(const arrow::MapArray& maps, int64_t i, const DataType& type, std::string* text) {
  *text += '{';
  for (int64_t k = maps.value_offset(i); k < maps.value_offset(i + 1); ++k) {
    if (k > maps.value_offset(i)) *text += ", ";
    AppendText(*maps.keys(), k, *type.children()[0], text);
    *text += " -> ";
    AppendText(*maps.items(), k, *type.children()[1], text);
  }
  *text += '}';
}

void AppendText(const arrow::Array& array, int64_t i, const DataType& type, std::string* text) {
  if (array.IsNull(i)) {
    *text += "null";
    return;
  }
  switch (type.root()) {
    case TypeRoot::kRow:
      return AppendRow(static_cast<const arrow::StructArray&>(array), i, type, text);
    case TypeRoot::kArray:
      return AppendArray(static_cast<const arrow::ListArray&>(array), i, type, text);
    case TypeRoot::kMap:
      return AppendMap(static_cast<const arrow::MapArray&>(array), i, type, text);
    default:
      *text += FormatValue(ValueAt(array, i, type), type);
  }
}

/// Every part must have a text of its own.
arrow::Status CheckHasText(const DataType& type) {
  if (type.root() != TypeRoot::kRow && FindCastRule(type, *DataType::String()) == CastRule::kNone) {
    return Unsupported("no cast from ", type.ToSqlString(), " to STRING");
  }
  for (const TypePtr& child : type.children()) ARROW_RETURN_NOT_OK(CheckHasText(*child));
  for (const Field& field : type.fields()) ARROW_RETURN_NOT_OK(CheckHasText(*field.type));
  return arrow::Status::OK();
}

arrow::Status CheckHasParser(const DataType& type) {
  if (FindCastRule(*DataType::String(), type) == CastRule::kNone) {
    return Unsupported("no cast from STRING to ", type.ToSqlString());
  }
  if (type.root() == TypeRoot::kMap && type.children()[0]->is_nested()) {
    return Unsupported("no cast from STRING to ", type.ToSqlString(), ": its keys are not atomic");
  }
  for (const TypePtr& child : type.children()) ARROW_RETURN_NOT_OK(CheckHasParser(*child));
  for (const Field& field : type.fields()) ARROW_RETURN_NOT_OK(CheckHasParser(*field.type));
  return arrow::Status::OK();
}

arrow::Status AppendNested(const NestedValue& value, const DataType& type, arrow::ArrayBuilder* builder);

arrow::Status AppendParts(const std::vector<NestedValue>& values, size_t start, size_t step, const DataType& type,
                          arrow::ArrayBuilder* builder) {
  for (size_t i = start; i < values.size(); i += step) ARROW_RETURN_NOT_OK(AppendNested(values[i], type, builder));
  return arrow::Status::OK();
}

arrow::Status AppendNested(const NestedValue& value, const DataType& type, arrow::ArrayBuilder* builder) {
  if (value.is_null) return builder->AppendNull();
  switch (type.root()) {
    case TypeRoot::kArray: {
      auto* lists = static_cast<arrow::ListBuilder*>(builder);
      ARROW_RETURN_NOT_OK(lists->Append());
      return AppendParts(value.parts, 0, 1, *type.children()[0], lists->value_builder());
    }
    case TypeRoot::kMap: {
      auto* maps = static_cast<arrow::MapBuilder*>(builder);
      ARROW_RETURN_NOT_OK(maps->Append());
      ARROW_RETURN_NOT_OK(AppendParts(value.parts, 0, 2, *type.children()[0], maps->key_builder()));
      return AppendParts(value.parts, 1, 2, *type.children()[1], maps->item_builder());
    }
    case TypeRoot::kRow: {
      auto* rows = static_cast<arrow::StructBuilder*>(builder);
      ARROW_RETURN_NOT_OK(rows->Append());
      for (size_t i = 0; i < value.parts.size(); ++i) {
        const DataType& field = *type.fields()[i].type;
        ARROW_RETURN_NOT_OK(AppendNested(value.parts[i], field, rows->field_builder(static_cast<int>(i))));
      }
      return arrow::Status::OK();
    }
    default:
      return AppendValue(value.atom, type, builder);
  }
}

}  // namespace

arrow::Result<CastPtr> MakeNestedToTextCast(const TypePtr& from, const ArrowTypePtr& type) {
  ARROW_RETURN_NOT_OK(CheckHasText(*from));
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    arrow::StringBuilder builder(type, pool);
    std::string text;
    for (int64_t i = 0; i < array->length(); ++i) {
      text.clear();
      if (!array->IsNull(i)) AppendText(*array, i, *from, &text);
      ARROW_RETURN_NOT_OK(array->IsNull(i) ? builder.AppendNull() : builder.Append(text));
    }
    return builder.Finish();
  });
}

arrow::Result<CastPtr> MakeTextToNestedCast(const TypePtr& to, const ArrowTypePtr& type) {
  ARROW_RETURN_NOT_OK(CheckHasParser(*to));
  return MakeFunctionCast([=](const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) -> ArrayResult {
    const auto& texts = static_cast<const arrow::StringArray&>(*array);
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::ArrayBuilder> builder, arrow::MakeBuilder(type, pool));
    for (int64_t i = 0; i < texts.length(); ++i) {
      NestedValue value;
      if (!texts.IsNull(i)) {
        ARROW_ASSIGN_OR_RAISE(value, ParseNestedText(texts.GetView(i), *to));
      }
      ARROW_RETURN_NOT_OK(AppendNested(value, *to, builder.get()));
    }
    return builder->Finish();
  });
}

}  // namespace bactrian
