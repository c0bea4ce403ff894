// Answers tests/interop/conform's requests with SQL, so that what the reference wrote is read through the extension too:
//   read <warehouse> <db> <table> [key=value …]
// Options that SQL has no words for are answered with an error.
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "duckdb/common/types/date.hpp"
#include "duckdb/common/types/time.hpp"
#include "engine.h"
#include "failure.h"

namespace bactrian::sql_test {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// A number of nanoseconds as text, from ticks that are coarser.
std::string Nanos(int64_t ticks, int64_t nanos_per_tick) {
  return duckdb::Hugeint::ToString(duckdb::hugeint_t(ticks) * duckdb::hugeint_t(nanos_per_tick));
}

/// The encoding of tests/interop/README.md.
Json Encode(const duckdb::Value& value) {
  using duckdb::LogicalTypeId;
  if (value.IsNull()) return nullptr;
  switch (value.type().id()) {
    case LogicalTypeId::BOOLEAN:
      return value.GetValue<bool>();
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
      return value.GetValue<int64_t>();
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE: {
      const double number = value.GetValue<double>();
      if (std::isnan(number)) return "NaN";
      if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
      if (number == 0 && std::signbit(number)) return "-0.0";
      return number;
    }
    case LogicalTypeId::DATE:
      return duckdb::DateValue::Get(value).days;
    case LogicalTypeId::TIME:
      return duckdb::TimeValue::Get(value).micros / 1000;
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      return Nanos(value.GetValueUnsafe<int64_t>(), 1000);
    case LogicalTypeId::TIMESTAMP_NS:
      return Nanos(value.GetValueUnsafe<int64_t>(), 1);
    case LogicalTypeId::BLOB: {
      static constexpr char kHex[] = "0123456789abcdef";
      std::string hex;
      for (const unsigned char c : duckdb::StringValue::Get(value)) (hex += kHex[c >> 4]) += kHex[c & 15];
      return hex;
    }
    case LogicalTypeId::LIST:
    case LogicalTypeId::ARRAY: {
      Json list = Json::array();
      const bool is_array = value.type().id() == LogicalTypeId::ARRAY;
      for (const auto& child : is_array ? duckdb::ArrayValue::GetChildren(value) : duckdb::ListValue::GetChildren(value)) {
        list.push_back(Encode(child));
      }
      return list;
    }
    case LogicalTypeId::MAP: {
      Json pairs = Json::array();
      for (const auto& entry : duckdb::MapValue::GetChildren(value)) {
        const auto& pair = duckdb::StructValue::GetChildren(entry);
        pairs.push_back(Json::array({Encode(pair[0]), Encode(pair[1])}));
      }
      return pairs;
    }
    case LogicalTypeId::STRUCT: {
      Json object = Json::object();
      const auto& children = duckdb::StructValue::GetChildren(value);
      for (size_t i = 0; i < children.size(); ++i)
        object[duckdb::StructType::GetChildName(value.type(), i)] = Encode(children[i]);
      return object;
    }
    default:
      return value.ToString();  // text, decimals
  }
}

/// 'a', 'b' for "a|b".
std::string LiteralList(const std::string& text) {
  std::string list;
  for (const std::string& literal : Split(text, '|')) list += (list.empty() ? "" : ", ") + cli::QuoteText(literal);
  return list;
}

/// One condition of `@filter`: "col op literal".
std::string Condition(const std::string& text) {
  const size_t first = text.find(' ');
  const std::string column = cli::QuoteIdentifier(text.substr(0, first));
  const std::string rest = text.substr(first + 1);
  if (rest == "isnull") return column + " IS NULL";
  if (rest == "notnull") return column + " IS NOT NULL";
  const size_t second = rest.find(' ');
  const std::string op = rest.substr(0, second), literal = rest.substr(second + 1);
  if (op == "in") return column + " IN (" + LiteralList(literal) + ")";
  if (op == "startswith") return "starts_with(" + column + ", " + cli::QuoteText(literal) + ")";
  return column + ' ' + op + ' ' + cli::QuoteText(literal);
}

std::string Where(const std::string& filter) {
  std::string where;
  for (size_t at = 0; at <= filter.size();) {
    const size_t end = std::min(filter.find(" and ", at), filter.size());
    where += (where.empty() ? " WHERE " : " AND ") + Condition(filter.substr(at, end - at));
    at = end + 5;
  }
  return where;
}

std::string BuildQuery(const std::vector<std::string>& words) {
  std::string object = words[3], at, columns = "*", where, limit;
  for (size_t i = 4; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals), value = words[i].substr(equals + 1);
    if (key == "scan.snapshot-id" || key == "scan.tag-name" || key == "scan.version") {
      at = " AT (VERSION => " + cli::QuoteText(value) + ")";
    } else if (key == "scan.timestamp-millis") {
      at = " AT (TIMESTAMP => epoch_ms(" + value + "))";
    } else if (key == "branch" && object.find('$') == std::string::npos) {
      object += "$branch_" + value;
    } else if (key == "@project") {
      columns.clear();
      for (const std::string& column : Split(value, ','))
        columns += (columns.empty() ? "" : ", ") + cli::QuoteIdentifier(column);
    } else if (key == "@filter") {
      where = Where(value);
    } else if (key == "@limit") {
      limit = " LIMIT " + value;
    } else {
      throw cli::Failure("SQL has no words for the option " + key);
    }
  }
  return "SELECT " + columns + " FROM lake." + cli::QuoteIdentifier(words[2]) + '.' + cli::QuoteIdentifier(object) + at +
         where + limit;
}

void Answer(const std::vector<std::string>& words, std::map<std::string, std::unique_ptr<cli::Engine>>& engines) {
  if (words.size() < 4 || words[0] != "read") throw cli::Failure("a request is: read <warehouse> <db> <table> [key=value …]");
  auto& engine = engines[words[1]];
  if (!engine) engine = std::make_unique<cli::Engine>(cli::Engine::Options{.warehouse = words[1], .read_only = true});
  engine->Run(BuildQuery(words), [&](duckdb::QueryResult& result) {
    while (const auto chunk = result.Fetch()) {
      for (duckdb::idx_t row = 0; row < chunk->size(); ++row) {
        Json line{{"_kind", "+I"}};
        for (duckdb::idx_t c = 0; c < chunk->ColumnCount(); ++c) line[result.names[c]] = Encode(chunk->GetValue(c, row));
        std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
      }
    }
  });
}

int Main() {
  std::map<std::string, std::unique_ptr<cli::Engine>> engines;
  for (std::string line; std::getline(std::cin, line);) {
    Json end{{"_end", "ok"}};
    try {
      Answer(Split(line, '\t'), engines);
    } catch (const std::exception& error) {
      end = Json{{"_end", "error"}, {"message", error.what()}};
    }
    std::cout << end.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
  return 0;
}

}  // namespace

}  // namespace bactrian::sql_test

int main() { return bactrian::sql_test::Main(); }
