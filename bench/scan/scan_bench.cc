// Scan speed of a file format on one file: CPU time of the thread, best of several rounds.
//
//   scan_bench FILE [ROUNDS]
//
// The file's columns are read under the Paimon types that its Arrow schema maps to. Peers are measured by peers.py beside it.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include <arrow/compute/initialize.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>

#include "bactrian/format/parquet/parquet_format.h"

namespace bactrian {
namespace {

double CpuMillis() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  const auto millis = [](const timeval& time) { return time.tv_sec * 1e3 + time.tv_usec / 1e3; };
  return millis(usage.ru_utime) + millis(usage.ru_stime);
}

arrow::Result<std::vector<Field>> FieldsOf(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  std::vector<Field> fields;
  for (const auto& field : schema->fields()) {
    ARROW_ASSIGN_OR_RAISE(auto type, FromArrowType(*field->type(), field->nullable()));
    fields.push_back({static_cast<int32_t>(fields.size()), field->name(), std::move(type), {}, {}});
  }
  return fields;
}

arrow::Result<int64_t> CountRows(const FileHandle& handle, const ReadRequest& request) {
  ARROW_ASSIGN_OR_RAISE(auto reader, handle.Read(request));
  int64_t rows = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (!batch) return rows;
    rows += batch->num_rows();
  }
}

struct Case {
  const char* name;
  std::function<void(ReadRequest*)> set_up;
};

arrow::Status Run(const std::string& path, int rounds) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  ARROW_ASSIGN_OR_RAISE(const std::vector<Field> fields, FieldsOf(path));
  const auto column = [&](const std::string& name) {
    return *std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  };
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<FileStore> store, FileStore::Open(path));
  const auto length = static_cast<int64_t>(std::filesystem::file_size(path));
  const auto less = [&](const char* name, int64_t literal) {
    return Predicate::Compare(PredicateOp::kLess, name, {Value(literal)});
  };
  ARROW_ASSIGN_OR_RAISE(const auto handle, ParquetFormat()->Open(store, path, length));
  const int64_t rows = handle->num_rows();
  const std::vector<Case> cases = {
      {"full", [](ReadRequest*) {}},
      {"full, string views", [](ReadRequest* r) { r->string_views = true; }},
      {"three columns", [&](ReadRequest* r) { r->fields = {column("id"), column("price"), column("c")}; }},
      {"one string column", [&](ReadRequest* r) { r->fields = {column("cust")}; }},
      {"low-cardinality strings", [&](ReadRequest* r) { r->fields = {column("city")}; }},
      {"clustered 1 %", [&](ReadRequest* r) { r->predicate = less("id", rows / 100); }},
      {"scattered 1 %", [&](ReadRequest* r) { r->predicate = less("k", 10000); }},
      {"scattered 10 %", [&](ReadRequest* r) { r->predicate = less("k", 100000); }},
      {"scattered 50 %", [&](ReadRequest* r) { r->predicate = less("k", 500000); }},
      {"point", [&](ReadRequest* r) { r->predicate = Predicate::Compare(PredicateOp::kEqual, "id", {Value(rows / 2)}); }},
  };
  for (const Case& c : cases) {
    if (std::getenv("ONLY") && std::string(c.name) != std::getenv("ONLY")) continue;
    ReadRequest request{.fields = fields, .predicate_fields = fields};
    c.set_up(&request);
    double best = 1e300;
    int64_t count = 0;
    for (int i = 0; i < rounds; ++i) {
      const double begin = CpuMillis();
      ARROW_ASSIGN_OR_RAISE(count, CountRows(*handle, request));
      best = std::min(best, CpuMillis() - begin);
    }
    std::printf("%-24s %9.2f ms CPU  %lld rows\n", c.name, best, static_cast<long long>(count));
  }
  return arrow::Status::OK();
}

}  // namespace
}  // namespace bactrian

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: scan_bench FILE [ROUNDS]\n");
    return 2;
  }
  const arrow::Status status = bactrian::Run(argv[1], argc > 2 ? std::atoi(argv[2]) : 5);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
