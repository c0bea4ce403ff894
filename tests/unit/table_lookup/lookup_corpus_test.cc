/// Every primary-key table that the reference wrote: all its keys, and keys that it lacks.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../corpus.h"
#include "../status_asserts.h"
#include "../table/own_table.h"

namespace bactrian {
namespace {

std::string RowText(const arrow::RecordBatch& batch, int64_t row) {
  std::string text;
  for (const auto& column : batch.columns()) text += column->GetScalar(row).ValueOrDie()->ToString() + "|";
  return text;
}

/// A value that is likely in no table.
Value Strange(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number > 50 ? *number - 37 : *number + 37;
  if (const auto* text = std::get_if<std::string>(&value)) return *text + "~";
  if (const auto* time = std::get_if<TimestampValue>(&value))
    return TimestampValue{time->millis > 0 ? time->millis - 1 : time->millis + 1, time->nanos};
  if (const auto* real = std::get_if<double>(&value)) return *real + 0.125;
  return value;
}

struct Found {
  int tables = 0;
  int64_t rows = 0;
};

void CheckTable(const std::shared_ptr<Table>& table, Found* total) {
  const TableSchema& schema = *table->schema();
  auto plan = table->NewScan().MakePlan();
  auto lookup = table->NewLookup();
  if (!plan.ok()) {  // both refuse what cannot be read
    EXPECT_FALSE(lookup.ok());
    return;
  }
  if (!lookup.ok() && schema.options.contains("scan.fallback-branch")) return;  // rows of several branches
  if (!lookup.ok() && schema.options.contains("chain-table.enabled")) return;
  ASSERT_OK_AND_ASSIGN(auto reader, (*plan)->ReadAll());
  auto rows = reader->ToTable();
  if (!rows.ok()) return;  // a sum that overflows, a sketch
  ASSERT_OK(lookup.status());
  std::vector<Field> fields;
  std::vector<int> columns;
  for (const std::string& key : schema.primary_keys) {
    fields.push_back(*schema.FindField(key));
    columns.push_back(schema.FieldIndex(key));
  }
  std::multimap<std::string, std::string> wanted;
  std::set<Row> keys;
  arrow::TableBatchReader batches(**rows);
  for (std::shared_ptr<arrow::RecordBatch> batch; batches.ReadNext(&batch).ok() && batch;) {
    ASSERT_OK_AND_ASSIGN(auto key_columns, batch->SelectColumns(columns));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      wanted.emplace(RowText(*key_columns, i), RowText(*batch, i));
      Row key, strange;
      for (size_t c = 0; c < fields.size(); ++c) {
        ASSERT_OK_AND_ASSIGN(auto scalar, key_columns->column(static_cast<int>(c))->GetScalar(i));
        ASSERT_OK_AND_ASSIGN(Value value, FromScalar(*scalar, *fields[c].type));
        strange.push_back(Strange(value));
        key.push_back(std::move(value));
      }
      Row half = key;
      half.back() = strange.back();
      keys.insert({std::move(key), std::move(strange), std::move(half)});
    }
  }
  ASSERT_OK_AND_ASSIGN(auto batch, MakeBatch(fields, {keys.begin(), keys.end()}));
  ASSERT_OK_AND_ASSIGN(FoundRows found, (*lookup)->Find(*batch));
  ASSERT_OK(found.rows->Validate());  // not fully: merged decimals may exceed their precision, as in the reference
  std::multimap<std::string, std::string> got;
  for (int64_t i = 0; i < found.rows->num_rows(); ++i)
    got.emplace(RowText(*batch, found.key_rows->Value(i)), RowText(*found.rows, i));
  const auto sorted = [](const auto& map) { return std::multiset(map.begin(), map.end()); };
  EXPECT_EQ(sorted(got), sorted(wanted));
  for (int64_t i = 0; i < batch->num_rows(); i += 1 + batch->num_rows() / 20) {
    ASSERT_OK_AND_ASSIGN(FoundRows alone, (*lookup)->Find(*batch->Slice(i, 1)));
    EXPECT_EQ(alone.rows->num_rows(), static_cast<int64_t>(wanted.count(RowText(*batch, i))));
  }
  ++total->tables;
  total->rows += found.rows->num_rows();
}

TEST(LookupCorpus, FindsEveryRowOfEveryPrimaryKeyTableAtEverySnapshotTried) {
  Found total;
  for (const auto& corpus : Corpora()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
      if (!entry.is_directory() || entry.path().filename() != "warehouse") continue;
      const auto& warehouse = entry.path();
      ASSERT_OK_AND_ASSIGN(auto session, Session::Make({.num_threads = 1}));
      ASSERT_OK_AND_ASSIGN(auto catalog,
                           session->OpenCatalog({.warehouse = warehouse.string(), .options = {}, .read_only = true}));
      ASSERT_OK_AND_ASSIGN(auto databases, catalog->ListDatabases());
      for (const std::string& database : databases) {
        ASSERT_OK_AND_ASSIGN(auto names, catalog->ListTables(database));
        for (const std::string& name : names) {
          auto table = catalog->GetTable({database, name});
          if (!table.ok() || !(*table)->schema()->is_primary_key_table()) continue;
          SCOPED_TRACE(warehouse.string() + " " + database + "." + name);
          CheckTable(*table, &total);
          for (const char* snapshot : {"1", "2", "4"}) {
            auto older = catalog->GetTable({database, name}, {{"scan.snapshot-id", snapshot}});
            if (!older.ok()) continue;
            SCOPED_TRACE(std::string("snapshot ") + snapshot);
            CheckTable(*older, &total);
          }
        }
      }
    }
  }
  EXPECT_GE(total.tables, 50);
  EXPECT_GE(total.rows, 1000);
  RecordProperty("tables", total.tables);
}

}  // namespace
}  // namespace bactrian
