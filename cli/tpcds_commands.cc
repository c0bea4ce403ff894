#include "tpcds_commands.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include "failure.h"
#include "load.h"
#include "tpcds_compare.h"
#include "tpcds_run.h"

namespace bactrian::cli {

namespace {

namespace fs = std::filesystem;

/// <table>.parquet files and folders, by the table's name.
std::map<std::string, std::string> FindTables(const std::string& data, const std::vector<std::string>& wanted) {
  std::map<std::string, std::string> tables;
  if (!fs::is_directory(data)) throw Failure("no folder " + data);
  for (const auto& entry : fs::directory_iterator(data)) {
    if (entry.path().extension() == ".parquet") tables[entry.path().stem().string()] = entry.path().string();
  }
  if (tables.empty()) throw Failure("no *.parquet in the folder " + data);
  if (wanted.empty()) return tables;
  std::map<std::string, std::string> chosen;
  for (const std::string& table : wanted) {
    const auto found = tables.find(table);
    if (found == tables.end()) throw Failure("no " + table + ".parquet in the folder " + data);
    chosen.insert(*found);
  }
  return chosen;
}

void AddLoad(CLI::App& tpcds) {
  static const std::map<std::string, IfExists> kIfExists{
      {"error", IfExists::kError}, {"skip", IfExists::kSkip}, {"overwrite", IfExists::kOverwrite}};
  struct Arguments {
    LoadRequest request;
    std::string data, database = "tpcds";
    std::vector<std::string> tables;
    int memory_limit_gib = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = tpcds.add_subcommand("load", "Make a table of each <table>.parquet, a file or a folder of files");
  command->add_option("--data", arguments->data, "the folder that holds them")->required();
  command->add_option("-w,--warehouse", arguments->request.warehouse, "the folder that holds the databases")
      ->required()
      ->envname("BACTRIAN_WAREHOUSE");
  command->add_option("--database", arguments->database, "default: tpcds");
  command->add_option("--tables", arguments->tables, "only these, separated by commas")->delimiter(',');
  command->add_option("--if-exists", arguments->request.if_exists, "error (default), skip or overwrite")
      ->transform(CLI::Transformer(kIfExists))
      ->type_name("WHAT");
  command->add_option("--threads", arguments->request.threads, "default: one a core")->check(CLI::PositiveNumber);
  command->add_option("--memory-limit-gib", arguments->memory_limit_gib, "of buffered rows; default: 256 MiB a thread")
      ->check(CLI::PositiveNumber);
  command->add_flag("--link", arguments->request.link,
                    "make the files themselves data files (hard links) instead of writing their rows");
  command->callback([arguments] {
    LoadRequest& request = arguments->request;
    request.memory_limit_bytes = static_cast<int64_t>(arguments->memory_limit_gib) << 30;
    for (const auto& [table, source] : FindTables(arguments->data, arguments->tables)) {
      request.table = arguments->database + "." + table;
      request.sources = {source};
      const LoadReport report = Load(request);
      std::cout << request.table << ' ' << report.status << ' ' << report.rows << " rows " << report.milliseconds << " ms"
                << std::endl;
    }
  });
}

void AddRun(CLI::App& tpcds) {
  static const std::map<std::string, TpcdsSource> kSources{{"paimon", TpcdsSource::kPaimon},
                                                           {"parquet", TpcdsSource::kParquet}};
  struct Arguments {
    TpcdsRun run;
    std::string numbers = "1-99";
  };
  auto arguments = std::make_shared<Arguments>();
  TpcdsRun& run = arguments->run;
  CLI::App* command = tpcds.add_subcommand("run", "Time the queries over Paimon tables or over Parquet files");
  command->add_option("--source", run.source, "paimon or parquet")
      ->required()
      ->transform(CLI::CheckedTransformer(kSources))
      ->type_name("SOURCE");
  command->add_option("--data", run.data, "the folder of <table>.parquet, for --source parquet");
  command->add_option("-w,--warehouse", run.engine.warehouse, "for --source paimon")->envname("BACTRIAN_WAREHOUSE");
  command->add_option("--database", run.database, "default: tpcds");
  command->add_option("--queries", run.queries, "the folder of q1.sql … q99.sql")->required()->check(CLI::ExistingDirectory);
  command->add_option("--output", run.output, "the JSON file to write")->required();
  command->add_option("--query", arguments->numbers, "which, as in 1-10,12; default: all");
  command->add_option("--warmup", run.warmup, "iterations that do not count; default: 1")->check(CLI::NonNegativeNumber);
  command->add_option("--iterations", run.iterations, "default: 3")->check(CLI::PositiveNumber);
  command->add_option("--threads", run.engine.threads, "default: one a core")->check(CLI::PositiveNumber);
  command->add_option("--memory-limit-gib", run.engine.memory_limit_gib, "default: four fifths of the machine's")
      ->check(CLI::PositiveNumber);
  command->add_option("--spill-dir", run.engine.spill_directory, "where to spill");
  command->callback([arguments] {
    TpcdsRun& run = arguments->run;
    const bool paimon = run.source == TpcdsSource::kPaimon;
    if (paimon && run.engine.warehouse.empty()) throw CLI::RequiredError("--warehouse");
    if (!paimon && run.data.empty()) throw CLI::RequiredError("--data");
    run.numbers = ParseQueryNumbers(arguments->numbers);
    if (!RunTpcds(run)) throw Failure("some queries failed: " + run.output + " says which");
  });
}

void AddCompare(CLI::App& tpcds) {
  struct Arguments {
    std::string a, b, svg;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = tpcds.add_subcommand("compare", "Compare two outputs of run, query by query");
  command->add_option("A", arguments->a, "an output of run")->required()->check(CLI::ExistingFile);
  command->add_option("B", arguments->b, "the one that ratios are to")->required()->check(CLI::ExistingFile);
  command->add_option("--svg", arguments->svg, "a chart of the ratios; default: beside A");
  command->callback([arguments] {
    if (arguments->svg.empty()) arguments->svg = fs::path(arguments->a).replace_extension(".svg").string();
    if (!CompareTpcds(arguments->a, arguments->b, arguments->svg, std::cout)) throw Failure("not all results are equal");
  });
}

}  // namespace

void AddTpcds(CLI::App& app) {
  CLI::App* tpcds = app.add_subcommand("tpcds", "The TPC-DS benchmark: load, run, compare");
  tpcds->require_subcommand(1);
  AddLoad(*tpcds);
  AddRun(*tpcds);
  AddCompare(*tpcds);
}

}  // namespace bactrian::cli
