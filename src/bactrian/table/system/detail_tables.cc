// Tables over small files and options: consumers, statistics, aggregation functions.
#include "bactrian/base/json.h"
#include "bactrian/meta/consumer_store.h"
#include "bactrian/table/system/option_order.h"
#include "bactrian/table/system/system_readers.h"

namespace bactrian {
namespace {

using nlohmann::ordered_json;

/// "[a, b]"
std::string ListText(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text += (text.size() > 1 ? ", " : "") + value;
  return text + "]";
}

/// The statistics of columns, in the order and numbers of the file.
arrow::Result<std::string> ColumnStatisticsText(std::string_view text, const std::string& path) {
  ordered_json document = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return Corrupt(path, ": malformed JSON");
  auto it = document.find("colStats");
  return PrettyJson(it == document.end() || !it->is_object() ? ordered_json::object() : *it);
}

}  // namespace

arrow::Status ReadConsumers(const SystemTableContext& context, BatchBuilder* rows) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<Consumer> consumers, ConsumerStore(context.store, context.paths).List());
  for (const Consumer& consumer : consumers) {
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(consumer.id));
    ARROW_RETURN_NOT_OK(row.Long(consumer.next_snapshot));
  }
  return arrow::Status::OK();
}

arrow::Status ReadStatistics(const SystemTableContext& context, BatchBuilder* rows) {
  if (!context.snapshot || !context.snapshot->statistics) return arrow::Status::OK();
  const std::string path = context.paths.StatisticsFile(*context.snapshot->statistics);
  ARROW_ASSIGN_OR_RAISE(const std::string text, context.store->ReadAll(path));
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json document, ParseJson(text, path));
  ARROW_ASSIGN_OR_RAISE(const int64_t snapshot_id, RequireJsonInteger(document, "snapshotId", path));
  ARROW_ASSIGN_OR_RAISE(const int64_t schema_id, RequireJsonInteger(document, "schemaId", path));
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> count, JsonInteger(document, "mergedRecordCount", path));
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> size, JsonInteger(document, "mergedRecordSize", path));
  ARROW_ASSIGN_OR_RAISE(const std::string columns, ColumnStatisticsText(text, path));
  StructAppender row = rows->NewRow();
  ARROW_RETURN_NOT_OK(row.Long(snapshot_id));
  ARROW_RETURN_NOT_OK(row.Long(schema_id));
  ARROW_RETURN_NOT_OK(row.Long(count));
  ARROW_RETURN_NOT_OK(row.Long(size));
  return row.Bytes(columns);
}

arrow::Status ReadAggregationFields(const SystemTableContext& context, BatchBuilder* rows) {
  const Options& options = context.schema->options;
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> keys, OptionOrder(context, context.schema->id, options));
  for (const Field& field : context.schema->fields) {
    const std::string prefix = "fields." + field.name + ".";
    std::vector<std::string> values, names;
    for (const std::string& key : keys) {
      if (!key.starts_with(prefix)) continue;
      names.push_back(key);
      values.push_back(options.at(key));
    }
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(field.name));
    ARROW_RETURN_NOT_OK(row.Bytes(field.type->ToSqlString()));
    ARROW_RETURN_NOT_OK(row.Bytes(ListText(values)));
    ARROW_RETURN_NOT_OK(row.Bytes(ListText(names)));
    ARROW_RETURN_NOT_OK(row.OptionalBytes(field.description));
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
