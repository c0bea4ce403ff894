#include "result_printer.h"

#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <unistd.h>

#include <limits>

#include "duckdb/common/arrow/arrow_converter.hpp"
#include "duckdb/common/box_renderer.hpp"
#include "duckdb/common/types/blob.hpp"
#include "duckdb/function/table/arrow/arrow_duck_schema.hpp"
#include "failure.h"

namespace bactrian::cli {

namespace {

/// Calls `row` for every row of the result with its chunk.
template <typename Row>
void ForEachRow(duckdb::QueryResult& result, Row row) {
  while (const auto chunk = result.Fetch()) {
    for (duckdb::idx_t i = 0; i < chunk->size(); ++i) row(*chunk, i);
  }
}

std::string CsvField(const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void PrintCsv(duckdb::QueryResult& result, std::ostream& out) {
  for (size_t c = 0; c < result.names.size(); ++c) out << (c ? "," : "") << CsvField(result.names[c]);
  out << '\n';
  ForEachRow(result, [&](duckdb::DataChunk& chunk, duckdb::idx_t row) {
    for (duckdb::idx_t c = 0; c < chunk.ColumnCount(); ++c) {
      const duckdb::Value value = chunk.GetValue(c, row);
      if (c > 0) out << ',';
      if (!value.IsNull()) out << CsvField(value.ToString());
    }
    out << '\n';
  });
}

std::string JsonText(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          result += std::string("\\u00") + kHex[c >> 4] + kHex[c & 15];
        } else {
          result += c;
        }
    }
  }
  return result + '"';
}

void PrintJson(duckdb::QueryResult& result, std::ostream& out) {
  const char* separator = "[";
  ForEachRow(result, [&](duckdb::DataChunk& chunk, duckdb::idx_t row) {
    out << separator << '{';
    separator = ",\n ";
    for (duckdb::idx_t c = 0; c < chunk.ColumnCount(); ++c) {
      out << (c ? "," : "") << JsonText(result.names[c]) << ':' << ToJson(chunk.GetValue(c, row));
    }
    out << '}';
  });
  out << (separator[0] == '[' ? "[]\n" : "]\n");
}

void PrintBox(duckdb::ClientContext& context, duckdb::QueryResult& result, std::ostream& out) {
  duckdb::BoxRendererConfig config;
  if (!isatty(STDOUT_FILENO)) {
    config.max_rows = std::numeric_limits<uint32_t>::max();
    config.max_width = std::numeric_limits<uint32_t>::max();
  }
  if (result.type == duckdb::QueryResultType::STREAM_RESULT) {
    auto materialized = result.Cast<duckdb::StreamQueryResult>().Materialize();
    if (materialized->HasError()) throw Failure(materialized->GetErrorObject().Message());
    out << materialized->ToBox(context, config);
  } else {
    out << result.ToBox(context, config);
  }
}

void PrintArrow(duckdb::ClientContext& context, duckdb::QueryResult& result, std::ostream& out) {
  duckdb::ClientProperties properties = context.GetClientProperties();
  ArrowSchema exported;
  duckdb::ArrowConverter::ToArrowSchema(&exported, result.types, result.names, properties);
  const std::shared_ptr<arrow::Schema> schema = ValueOrFail(arrow::ImportSchema(&exported));
  const auto extensions = duckdb::ArrowTypeExtensionData::GetExtensionTypes(context, result.types);
  auto sink = ValueOrFail(arrow::io::BufferOutputStream::Create());
  auto writer = ValueOrFail(arrow::ipc::MakeStreamWriter(sink, schema));
  const auto flush = [&] {
    const std::shared_ptr<arrow::Buffer> buffer = ValueOrFail(sink->Finish());
    out.write(reinterpret_cast<const char*>(buffer->data()), buffer->size());
    CheckOk(sink->Reset());
  };
  while (const auto chunk = result.Fetch()) {
    ArrowArray array;
    duckdb::ArrowConverter::ToArrowArray(*chunk, &array, properties, extensions);
    CheckOk(writer->WriteRecordBatch(*ValueOrFail(arrow::ImportRecordBatch(&array, schema))));
    flush();
  }
  CheckOk(writer->Close());
  flush();
}

}  // namespace

OutputFormat DefaultFormat() { return isatty(STDOUT_FILENO) ? OutputFormat::kBox : OutputFormat::kCsv; }

std::string ToJson(const duckdb::Value& value) {
  if (value.IsNull()) return "null";
  const duckdb::LogicalType& type = value.type();
  switch (type.id()) {
    case duckdb::LogicalTypeId::FLOAT:
    case duckdb::LogicalTypeId::DOUBLE:
      return duckdb::Value::DoubleIsFinite(value.GetValue<double>()) ? value.ToString() : JsonText(value.ToString());
    case duckdb::LogicalTypeId::BLOB: {
      static constexpr char kHex[] = "0123456789abcdef";
      std::string hex;
      for (const unsigned char c : duckdb::StringValue::Get(value)) (hex += kHex[c >> 4]) += kHex[c & 15];
      return JsonText(hex);
    }
    case duckdb::LogicalTypeId::STRUCT: {
      std::string result = "{";
      const auto& children = duckdb::StructValue::GetChildren(value);
      for (size_t i = 0; i < children.size(); ++i) {
        result += (i ? "," : "") + JsonText(duckdb::StructType::GetChildName(type, i)) + ':' + ToJson(children[i]);
      }
      return result + '}';
    }
    case duckdb::LogicalTypeId::LIST:
    case duckdb::LogicalTypeId::ARRAY:
    case duckdb::LogicalTypeId::MAP: {
      std::string result = "[";
      const auto& children = type.id() == duckdb::LogicalTypeId::ARRAY ? duckdb::ArrayValue::GetChildren(value)
                             : type.id() == duckdb::LogicalTypeId::MAP ? duckdb::MapValue::GetChildren(value)
                                                                       : duckdb::ListValue::GetChildren(value);
      for (size_t i = 0; i < children.size(); ++i) result += (i ? "," : "") + ToJson(children[i]);
      return result + ']';
    }
    default:
      if (type.IsNumeric() || type.id() == duckdb::LogicalTypeId::BOOLEAN) return value.ToString();
      return JsonText(value.ToString());
  }
}

void PrintResult(duckdb::ClientContext& context, duckdb::QueryResult& result, OutputFormat format, std::ostream& out) {
  switch (result.properties.return_type) {
    case duckdb::StatementReturnType::NOTHING:
      result.Fetch();
      return;
    case duckdb::StatementReturnType::CHANGED_ROWS: {
      const auto chunk = result.Fetch();
      if (format == OutputFormat::kBox && chunk && chunk->size() == 1)
        out << chunk->GetValue(0, 0).ToString() << " rows changed\n";
      while (result.Fetch()) {
      }
      return;
    }
    case duckdb::StatementReturnType::QUERY_RESULT:
      break;
  }
  switch (format) {
    case OutputFormat::kBox:
      PrintBox(context, result, out);
      break;
    case OutputFormat::kCsv:
      PrintCsv(result, out);
      break;
    case OutputFormat::kJson:
      PrintJson(result, out);
      break;
    case OutputFormat::kArrow:
      PrintArrow(context, result, out);
      break;
  }
  out.flush();
  if (!out) throw Failure("cannot write the result");
}

}  // namespace bactrian::cli
