// Prepared point queries in SQL, in turns ours and DuckDB's own over the same sorted files. Prints one JSON line a contestant.
//   bactrian_lookup_sql_bench TABLE_PATH ROWS LOOKUPS      the table of bactrian_lookup_bench; DuckDB finds 25 of the keys
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/paimon_extension.h"
#include "measure.h"

namespace {

void Check(duckdb::QueryResult& result) {
  if (result.HasError()) result.ThrowError();
}

struct Contestant {
  std::string name;
  duckdb::unique_ptr<duckdb::PreparedStatement> statement;
  int64_t every;  ///< of how many keys it is asked for one
  std::vector<double> seconds = {};
  int64_t found = 0, wanted = 0;

  void Find(int64_t key, bool timed) {
    const bactrian::Stopwatch watch;
    auto result = statement->Execute(duckdb::Value::BIGINT(key));
    Check(*result);
    while (auto chunk = result->Fetch()) found += static_cast<int64_t>(chunk->size());
    if (timed) seconds.push_back(watch.seconds());
  }
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("usage: bactrian_lookup_sql_bench TABLE_PATH ROWS LOOKUPS");
  const std::string path = argv[1];
  const int64_t rows = std::atoll(argv[2]), lookups = std::atoll(argv[3]);
  duckdb::DBConfig config;
  config.SetOptionByName("threads", duckdb::Value::BIGINT(1));
  duckdb::DuckDB database(nullptr, &config);
  bactrian::sql::LoadPaimon(*database.instance);
  duckdb::Connection connection(database);
  const size_t table = path.rfind('/'), warehouse = path.rfind('/', table - 1);
  Check(*connection.Query("ATTACH '" + path.substr(0, warehouse) + "' AS lake (TYPE paimon, READ_ONLY)"));
  const std::string schema = path.substr(warehouse + 1, table - warehouse - 1 - std::string(".db").size());
  const std::string columns = "SELECT k, a, b, t FROM ", filter = " WHERE k = $1";
  std::vector<Contestant> contestants;
  const auto add = [&](const std::string& name, const std::string& relation, int64_t every) {
    auto statement = connection.Prepare(columns + relation + filter);
    if (statement->HasError()) statement->error.Throw();
    contestants.push_back({name, std::move(statement), every});
  };
  add("Bactrian", "lake." + schema + "." + path.substr(table + 1), 1);
  add("DuckDB read_parquet", "read_parquet('" + path + "/bucket-0/*.parquet')", std::max<int64_t>(lookups / 25, 1));
  std::mt19937_64 random(11);
  for (int64_t i = 0; i < lookups; ++i) {
    const int64_t key = static_cast<int64_t>(random() % rows) * 3 + (i % 10 == 1 ? 1 : 0);
    contestants[0].Find(key, /*timed=*/false);  // its page: what is measured is a statement that finds it in the cache
    contestants[0].found = contestants[0].wanted;
    for (Contestant& contestant : contestants) {
      if (i % contestant.every != 0) continue;
      contestant.Find(key, /*timed=*/true);
      contestant.wanted += i % 10 == 1 ? 0 : 1;
    }
  }
  for (Contestant& contestant : contestants) {
    if (contestant.found != contestant.wanted) {
      throw std::runtime_error(contestant.name + " found " + std::to_string(contestant.found) + " rows");
    }
    std::vector<double>& seconds = contestant.seconds;
    std::sort(seconds.begin(), seconds.end());
    std::printf("{\"contestant\":\"%s\",\"p50_us\":%.1f,\"p99_us\":%.1f}\n", contestant.name.c_str(),
                1e6 * seconds[seconds.size() / 2], 1e6 * seconds[seconds.size() * 99 / 100]);
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "bactrian_lookup_sql_bench: " << error.what() << "\n";
  return 1;
}
