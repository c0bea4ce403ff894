/// What the tests of expressions share: columns from values, in every array layout that a reader may deliver.
#pragma once

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/compute/api.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "../status_asserts.h"
#include "bactrian/expr/array_value.h"
#include "bactrian/predicate.h"

namespace bactrian {

inline Value Text(std::string_view text) { return std::string(text); }
inline Value Int(int64_t value) { return value; }

inline std::shared_ptr<arrow::Array> MakeColumn(const TypePtr& type, const std::vector<Value>& values) {
  auto arrow_type = ToArrowType(*type).ValueOrDie();
  auto builder = arrow::MakeBuilder(arrow_type).ValueOrDie();
  for (const Value& value : values) EXPECT_TRUE(AppendValue(value, *type, builder.get()).ok());
  return builder->Finish().ValueOrDie();
}

enum class Layout { kPlain, kSliced, kLarge, kView, kDictionary, kWideDictionary };

inline std::shared_ptr<arrow::Array> CastTo(const std::shared_ptr<arrow::Array>& array,
                                            const std::shared_ptr<arrow::DataType>& type) {
  return arrow::compute::Cast(*array, type, arrow::compute::CastOptions::Unsafe()).ValueOrDie();
}

/// The same values in another layout; the plain one where a type has no such layout.
inline std::shared_ptr<arrow::Array> WithLayout(const std::shared_ptr<arrow::Array>& array, Layout layout) {
  const bool is_text = array->type_id() == arrow::Type::STRING, is_bytes = array->type_id() == arrow::Type::BINARY;
  switch (layout) {
    case Layout::kSliced: {
      auto padding = arrow::MakeArrayOfNull(array->type(), 3).ValueOrDie();
      return arrow::Concatenate({padding, array, padding}).ValueOrDie()->Slice(3, array->length());
    }
    case Layout::kLarge:
      if (is_text) return CastTo(array, arrow::large_utf8());
      return is_bytes ? CastTo(array, arrow::large_binary()) : array;
    case Layout::kView:
      if (is_text) return CastTo(array, arrow::utf8_view());
      return is_bytes ? CastTo(array, arrow::binary_view()) : array;
    case Layout::kDictionary:
      return arrow::compute::DictionaryEncode(array).ValueOrDie().make_array();
    case Layout::kWideDictionary: {  // more entries than rows, nulls among the entries
      auto padding = arrow::MakeArrayOfNull(array->type(), 2 * array->length() + 1).ValueOrDie();
      auto entries = arrow::Concatenate({array, padding}).ValueOrDie();
      arrow::Int16Builder indices;
      for (int64_t i = 0; i < array->length(); ++i) EXPECT_TRUE(indices.Append(static_cast<int16_t>(i)).ok());
      auto type = arrow::dictionary(arrow::int16(), array->type());
      return arrow::DictionaryArray::FromArrays(type, indices.Finish().ValueOrDie(), entries).ValueOrDie();
    }
    default:
      return array;
  }
}

inline std::shared_ptr<arrow::RecordBatch> MakeBatch(const std::vector<std::shared_ptr<arrow::Array>>& columns) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < columns.size(); ++i) fields.push_back(arrow::field("c" + std::to_string(i), columns[i]->type()));
  return arrow::RecordBatch::Make(arrow::schema(fields), columns.front()->length(), columns);
}

}  // namespace bactrian
