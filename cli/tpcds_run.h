#pragma once

#include <string>
#include <vector>

#include "engine.h"

namespace bactrian::cli {

enum class TpcdsSource { kPaimon, kParquet };

struct TpcdsRun {
  TpcdsSource source = TpcdsSource::kPaimon;
  Engine::Options engine;  ///< its warehouse is that of kPaimon
  std::string database = "tpcds";
  std::string data;     ///< kParquet: the folder of <table>.parquet, files or folders
  std::string queries;  ///< the folder of q1.sql … q99.sql
  std::string output;   ///< a JSON file, written anew after each query
  std::vector<int> numbers;
  int warmup = 1, iterations = 3;
};

/// "1-10,12" in ascending order. Throws Failure for anything that names no query of 1 to 99.
std::vector<int> ParseQueryNumbers(const std::string& text);

/// Runs each query `warmup` plus `iterations` times and prints a line a query. True if none failed. Throws Failure for what
/// makes no run possible.
bool RunTpcds(const TpcdsRun& run);

}  // namespace bactrian::cli
