// Rows that SQL looks up by key are those that a scan gives: every primary-key table that the reference wrote.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bactrian/bactrian.h"
#include "corpus.h"
#include "engine.h"
#include "failure.h"
#include "recording_store.h"

namespace bactrian::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;  ///< values as SQL literals

/// The last result's rows, sorted.
Rows Query(Engine& engine, const std::string& sql) {
  Rows rows;
  engine.Run(sql, [&](duckdb::QueryResult& result) {
    rows.clear();
    while (const auto chunk = result.Fetch()) {
      for (duckdb::idx_t row = 0; row < chunk->size(); ++row) {
        auto& values = rows.emplace_back();
        for (duckdb::idx_t column = 0; column < chunk->ColumnCount(); ++column) {
          values.push_back(chunk->GetValue(column, row).ToSQLString());
        }
      }
    }
  });
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool IsLookedUp(Engine& engine, const std::string& sql) {
  const Rows plan = Query(engine, "EXPLAIN " + sql);
  return std::any_of(plan.begin(), plan.end(),
                     [](const auto& row) { return row.back().find("Key Lookup") != std::string::npos; });
}

struct Total {
  int tables = 0, scanned_tables = 0;
  size_t queries = 0, rows = 0;
  std::set<std::string> engines;
};

class Differential {
 public:
  Differential(Engine& engine, const TableSchema& schema, std::string table)
      : engine_(engine), schema_(schema), table_(std::move(table)) {}

  void Check(Total* total) {
    std::string columns;
    for (const std::string& key : schema_.primary_keys) columns += (columns.empty() ? "" : ", ") + QuoteIdentifier(key);
    Rows keys;
    try {
      keys = Query(engine_, "SET paimon_key_lookup = false; SELECT " + columns + " FROM " + table_);
      Query(engine_, "SELECT * FROM " + table_);
    } catch (const Failure&) {
      return;  // a column that SQL has no type for, a sum that overflows
    }
    if (keys.empty()) return;
    const size_t step = 1 + keys.size() / 12;
    Rows tried;
    for (size_t i = 0; i < keys.size(); i += step) {
      Compare(Equals(keys[i]), total);
      tried.push_back(keys[i]);
      tried.push_back(keys[i]);  // of two rows: a key that is mostly in no row
      tried.back().back() = keys[(i + 7) % keys.size()].back();
      Compare(Equals(tried.back()), total);
    }
    std::string in;
    for (size_t column = 0; column < schema_.primary_keys.size(); ++column) {
      in += (column ? " AND " : "") + QuoteIdentifier(schema_.primary_keys[column]) + " IN (";
      for (size_t i = 0; i < std::min<size_t>(tried.size(), 6); ++i) in += (i ? ", " : "") + tried[i][column];
      in += ")";
    }
    Compare(in, total);
    Compare(in + " AND " + QuoteIdentifier(schema_.fields.back().name) + " IS NOT NULL", total);
    Query(engine_, "SET paimon_key_lookup = true");
    ++(IsLookedUp(engine_, "SELECT * FROM " + table_ + " WHERE " + Equals(keys[0])) ? total->tables : total->scanned_tables);
    const auto merge_engine = schema_.options.find("merge-engine");
    total->engines.insert(merge_engine == schema_.options.end() ? "deduplicate" : merge_engine->second);
  }

 private:
  std::string Equals(const std::vector<std::string>& key) const {
    std::string sql;
    for (size_t i = 0; i < key.size(); ++i) {
      sql += (i ? " AND " : "") + QuoteIdentifier(schema_.primary_keys[i]) + " = " + key[i];
    }
    return sql;
  }

  void Compare(const std::string& condition, Total* total) {
    const std::string sql = "SELECT * FROM " + table_ + " WHERE " + condition;
    const Rows scanned = Query(engine_, "SET paimon_key_lookup = false; " + sql);
    EXPECT_EQ(Query(engine_, "SET paimon_key_lookup = true; " + sql), scanned) << sql;
    ++total->queries;
    total->rows += scanned.size();
  }

  Engine& engine_;
  const TableSchema& schema_;
  std::string table_;
};

TEST(KeyLookup, GivesTheRowsOfAScanForEveryPrimaryKeyTableAndSnapshotTried) {
  Total total;
  for (const auto& corpus : Corpora()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
      if (!entry.is_directory() || entry.path().filename() != "warehouse") continue;
      const std::string warehouse = entry.path().string();
      auto catalog = Session::Make({}).ValueOrDie()->OpenCatalog({.warehouse = warehouse, .options = {}, .read_only = true});
      ASSERT_TRUE(catalog.ok());
      Engine engine({.warehouse = warehouse, .read_only = true, .threads = 1});
      for (const std::string& database : (*catalog)->ListDatabases().ValueOrDie()) {
        for (const std::string& name : (*catalog)->ListTables(database).ValueOrDie()) {
          auto table = (*catalog)->GetTable({database, name});
          if (!table.ok() || !(*table)->schema()->is_primary_key_table()) continue;
          SCOPED_TRACE(warehouse + " " + database + "." + name);
          Differential(engine, *(*table)->schema(), QualifiedTable(database + "." + name)).Check(&total);
          for (const char* snapshot : {"1", "3"}) {
            auto older = (*catalog)->GetTable({database, name}, {{"scan.snapshot-id", snapshot}});
            if (!older.ok()) continue;
            const std::string at = QualifiedTable(database + "." + name) + " AT (VERSION => " + snapshot + ")";
            Differential(engine, *(*older)->schema(), at).Check(&total);
          }
        }
      }
    }
  }
  EXPECT_GE(total.tables, 60);
  EXPECT_LE(total.scanned_tables, total.tables / 10);  // branches together, chains, floating-point keys
  EXPECT_GE(total.rows, 500U);
  EXPECT_EQ(total.engines, (std::set<std::string>{"aggregation", "deduplicate", "first-row", "partial-update"}));
  RecordProperty("tables", total.tables);
  RecordProperty("scanned_tables", total.scanned_tables);
  RecordProperty("queries", static_cast<int>(total.queries));
}

TEST(KeyLookup, ASecondExecutionOfAPreparedStatementOpensNoManifestAndNoFileThatIsOpen) {
  const std::string warehouse = (Corpora()[0] / "corpus" / "pk_dedup" / "warehouse").string();
  const auto store = std::make_shared<RecordingStore>(*FileStore::Open(warehouse));
  FileStore::Register("fault", [=](std::string_view) { return store; });
  Engine engine({.warehouse = "fault:" + warehouse, .threads = 1});
  Query(engine, "PREPARE point AS SELECT * FROM lake.default.t_parquet WHERE k = $1");
  const Rows first = Query(engine, "EXECUTE point(3)");
  ASSERT_EQ(first.size(), 1U);
  EXPECT_GT(store->Opened("/manifest/"), 0);
  EXPECT_GT(store->Opened("/data-"), 0);
  store->Forget();
  EXPECT_EQ(Query(engine, "EXECUTE point(3)"), first);
  EXPECT_EQ(store->Opened("/data-"), 0);
  EXPECT_EQ(Query(engine, "EXECUTE point(5)").size(), 1U);  // of another bucket
  EXPECT_EQ(store->Opened("/manifest/"), 0);
  Query(engine, "SET paimon_key_lookup = false");
  EXPECT_EQ(Query(engine, "EXECUTE point(3)"), first);
  EXPECT_GT(store->Opened("/data-"), 0);
}

}  // namespace
}  // namespace bactrian::cli
