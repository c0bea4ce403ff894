#include "corpus_rows.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../status_asserts.h"

namespace bactrian {
namespace {

using nlohmann::json;

std::string Hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out.push_back("0123456789abcdef"[c >> 4]);
    out.push_back("0123456789abcdef"[c & 15]);
  }
  return out;
}

json FloatJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0 && std::signbit(value)) return "-0.0";
  return value;
}

std::string PlainDecimal(const arrow::Decimal128& value, int scale) {
  std::string digits = arrow::Decimal128(arrow::Decimal128::Abs(value)).ToIntegerString();
  if (static_cast<int>(digits.size()) <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, ".");
  return (value.IsNegative() ? "-" : "") + digits;
}

json ValueJson(const arrow::Array& array, int64_t i) {
  if (array.IsNull(i)) return nullptr;
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(i);
    case arrow::Type::INT8:
      return static_cast<const arrow::Int8Array&>(array).Value(i);
    case arrow::Type::INT16:
      return static_cast<const arrow::Int16Array&>(array).Value(i);
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(array).Value(i);
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Array&>(array).Value(i);
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Array&>(array).Value(i);
    case arrow::Type::TIME32:
      return static_cast<const arrow::Time32Array&>(array).Value(i);
    case arrow::Type::FLOAT:
      return FloatJson(static_cast<const arrow::FloatArray&>(array).Value(i));
    case arrow::Type::DOUBLE:
      return FloatJson(static_cast<const arrow::DoubleArray&>(array).Value(i));
    case arrow::Type::DECIMAL128:
      return PlainDecimal(arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(array).GetValue(i)),
                          static_cast<const arrow::Decimal128Type&>(*array.type()).scale());
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(array).GetString(i);
    case arrow::Type::STRING_VIEW:
      return std::string(static_cast<const arrow::StringViewArray&>(array).GetView(i));
    case arrow::Type::BINARY:
      return Hex(static_cast<const arrow::BinaryArray&>(array).GetView(i));
    case arrow::Type::BINARY_VIEW:
      return Hex(static_cast<const arrow::BinaryViewArray&>(array).GetView(i));
    case arrow::Type::TIMESTAMP: {
      const auto unit = static_cast<const arrow::TimestampType&>(*array.type()).unit();
      const int64_t ticks = static_cast<const arrow::TimestampArray&>(array).Value(i);
      // Milliseconds may be outside of what nanoseconds hold: append the zeros as text.
      const char* zeros = unit == arrow::TimeUnit::MILLI ? "000000" : unit == arrow::TimeUnit::MICRO ? "000" : "";
      return ticks == 0 ? "0" : std::to_string(ticks) + zeros;
    }
    case arrow::Type::LIST:
    case arrow::Type::FIXED_SIZE_LIST: {
      const bool is_list = array.type_id() == arrow::Type::LIST;
      const auto values = is_list ? static_cast<const arrow::ListArray&>(array).value_slice(i)
                                  : static_cast<const arrow::FixedSizeListArray&>(array).value_slice(i);
      json out = json::array();
      for (int64_t k = 0; k < values->length(); ++k) out.push_back(ValueJson(*values, k));
      return out;
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapArray&>(array);
      std::vector<json> entries;
      for (int64_t k = map.value_offset(i); k < map.value_offset(i + 1); ++k) {
        entries.push_back(json::array({ValueJson(*map.keys(), k), ValueJson(*map.items(), k)}));
      }
      return json(entries);
    }
    case arrow::Type::STRUCT: {
      const auto& row = static_cast<const arrow::StructArray&>(array);
      json out = json::object();
      for (int k = 0; k < row.num_fields(); ++k) out[row.type()->field(k)->name()] = ValueJson(*row.field(k), i);
      return out;
    }
    default:
      ADD_FAILURE() << "no JSON for " << array.type()->ToString();
      return nullptr;
  }
}

/// The text of a variant left out: it is derived.
json Normalized(json value) {
  if (value.is_array()) {
    for (json& item : value) item = Normalized(item);
  } else if (value.is_object()) {
    if (value.contains("json") && value.contains("metadata")) value.erase("json");
    for (auto& [key, item] : value.items()) item = Normalized(item);
  }
  return value;
}

}  // namespace

json RowJson(const arrow::RecordBatch& batch, int64_t row) {
  json out = json::object();
  for (int i = 0; i < batch.num_columns(); ++i) out[batch.column_name(i)] = ValueJson(*batch.column(i), row);
  return out;
}

std::vector<std::string> SortedRows(arrow::RecordBatchReader& reader) {
  std::vector<std::string> rows;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    const arrow::Status status = reader.ReadNext(&batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok() || !batch) break;
    EXPECT_TRUE(batch->schema()->Equals(*reader.schema())) << batch->schema()->ToString();
    const arrow::Status valid = batch->ValidateFull();
    EXPECT_TRUE(valid.ok()) << valid.ToString();
    for (int64_t i = 0; i < batch->num_rows(); ++i) rows.push_back(RowJson(*batch, i).dump());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

::testing::AssertionResult SameRows(const std::vector<std::string>& actual, const std::vector<std::string>& expected) {
  if (expected.empty()) return ::testing::AssertionFailure() << "no rows expected: a test that cannot fail";
  const auto [a, e] = std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
  if (a == actual.end() && e == expected.end()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << actual.size() << " rows, expected " << expected.size() << "; first difference\n  "
                                       << (a == actual.end() ? "(end)" : *a) << "\n  " << (e == expected.end() ? "(end)" : *e);
}

std::vector<std::string> ExpectedRows(const std::string& path, const std::vector<std::string>& float_columns) {
  std::vector<std::string> rows;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  for (std::string line; std::getline(file, line);) {
    json row = json::parse(line, nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(row.is_discarded()) << line;
    row.erase("_kind");
    for (const std::string& name : float_columns) {
      if (row[name].is_number()) row[name] = static_cast<double>(row[name].get<float>());
    }
    rows.push_back(Normalized(std::move(row)).dump());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace bactrian
