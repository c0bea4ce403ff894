/// Reads tables through the public API for `conform`: requests on stdin, rows as JSON lines on stdout (README.md beside).
///
///   read <warehouse> <database> <table> [option=value …]        (tab separated)
///   splits <warehouse> <database> <table> [option=value …]      each row with its partition, bucket and bucket path
///   lookup <warehouse> <database> <table> @keys=1|2|3 [option=value …]    rows by their key, of one column
///
/// Options are dynamic table options; @project=a,b, @filter='col op literal and …', @limit=n and @stream=polls steer the read.
#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <charconv>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "bactrian/bactrian.h"
#include "row_json.h"

namespace bactrian::interop {
namespace {

constexpr std::string_view kRowKindColumn = "_VALUE_KIND";
constexpr std::string_view kRowKinds[] = {"+I", "-U", "+U", "-D"};

struct Request {
  std::string command, warehouse;
  Identifier identifier;
  Options options;
  std::optional<std::string> project, filter, keys;
  std::optional<int64_t> limit, polls;
};

std::vector<std::string> SplitText(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

arrow::Result<int64_t> ParseInt(const std::string& text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return Invalid("'", text, "' is no number");
  return value;
}

arrow::Result<Request> ParseRequest(const std::string& line) {
  const std::vector<std::string> words = SplitText(line, "\t");
  if (words.size() < 4 || (words[0] != "read" && words[0] != "splits" && words[0] != "lookup"))
    return Invalid("not a request: ", line);
  Request request{words[0], words[1], {words[2], words[3]}, {}, {}, {}, {}, {}, {}};
  for (size_t i = 4; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos) return Invalid("not an option: ", words[i]);
    const std::string key = words[i].substr(0, equals), value = words[i].substr(equals + 1);
    if (key == "@project") {
      request.project = value;
    } else if (key == "@filter") {
      request.filter = value;
    } else if (key == "@keys") {
      request.keys = value;
    } else if (key == "@limit") {
      ARROW_ASSIGN_OR_RAISE(request.limit, ParseInt(value));
    } else if (key == "@stream") {
      ARROW_ASSIGN_OR_RAISE(request.polls, ParseInt(value));
    } else {
      request.options[key] = value;
    }
  }
  return request;
}

/// "col op literal", joined by " and ".
arrow::Result<PredicatePtr> ParseFilter(const std::string& text, const TableSchema& schema) {
  static const std::map<std::string, PredicateOp> kOperators = {
      {"=", PredicateOp::kEqual},       {"!=", PredicateOp::kNotEqual},
      {"<", PredicateOp::kLess},        {"<=", PredicateOp::kLessOrEqual},
      {">", PredicateOp::kGreater},     {">=", PredicateOp::kGreaterOrEqual},
      {"isnull", PredicateOp::kIsNull}, {"notnull", PredicateOp::kIsNotNull},
      {"in", PredicateOp::kIn},         {"startswith", PredicateOp::kStartsWith}};
  std::vector<PredicatePtr> conjuncts;
  for (const std::string& part : SplitText(text, " and ")) {
    const size_t first = part.find(' ');
    const size_t second = part.find(' ', first + 1);
    const std::string column = part.substr(0, first), name = part.substr(first + 1, second - first - 1);
    auto op = kOperators.find(name);
    const Field* field = schema.FindField(column);
    if (!field || op == kOperators.end()) return Invalid("cannot parse the filter ", part);
    std::vector<Value> literals;
    if (second != std::string::npos) {
      const std::string rest = part.substr(second + 1);
      for (const std::string& literal : op->second == PredicateOp::kIn ? SplitText(rest, "|") : std::vector{rest}) {
        ARROW_ASSIGN_OR_RAISE(Value value, ParseValue(literal, *field->type));
        literals.push_back(std::move(value));
      }
    }
    conjuncts.push_back(Predicate::Compare(op->second, column, std::move(literals)));
  }
  return Predicate::And(std::move(conjuncts));
}

class Reader {
 public:
  arrow::Status Run(const Request& request) {
    if (request.command == "splits") return Splits(request);
    if (request.command == "lookup") return Lookup(request);
    return request.polls ? Stream(request) : Read(request);
  }

  arrow::Status Start() { return Session::Make({}).Value(&session_); }

 private:
  arrow::Result<std::shared_ptr<Table>> Open(const Request& request, const Options& options) {
    std::shared_ptr<Catalog>& catalog = catalogs_[request.warehouse];
    if (!catalog) {
      ARROW_ASSIGN_OR_RAISE(catalog, session_->OpenCatalog({.warehouse = request.warehouse, .options = {}, .read_only = true}));
    }
    return catalog->GetTable(request.identifier, options);
  }

  /// A table of the request and what is asked of it.
  struct Prepared {
    std::shared_ptr<Table> table;
    std::vector<Field> fields;
    bool has_kinds = false;
    Scan scan{nullptr};
  };

  arrow::Result<Prepared> Prepare(const Request& request) {
    Prepared prepared;
    ARROW_ASSIGN_OR_RAISE(prepared.table, Open(request, request.options));
    const TableSchema& schema = *prepared.table->schema();
    const std::optional<std::string> system_table = request.identifier.system_table();
    prepared.has_kinds = request.identifier.database != "sys" && (!system_table || system_table == "ro");
    std::vector<std::string> columns;
    if (request.project) {
      columns = SplitText(*request.project, ",");
    } else {
      for (const Field& field : schema.fields) columns.push_back(field.name);
    }
    for (const std::string& column : columns) {
      if (const Field* field = schema.FindField(column)) {
        prepared.fields.push_back(*field);
      } else if (column == "_ROW_ID" || column == "_SEQUENCE_NUMBER") {
        prepared.fields.push_back({.name = column, .type = DataType::Bigint()});
      }
    }
    if (prepared.has_kinds) columns.emplace_back(kRowKindColumn);
    prepared.scan = prepared.table->NewScan().Select(std::move(columns));
    if (request.filter) {
      ARROW_ASSIGN_OR_RAISE(PredicatePtr predicate, ParseFilter(*request.filter, schema));
      prepared.scan.Filter(std::move(predicate));
    }
    if (request.limit) prepared.scan.Limit(*request.limit);
    return prepared;
  }

  arrow::Status Read(const Request& request) {
    ARROW_ASSIGN_OR_RAISE(const Prepared prepared, Prepare(request));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, prepared.scan.MakePlan());
    return PrintAll(*plan, prepared);
  }

  static arrow::Status PrintAll(const Plan& plan, const Prepared& prepared) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> reader, plan.ReadAll());
    while (true) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, reader->Next());
      if (!batch) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(batch->Validate());
      ARROW_RETURN_NOT_OK(Print(*batch, prepared.fields, prepared.has_kinds));
    }
  }

  arrow::Status Lookup(const Request& request) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Table> table, Open(request, request.options));
    const TableSchema& schema = *table->schema();
    if (!request.keys || schema.primary_keys.size() != 1) return Invalid("lookup needs @keys, and a table with one key column");
    const Field& key = *schema.FindField(schema.primary_keys[0]);
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<KeyLookup> lookup, table->NewLookup());
    arrow::ArrayVector keys;
    for (const std::string& text : SplitText(*request.keys, "|")) {
      ARROW_ASSIGN_OR_RAISE(Value value, ParseValue(text, *key.type));
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> scalar, ToScalar(value, *key.type));
      ARROW_ASSIGN_OR_RAISE(keys.emplace_back(), arrow::MakeArrayFromScalar(*scalar, 1));
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> column, arrow::Concatenate(keys));
    ARROW_ASSIGN_OR_RAISE(FoundRows found, lookup->Find(*arrow::RecordBatch::Make(lookup->key_schema(), column->length(),
                                                                                  arrow::ArrayVector{column})));
    ARROW_RETURN_NOT_OK(found.rows->ValidateFull());
    return Print(*found.rows, schema.fields, /*has_kinds=*/false);
  }

  arrow::Status Splits(const Request& request) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Table> table, Open(request, request.options));
    const TableSchema& schema = *table->schema();
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, table->NewScan().MakePlan());
    const size_t database_path = table->path().rfind('/') + 1;
    for (const auto& split : plan->splits()) {
      ARROW_ASSIGN_OR_RAISE(std::string partition, PartitionJson(schema.PartitionFields(), split->partition()));
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> reader, plan->Read(*split));
      while (true) {
        ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, reader->Next());
        if (!batch) break;
        for (int64_t row = 0; row < batch->num_rows(); ++row) {
          std::string line =
              "{\"_partition\":" + partition + ",\"_bucket\":" + std::to_string(split->bucket()) + ",\"_bucketPath\":";
          AppendString(split->bucket_path().substr(database_path), &line);
          line += ",\"row\":";
          ARROW_RETURN_NOT_OK(AppendRow(*batch, schema.fields, row, "+I", &line));
          std::cout << line << "}\n";
        }
      }
    }
    return arrow::Status::OK();
  }

  static arrow::Result<std::string> PartitionJson(const std::vector<Field>& fields, const std::vector<Value>& values) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Schema> schema, ToArrowSchema(fields));
    arrow::ArrayVector columns;
    for (size_t i = 0; i < fields.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> scalar, ToScalar(values[i], *fields[i].type));
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::MakeArrayFromScalar(*scalar, 1));
    }
    std::string json;
    ARROW_RETURN_NOT_OK(AppendRow(*arrow::RecordBatch::Make(schema, 1, columns), fields, 0, "", &json));
    return json;
  }

  static arrow::Status Print(const arrow::RecordBatch& batch, const std::vector<Field>& fields, bool has_kinds) {
    std::string lines;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      int8_t kind = 0;
      if (has_kinds) kind = static_cast<const arrow::Int8Array&>(*batch.column(batch.num_columns() - 1)).Value(row);
      ARROW_RETURN_NOT_OK(AppendRow(batch, fields, row, kRowKinds[kind & 3], &lines));
      lines.push_back('\n');
    }
    std::cout << lines;
    return arrow::Status::OK();
  }

  arrow::Status Stream(const Request& request) {
    ARROW_ASSIGN_OR_RAISE(const Prepared prepared, Prepare(request));
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<ChangeStream> stream, prepared.scan.OpenStream());
    for (int64_t poll = 0; poll < *request.polls; ++poll) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, stream->Poll());
      if (plan) ARROW_RETURN_NOT_OK(PrintAll(*plan, prepared));
    }
    return arrow::Status::OK();
  }

  std::shared_ptr<Session> session_;
  std::map<std::string, std::shared_ptr<Catalog>> catalogs_;
};

int Main() {
  Reader reader;
  if (arrow::Status started = reader.Start(); !started.ok()) {
    std::cerr << started.ToString() << "\n";
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    arrow::Result<Request> request = ParseRequest(line);
    const arrow::Status status = request.ok() ? reader.Run(*request) : request.status();
    std::string end = "{\"_end\":\"ok\"}";
    if (!status.ok()) {
      end = "{\"_end\":\"error\",\"message\":";
      AppendString(status.ToString(), &end);
      end.push_back('}');
    }
    std::cout << end << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace bactrian::interop

int main() { return bactrian::interop::Main(); }
