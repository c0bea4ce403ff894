#include "row_json.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include "bactrian/value.h"
#include "bactrian/variant.h"

namespace bactrian::interop {
namespace {

template <typename T>
const T& As(const arrow::Array& array) {
  return static_cast<const T&>(array);
}

arrow::Status AppendValue(const arrow::Array& array, int64_t i, const DataType& type, std::string* json);

void AppendHex(std::string_view bytes, std::string* json) {
  static constexpr char kDigits[] = "0123456789abcdef";
  json->push_back('"');
  for (unsigned char byte : bytes) {
    json->push_back(kDigits[byte >> 4]);
    json->push_back(kDigits[byte & 15]);
  }
  json->push_back('"');
}

template <typename T>
void AppendNumber(T value, std::string* json) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return AppendString("NaN", json);
    if (std::isinf(value)) return AppendString(value > 0 ? "Infinity" : "-Infinity", json);
    if (value == 0 && std::signbit(value)) return AppendString("-0.0", json);
  }
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  json->append(buffer, end);
}

/// Nanoseconds since the epoch, which may be more than 64 bits hold.
void AppendNanos(int64_t value, arrow::TimeUnit::type unit, std::string* json) {
  __int128 nanos = value;
  if (unit == arrow::TimeUnit::MILLI) nanos *= 1000000;
  if (unit == arrow::TimeUnit::MICRO) nanos *= 1000;
  const bool negative = nanos < 0;
  unsigned __int128 digits = negative ? -static_cast<unsigned __int128>(nanos) : static_cast<unsigned __int128>(nanos);
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(digits % 10)));
    digits /= 10;
  } while (digits != 0);
  json->append(negative ? "\"-" : "\"").append(text).append("\"");
}

arrow::Status AppendList(const arrow::Array& values, int64_t begin, int64_t end, const DataType& element, std::string* json) {
  json->push_back('[');
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) json->push_back(',');
    ARROW_RETURN_NOT_OK(AppendValue(values, i, element, json));
  }
  json->push_back(']');
  return arrow::Status::OK();
}

arrow::Status AppendMap(const arrow::MapArray& map, int64_t i, const DataType& key, const DataType& value, std::string* json) {
  json->push_back('[');
  for (int64_t entry = map.value_offset(i); entry < map.value_offset(i + 1); ++entry) {
    json->append(entry > map.value_offset(i) ? ",[" : "[");
    ARROW_RETURN_NOT_OK(AppendValue(*map.keys(), entry, key, json));
    json->push_back(',');
    ARROW_RETURN_NOT_OK(AppendValue(*map.items(), entry, value, json));
    json->push_back(']');
  }
  json->push_back(']');
  return arrow::Status::OK();
}

arrow::Status AppendStruct(const arrow::StructArray& array, int64_t i, const std::vector<Field>& fields, std::string* json) {
  json->push_back('{');
  for (size_t f = 0; f < fields.size(); ++f) {
    if (f > 0) json->push_back(',');
    AppendString(fields[f].name, json);
    json->push_back(':');
    ARROW_RETURN_NOT_OK(AppendValue(*array.field(static_cast<int>(f)), i, *fields[f].type, json));
  }
  json->push_back('}');
  return arrow::Status::OK();
}

arrow::Status AppendVariant(const arrow::StructArray& array, int64_t i, std::string* json) {
  const VariantView variant{As<arrow::BinaryArray>(*array.field(0)).GetView(i),
                            As<arrow::BinaryArray>(*array.field(1)).GetView(i)};
  json->append("{\"value\":");
  AppendHex(variant.value, json);
  json->append(",\"metadata\":");
  AppendHex(variant.metadata, json);
  json->append(",\"json\":");
  ARROW_ASSIGN_OR_RAISE(const std::string text, VariantToJson(variant));
  AppendString(text, json);
  json->push_back('}');
  return arrow::Status::OK();
}

arrow::Status AppendValue(const arrow::Array& array, int64_t i, const DataType& type, std::string* json) {
  if (array.IsNull(i)) {
    json->append("null");
    return arrow::Status::OK();
  }
  switch (type.root()) {
    case TypeRoot::kBoolean:
      json->append(As<arrow::BooleanArray>(array).Value(i) ? "true" : "false");
      break;
    case TypeRoot::kTinyint:
      AppendNumber(static_cast<int>(As<arrow::Int8Array>(array).Value(i)), json);
      break;
    case TypeRoot::kSmallint:
      AppendNumber(As<arrow::Int16Array>(array).Value(i), json);
      break;
    case TypeRoot::kInt:
      AppendNumber(As<arrow::Int32Array>(array).Value(i), json);
      break;
    case TypeRoot::kBigint:
      AppendNumber(As<arrow::Int64Array>(array).Value(i), json);
      break;
    case TypeRoot::kFloat:
      AppendNumber(As<arrow::FloatArray>(array).Value(i), json);
      break;
    case TypeRoot::kDouble:
      AppendNumber(As<arrow::DoubleArray>(array).Value(i), json);
      break;
    case TypeRoot::kDate:
      AppendNumber(As<arrow::Date32Array>(array).Value(i), json);
      break;
    case TypeRoot::kTime:
      AppendNumber(As<arrow::Time32Array>(array).Value(i), json);
      break;
    case TypeRoot::kDecimal:
      AppendString(FormatValue(arrow::Decimal128(As<arrow::Decimal128Array>(array).GetValue(i)), type), json);
      break;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      AppendNanos(As<arrow::TimestampArray>(array).Value(i), static_cast<const arrow::TimestampType&>(*array.type()).unit(),
                  json);
      break;
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      AppendString(As<arrow::StringArray>(array).GetView(i), json);
      break;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography:
      AppendHex(As<arrow::BinaryArray>(array).GetView(i), json);
      break;
    case TypeRoot::kArray: {
      const auto& list = As<arrow::ListArray>(array);
      return AppendList(*list.values(), list.value_offset(i), list.value_offset(i + 1), *type.children()[0], json);
    }
    case TypeRoot::kVector: {
      const auto& list = As<arrow::FixedSizeListArray>(array);
      return AppendList(*list.values(), list.value_offset(i), list.value_offset(i + 1), *type.children()[0], json);
    }
    case TypeRoot::kMultiset:
      return AppendMap(As<arrow::MapArray>(array), i, *type.children()[0], *DataType::Int(false), json);
    case TypeRoot::kMap:
      return AppendMap(As<arrow::MapArray>(array), i, *type.children()[0], *type.children()[1], json);
    case TypeRoot::kRow:
      return AppendStruct(As<arrow::StructArray>(array), i, type.fields(), json);
    case TypeRoot::kVariant:
      return AppendVariant(As<arrow::StructArray>(array), i, json);
  }
  return arrow::Status::OK();
}

}  // namespace

void AppendString(std::string_view text, std::string* json) {
  json->push_back('"');
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      json->push_back('\\');
      json->push_back(static_cast<char>(c));
    } else if (c < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      json->append(escape);
    } else {
      json->push_back(static_cast<char>(c));
    }
  }
  json->push_back('"');
}

arrow::Status AppendRow(const arrow::RecordBatch& batch, const std::vector<Field>& fields, int64_t row, std::string_view kind,
                        std::string* json) {
  json->push_back('{');
  if (!kind.empty()) json->append("\"_kind\":\"").append(kind).append("\"");
  for (size_t f = 0; f < fields.size(); ++f) {
    if (f > 0 || !kind.empty()) json->push_back(',');
    AppendString(fields[f].name, json);
    json->push_back(':');
    ARROW_RETURN_NOT_OK(AppendValue(*batch.column(static_cast<int>(f)), row, *fields[f].type, json));
  }
  json->push_back('}');
  return arrow::Status::OK();
}

}  // namespace bactrian::interop
