// One timed scan of a table through the public API, on one thread. Prints {"seconds":…,"cpu":…,"rows":…} for bench/run.py.
//   bactrian_scan_bench TABLE_PATH [--columns a,b] [--filter 'column<value'] [--repeat N]
#include <arrow/record_batch.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "bactrian/bactrian.h"

namespace {

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

arrow::Status Run(int argc, char** argv) {
  if (argc < 2) return bactrian::Invalid("usage: bactrian_scan_bench TABLE_PATH [--columns a,b] [--filter 'column<value']");
  ARROW_ASSIGN_OR_RAISE(auto session, bactrian::Session::Make({}));
  ARROW_ASSIGN_OR_RAISE(auto table, session->OpenTable(argv[1]));
  auto scan = table->NewScan();
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--columns") {
      scan.Select(Split(value));
    } else if (option == "--filter") {
      const size_t at = value.find('<');
      const bactrian::Field* field = table->schema()->FindField(value.substr(0, at));
      if (field == nullptr) return bactrian::Invalid("no column ", value.substr(0, at));
      ARROW_ASSIGN_OR_RAISE(bactrian::Value bound, bactrian::ParseValue(value.substr(at + 1), *field->type));
      scan.Filter(bactrian::Predicate::Compare(bactrian::PredicateOp::kLess, field->name, {bound}));
    } else {
      return bactrian::Invalid("no option ", option);
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const double cpu = CpuSeconds();
  ARROW_ASSIGN_OR_RAISE(auto plan, scan.MakePlan());
  int64_t rows = 0;
  for (const auto& split : plan->splits()) {
    ARROW_ASSIGN_OR_RAISE(auto reader, plan->Read(*split));
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, reader->Next());
      if (batch == nullptr) break;
      rows += batch->num_rows();
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("{\"seconds\":%.6f,\"cpu\":%.6f,\"rows\":%lld}\n", seconds.count(), CpuSeconds() - cpu,
              static_cast<long long>(rows));
  return arrow::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  const arrow::Status status = Run(argc, argv);
  if (!status.ok()) std::cerr << "bactrian_scan_bench: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
