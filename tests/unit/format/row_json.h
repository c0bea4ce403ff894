/// Rows of Arrow batches in the encoding of the corpus (tests/interop/README.md), for comparing with what the reference reads.
#pragma once

#include <arrow/api.h>
#include <arrow/util/decimal.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

namespace bactrian {

inline std::string HexOf(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[static_cast<uint8_t>(c) >> 4];
    hex += kDigits[c & 15];
  }
  return hex;
}

template <typename T>
nlohmann::json RealJson(T value) {
  if (value != value) return "NaN";
  if (value == 0 && std::signbit(value)) return "-0.0";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return value;
}

/// Without an exponent.
inline std::string PlainDecimal(const arrow::Decimal128& value, int32_t scale) {
  std::string digits = arrow::Decimal128(arrow::Decimal128::Abs(value)).ToIntegerString();
  if (digits.size() <= static_cast<size_t>(scale)) digits.insert(0, static_cast<size_t>(scale) + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - static_cast<size_t>(scale), ".");
  return (value < arrow::Decimal128(0) ? "-" : "") + digits;
}

inline nlohmann::json ValueJson(const arrow::Array& array, int64_t row) {
  using nlohmann::json;
  if (array.IsNull(row)) return nullptr;
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case arrow::Type::INT8:
      return static_cast<const arrow::Int8Array&>(array).Value(row);
    case arrow::Type::INT16:
      return static_cast<const arrow::Int16Array&>(array).Value(row);
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(array).Value(row);
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Array&>(array).Value(row);
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Array&>(array).Value(row);
    case arrow::Type::TIME32:
      return static_cast<const arrow::Time32Array&>(array).Value(row);
    case arrow::Type::FLOAT:
      return RealJson(static_cast<const arrow::FloatArray&>(array).Value(row));
    case arrow::Type::DOUBLE:
      return RealJson(static_cast<const arrow::DoubleArray&>(array).Value(row));
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(array).GetString(row);
    case arrow::Type::BINARY:
      return HexOf(static_cast<const arrow::BinaryArray&>(array).GetView(row));
    case arrow::Type::STRING_VIEW:
      return std::string(static_cast<const arrow::StringViewArray&>(array).GetView(row));
    case arrow::Type::BINARY_VIEW:
      return HexOf(static_cast<const arrow::BinaryViewArray&>(array).GetView(row));
    case arrow::Type::DECIMAL128: {
      const arrow::Decimal128 value(static_cast<const arrow::Decimal128Array&>(array).GetValue(row));
      return PlainDecimal(value, static_cast<const arrow::Decimal128Type&>(*array.type()).scale());
    }
    case arrow::Type::TIMESTAMP: {
      int64_t digits = 0;
      const auto unit = static_cast<const arrow::TimestampType&>(*array.type()).unit();
      if (unit == arrow::TimeUnit::MILLI) digits = 1000000;
      if (unit == arrow::TimeUnit::MICRO) digits = 1000;
      if (unit == arrow::TimeUnit::NANO) digits = 1;
      const arrow::Decimal128 nanos = arrow::Decimal128(static_cast<const arrow::TimestampArray&>(array).Value(row)) * digits;
      return nanos.ToIntegerString();
    }
    case arrow::Type::LIST:
    case arrow::Type::FIXED_SIZE_LIST: {
      json items = json::array();
      const auto slice = array.type_id() == arrow::Type::LIST
                             ? static_cast<const arrow::ListArray&>(array).value_slice(row)
                             : static_cast<const arrow::FixedSizeListArray&>(array).value_slice(row);
      for (int64_t i = 0; i < slice->length(); ++i) items.push_back(ValueJson(*slice, i));
      return items;
    }
    case arrow::Type::MAP: {  // as a set: sorted by its text
      const auto& map = static_cast<const arrow::MapArray&>(array);
      std::vector<std::pair<std::string, json>> entries;
      for (int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
        json entry = json::array({ValueJson(*map.keys(), i), ValueJson(*map.items(), i)});
        entries.emplace_back(entry.dump(), entry);
      }
      std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      json items = json::array();
      for (auto& [text, entry] : entries) items.push_back(std::move(entry));
      return items;
    }
    case arrow::Type::STRUCT: {
      json fields = json::object();
      const auto& record = static_cast<const arrow::StructArray&>(array);
      for (int i = 0; i < record.num_fields(); ++i) fields[record.type()->field(i)->name()] = ValueJson(*record.field(i), row);
      return fields;
    }
    default:
      return "unexpected type " + array.type()->ToString();
  }
}

inline nlohmann::json RowJson(const arrow::RecordBatch& batch, int64_t row) {
  nlohmann::json object = nlohmann::json::object();
  for (int i = 0; i < batch.num_columns(); ++i) object[batch.schema()->field(i)->name()] = ValueJson(*batch.column(i), row);
  return object;
}

}  // namespace bactrian
