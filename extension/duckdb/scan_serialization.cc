#include "scan_serialization.h"

#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/common/serializer/deserializer.hpp"
#include "duckdb/common/serializer/serializer.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "errors.h"
#include "file_list.h"
#include "key_lookup.h"
#include "scan_function.h"

namespace bactrian::sql {

namespace {

duckdb::unique_ptr<duckdb::FunctionData> RefuseToBind(duckdb::ClientContext&, duckdb::TableFunctionBindInput&,
                                                      duckdb::vector<duckdb::LogicalType>&, duckdb::vector<SqlName>&) {
  throw duckdb::BinderException("%s is no function for SQL", kScanFunctionName);
}

void RefuseToRun(duckdb::ClientContext&, duckdb::TableFunctionInput&, duckdb::DataChunk&) {
  throw duckdb::InternalException("%s was not bound", kScanFunctionName);
}

}  // namespace

void SerializeScan(duckdb::Serializer& serializer, const duckdb::optional_ptr<duckdb::FunctionData> bind_data,
                   const BoundFunction&) {
  const auto& files = bind_data->Cast<duckdb::MultiFileBindData>().file_list->Cast<PaimonFileList>();
  serializer.WriteProperty(100, "source", files.source().id());
  serializer.WriteProperty(101, "predicate", files.predicate() ? files.predicate()->ToString() : std::string());
}

duckdb::unique_ptr<duckdb::FunctionData> DeserializeScan(duckdb::Deserializer& deserializer, BoundFunction& function) {
  const auto id = deserializer.ReadProperty<uint64_t>(100, "source");
  const auto text = deserializer.ReadProperty<duckdb::string>(101, "predicate");
  std::shared_ptr<const ScanSource> source = ScanSource::Find(id);
  const PredicatePtr predicate = source && !text.empty() ? source->PlannedPredicate(text) : nullptr;
  if (!source || (predicate == nullptr && !text.empty())) {
    throw duckdb::SerializationException("the scan of a Paimon table outlived its query");
  }
  auto& context = deserializer.Get<duckdb::ClientContext&>();
  auto plan = ValueOrThrow(predicate ? source->FilteredPlan(predicate, LooksUpKeys(context)) : source->BasePlan());
  auto entry = source->entry.lock();
  auto files = duckdb::make_shared_ptr<PaimonFileList>(std::move(source), std::move(plan), predicate);
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
  function = BoundFunction(MakeScanFunction(context, std::move(files), std::move(entry), bind_data));
  return bind_data;
}

void RegisterScanFunction(duckdb::DatabaseInstance& database) {
  duckdb::TableFunction function(kScanFunctionName, {duckdb::LogicalType::VARCHAR}, RefuseToRun, RefuseToBind);
  function.serialize = SerializeScan;
  function.deserialize = DeserializeScan;
  duckdb::ExtensionLoader(database, "paimon").RegisterFunction(std::move(function));
}

}  // namespace bactrian::sql
