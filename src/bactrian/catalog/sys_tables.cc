#include "bactrian/catalog/sys_tables.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>

#include "bactrian/meta/batch_builder.h"
#include "bactrian/table/read/batch_plan.h"
#include "bactrian/table/system/system_table.h"
#include "bactrian/table/table_context.h"
#include "bactrian/types/field_ids.h"

namespace bactrian {
namespace {

/// What the rows are computed from.
struct SysContext {
  std::shared_ptr<Session> session;
  std::shared_ptr<Catalog> catalog;
  Options catalog_options;
};

TypePtr Text() { return DataType::String(); }
TypePtr Long() { return DataType::Bigint(); }
TypePtr Flag() { return DataType::Make(TypeRoot::kBoolean); }

/// Every table of every database. One that is dropped meanwhile is left out.
arrow::Status ForEachTable(Catalog& catalog, const std::function<arrow::Status(const Identifier&, Table&)>& visit) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> databases, catalog.ListDatabases());
  for (const std::string& database : databases) {
    auto names = catalog.ListTables(database);
    if (!names.ok() && KindOf(names.status()) == ErrorKind::kNotFound) continue;
    ARROW_RETURN_NOT_OK(names.status());
    for (const std::string& name : *names) {
      auto table = catalog.GetTable({database, name});
      if (!table.ok() && KindOf(table.status()) == ErrorKind::kNotFound) continue;
      ARROW_RETURN_NOT_OK(table.status());
      ARROW_RETURN_NOT_OK(visit({database, name}, **table));
    }
  }
  return arrow::Status::OK();
}

std::optional<std::string> Option(const Options& options, const std::string& key) {
  auto it = options.find(key);
  return it == options.end() ? std::nullopt : std::optional(it->second);
}

arrow::Status ReadTables(const SysContext& context, BatchBuilder* rows) {
  return ForEachTable(*context.catalog, [&](const Identifier& identifier, Table& table) -> arrow::Status {
    const TableSchema& schema = *table.schema();
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(identifier.database));
    ARROW_RETURN_NOT_OK(row.Bytes(identifier.object));
    ARROW_RETURN_NOT_OK(row.Bytes(Option(schema.options, "type").value_or("table")));
    ARROW_RETURN_NOT_OK(row.Bool(!schema.partition_keys.empty()));
    ARROW_RETURN_NOT_OK(row.Bool(schema.is_primary_key_table()));
    ARROW_RETURN_NOT_OK(row.OptionalBytes(Option(schema.options, "owner")));
    // created_at, created_by, updated_at, updated_by: a file-system catalog does not know.
    ARROW_RETURN_NOT_OK(row.Long(std::nullopt));
    ARROW_RETURN_NOT_OK(row.OptionalBytes(std::nullopt));
    ARROW_RETURN_NOT_OK(row.Long(std::nullopt));
    ARROW_RETURN_NOT_OK(row.OptionalBytes(std::nullopt));
    // record_count, file_size_in_bytes, file_count, last_file_creation_time: neither.
    for (int i = 0; i < 4; ++i) ARROW_RETURN_NOT_OK(row.Long(std::nullopt));
    return arrow::Status::OK();
  });
}

arrow::Status ReadOptions(const SysContext& context, BatchBuilder* rows) {
  return ForEachTable(*context.catalog, [&](const Identifier& identifier, Table& table) -> arrow::Status {
    Options options = table.schema()->options;
    options["path"] = table.path();
    for (const auto& [key, value] : options) {
      StructAppender row = rows->NewRow();
      ARROW_RETURN_NOT_OK(row.Bytes(identifier.database));
      ARROW_RETURN_NOT_OK(row.Bytes(identifier.object));
      ARROW_RETURN_NOT_OK(row.Bytes(key));
      ARROW_RETURN_NOT_OK(row.Bytes(value));
    }
    return arrow::Status::OK();
  });
}

/// The rows of `t$partitions` of each partitioned table.
arrow::Status ReadPartitions(const SysContext& context, BatchBuilder* rows) {
  return ForEachTable(*context.catalog, [&](const Identifier& identifier, Table& table) -> arrow::Status {
    const TableContext* base = table.context();
    if (base == nullptr || base->schema->partition_keys.empty()) return arrow::Status::OK();
    SystemTableContext of_table{base->store, base->paths, base->schema, std::nullopt, base->pool};
    ARROW_ASSIGN_OR_RAISE(of_table.snapshot, base->snapshots->Latest());
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatch> batch, ReadSystemTable("partitions", of_table));
    const auto text = std::static_pointer_cast<arrow::StringArray>(batch->GetColumnByName("partition"));
    auto number = [&](const char* name, int64_t i) -> std::optional<int64_t> {
      const auto column = batch->GetColumnByName(name);  // BIGINT or TIMESTAMP(3), alike in memory
      if (column->IsNull(i)) return std::nullopt;
      return static_cast<const arrow::Int64Array&>(*column).Value(i);
    };
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      StructAppender row = rows->NewRow();
      ARROW_RETURN_NOT_OK(row.Bytes(identifier.database));
      ARROW_RETURN_NOT_OK(row.Bytes(identifier.object));
      ARROW_RETURN_NOT_OK(row.Bytes(text->GetView(i)));
      ARROW_RETURN_NOT_OK(row.Long(number("record_count", i)));
      ARROW_RETURN_NOT_OK(row.Long(number("file_size_in_bytes", i)));
      ARROW_RETURN_NOT_OK(row.Long(number("file_count", i)));
      ARROW_RETURN_NOT_OK(row.Long(number("last_update_time", i)));
      ARROW_RETURN_NOT_OK(row.Bool(false));  // done
    }
    return arrow::Status::OK();
  });
}

arrow::Status ReadCatalogOptions(const SysContext& context, BatchBuilder* rows) {
  Options options = context.catalog_options;
  options["warehouse"] = context.catalog->warehouse();
  for (const auto& [key, value] : options) {
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(row.Bytes(key));
    ARROW_RETURN_NOT_OK(row.Bytes(value));
  }
  return arrow::Status::OK();
}

struct SysTableKind {
  std::string name;
  std::vector<Field> fields;
  arrow::Status (*read)(const SysContext&, BatchBuilder*);
};

const std::vector<SysTableKind>& SysTableKinds() {
  static const std::vector<SysTableKind> kinds = {
      {"all_table_options",
       NumberedFields({{"database_name", Text()}, {"table_name", Text()}, {"key", Text()}, {"value", Text()}}), ReadOptions},
      {"catalog_options", NumberedFields({{"key", Text()}, {"value", Text()}}), ReadCatalogOptions},
      {"partitions",
       NumberedFields({{"database_name", Text()},
                       {"table_name", Text()},
                       {"partition_name", Text()},
                       {"record_count", Long()},
                       {"file_size_in_bytes", Long()},
                       {"file_count", Long()},
                       {"last_file_creation_time", Long()},
                       {"done", Flag()}}),
       ReadPartitions},
      {"tables",
       NumberedFields({{"database_name", Text()},
                       {"table_name", Text()},
                       {"table_type", Text()},
                       {"partitioned", Flag()},
                       {"primary_key", Flag()},
                       {"owner", Text()},
                       {"created_at", Long()},
                       {"created_by", Text()},
                       {"updated_at", Long()},
                       {"updated_by", Text()},
                       {"record_count", Long()},
                       {"file_size_in_bytes", Long()},
                       {"file_count", Long()},
                       {"last_file_creation_time", Long()}}),
       ReadTables},
  };
  return kinds;
}

class SysTable final : public Table {
 public:
  SysTable(Identifier identifier, const SysTableKind& kind, SysContext context)
      : identifier_(std::move(identifier)), kind_(kind), context_(std::move(context)) {
    auto schema = std::make_shared<TableSchema>();
    schema->fields = kind.fields;
    schema_ = std::move(schema);
  }

  const Identifier& identifier() const override { return identifier_; }
  const std::string& path() const override { return context_.catalog->warehouse(); }
  const std::shared_ptr<const TableSchema>& schema() const override { return schema_; }
  std::shared_ptr<Session> session() const override { return context_.session; }

  arrow::Result<std::shared_ptr<Plan>> MakePlan(const Scan& scan) override {
    arrow::MemoryPool* pool = context_.session->memory_pool();
    ARROW_ASSIGN_OR_RAISE(BatchBuilder rows, BatchBuilder::Make(kind_.fields, pool));
    ARROW_RETURN_NOT_OK(kind_.read(context_, &rows));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, rows.Finish());
    return MakeBatchPlan(scan, schema_->fields, std::move(batch), std::nullopt, pool);
  }

  arrow::Result<std::unique_ptr<Writer>> NewWriter(const WriteOptions&) override { return ReadOnly(); }
  arrow::Result<std::unique_ptr<Committer>> NewCommitter(const CommitOptions&) override { return ReadOnly(); }

 private:
  arrow::Status ReadOnly() const { return Unsupported("system table ", identifier_.ToString(), " cannot be written"); }

  Identifier identifier_;
  const SysTableKind& kind_;
  SysContext context_;
  std::shared_ptr<const TableSchema> schema_;
};

}  // namespace

const std::vector<std::string>& SysTableNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const SysTableKind& kind : SysTableKinds()) all.push_back(kind.name);
    return all;
  }();
  return names;
}

arrow::Result<std::shared_ptr<Table>> OpenSysTable(std::shared_ptr<Session> session, std::shared_ptr<Catalog> catalog,
                                                   const Options& catalog_options, const Identifier& identifier) {
  for (const SysTableKind& kind : SysTableKinds()) {
    if (kind.name != identifier.object) continue;
    SysContext context{std::move(session), std::move(catalog), catalog_options};
    return std::make_shared<SysTable>(identifier, kind, std::move(context));
  }
  return NotFound("there is no system table ", identifier.ToString());
}

}  // namespace bactrian
