// Planning of a table with many files. Prints one JSON line a figure.
//   bactrian_plan_bench make TABLE_PATH FILES     writes a table whose one snapshot names FILES data files (that do not exist)
//   bactrian_plan_bench plan TABLE_PATH [bucket]  plans it: the first time, and again from the session's cache
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

#include "bactrian/bactrian.h"
#include "bactrian/meta/manifest.h"
#include "bactrian/meta/snapshot.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {
namespace {

constexpr int kColumns = 10;

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

arrow::Status MakeTable(const std::string& path, int64_t num_files) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({}));
  const size_t slash = path.rfind('/'), database = path.rfind('/', slash - 1);
  ARROW_ASSIGN_OR_RAISE(auto catalog, session->OpenCatalog({.warehouse = path.substr(0, database)}));
  const std::string name = path.substr(database + 1, slash - database - 1);
  const Identifier identifier{name.substr(0, name.size() - std::strlen(".db")), path.substr(slash + 1)};
  ARROW_RETURN_NOT_OK(catalog->CreateDatabase(identifier.database, /*ignore_if_exists=*/true));
  Schema schema;
  for (int c = 0; c < kColumns; ++c) {
    schema.fields.push_back({.name = "c" + std::to_string(c), .type = c % 2 == 0 ? DataType::Bigint() : DataType::String()});
  }
  ARROW_RETURN_NOT_OK(catalog->CreateTable(identifier, schema));
  std::vector<TypePtr> types;
  for (const Field& field : schema.fields) types.push_back(field.type);
  std::vector<ManifestEntry> entries(num_files);
  for (int64_t i = 0; i < num_files; ++i) {
    ManifestEntry& entry = entries[i];
    entry.partition = EmptySerializedRow();
    entry.file.file_name = "data-" + NewUuid() + "-0.parquet";
    entry.file.file_size = 64 << 20;
    entry.file.row_count = 1000000;
    entry.file.min_key = entry.file.max_key = EmptySerializedRow();
    entry.file.key_stats = SimpleStats::Empty();
    std::vector<Value> min, max;
    for (int c = 0; c < kColumns; ++c) {
      if (c % 2 == 0) {
        min.emplace_back(i * 1000);
        max.emplace_back(i * 1000 + 999);
      } else {
        min.emplace_back("value " + std::to_string(i));
        max.emplace_back("value " + std::to_string(i + 1));
      }
    }
    ARROW_ASSIGN_OR_RAISE(entry.file.value_stats.min_values, EncodeSerializedRow(types, min));
    ARROW_ASSIGN_OR_RAISE(entry.file.value_stats.max_values, EncodeSerializedRow(types, max));
    entry.file.value_stats.null_counts.assign(kColumns, 0);
    entry.file.file_source = FileSource::kAppend;
  }
  ARROW_ASSIGN_OR_RAISE(auto store, FileStore::Open(path));
  const TablePaths paths{.root = path};
  const std::string uuid = NewUuid();
  int manifests = 0, lists = 0;
  ARROW_ASSIGN_OR_RAISE(auto written, WriteManifests(*store, paths, uuid, &manifests, entries, {}, {}));
  ARROW_ASSIGN_OR_RAISE(WrittenFile base, WriteManifestList(*store, paths, uuid, &lists, {}, {}));
  ARROW_ASSIGN_OR_RAISE(WrittenFile delta, WriteManifestList(*store, paths, uuid, &lists, written, {}));
  Snapshot snapshot;
  snapshot.id = 1;
  snapshot.base_manifest_list = base.name;
  snapshot.base_manifest_list_size = base.size;
  snapshot.delta_manifest_list = delta.name;
  snapshot.delta_manifest_list_size = delta.size;
  snapshot.commit_user = "bench";
  snapshot.commit_identifier = INT64_MAX;
  snapshot.total_record_count = snapshot.delta_record_count = num_files * 1000000;
  snapshot.time_millis = 1;
  return SnapshotStore(store, paths).Publish(snapshot);
}

arrow::Status PlanTable(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make({.cache_bytes = int64_t{2} << 30}));
  ARROW_ASSIGN_OR_RAISE(auto table, session->OpenTable(path));
  for (const char* name : {"first", "cached"}) {
    const int64_t memory = ResidentBytes();
    const auto start = std::chrono::steady_clock::now();
    const double cpu = CpuSeconds();
    ARROW_ASSIGN_OR_RAISE(auto plan, table->NewScan().MakePlan());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double used = CpuSeconds() - cpu;
    int64_t files = 0;
    for (const auto& split : plan->splits()) files += split->num_files();
    std::printf(
        "{\"plan\":\"%s\",\"seconds\":%.6f,\"cpu\":%.6f,\"files\":%lld,\"files_per_cpu_second\":%.0f,\"bytes_per_file\":%.0f}"
        "\n",
        name, seconds.count(), used, static_cast<long long>(files), static_cast<double>(files) / used,
        static_cast<double>(ResidentBytes() - memory) / static_cast<double>(files));
  }
  return arrow::Status::OK();
}

}  // namespace
}  // namespace bactrian

int main(int argc, char** argv) {
  const std::string command = argc > 2 ? argv[1] : "";
  arrow::Status status = bactrian::Invalid("usage: bactrian_plan_bench make TABLE_PATH FILES | plan TABLE_PATH");
  if (command == "make" && argc > 3) status = bactrian::MakeTable(argv[2], std::atoll(argv[3]));
  if (command == "plan") status = bactrian::PlanTable(argv[2]);
  if (!status.ok()) std::cerr << "bactrian_plan_bench: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
