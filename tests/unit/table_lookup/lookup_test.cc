/// What looking keys up finds is what a scan of the same snapshot shows, whatever the files look like.
#include <arrow/memory_pool.h>
#include <gmock/gmock.h>
#include <malloc.h>

#include <map>
#include <random>

#include "../key_value_table.h"
#include "../table/own_table.h"

namespace bactrian {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string RowText(const arrow::RecordBatch& batch, int64_t row) {
  std::string text;
  for (const auto& column : batch.columns()) text += column->GetScalar(row).ValueOrDie()->ToString() + "|";
  return text;
}

class LookupTest : public OwnTableTest {
 protected:
  std::shared_ptr<Table> CreateKeyed(std::vector<Field> fields, std::vector<std::string> keys, Options options) {
    Schema schema;
    schema.fields = std::move(fields);
    schema.primary_keys = std::move(keys);
    schema.options = std::move(options);
    schema.options.try_emplace("bucket", "1");
    const arrow::Status created = catalog_->CreateTable({"db", "t"}, std::move(schema));
    EXPECT_TRUE(created.ok()) << created.ToString();
    return Open();
  }

  /// Looks all keys up at once, in random order, and each alone; the rows must be those of `wanted` (by key text).
  void ExpectFound(const std::shared_ptr<Table>& table, std::vector<Row> keys,
                   const std::map<std::string, std::string>& wanted) {
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(7));
    std::vector<Field> fields;
    for (const std::string& key : table->schema()->primary_keys) fields.push_back(*table->schema()->FindField(key));
    ASSERT_OK_AND_ASSIGN(auto lookup, table->NewLookup());
    ASSERT_OK_AND_ASSIGN(auto all, MakeBatch(fields, keys));
    ASSERT_OK_AND_ASSIGN(FoundRows together, lookup->Find(*all));
    std::map<std::string, std::string> found;
    for (int64_t i = 0; i < together.rows->num_rows(); ++i) {
      EXPECT_TRUE(found.emplace(RowText(*all, together.key_rows->Value(i)), RowText(*together.rows, i)).second);
      EXPECT_TRUE(i == 0 || together.key_rows->Value(i - 1) < together.key_rows->Value(i));
    }
    EXPECT_EQ(found, wanted);
    for (int64_t i = 0; i < all->num_rows(); i += 1 + all->num_rows() / 300) {
      const auto key = all->Slice(i, 1);
      ASSERT_OK_AND_ASSIGN(FoundRows alone, lookup->Find(*key));
      const auto expected = wanted.find(RowText(*key, 0));
      ASSERT_EQ(alone.rows->num_rows(), expected == wanted.end() ? 0 : 1) << RowText(*key, 0);
      if (expected != wanted.end()) {
        EXPECT_EQ(RowText(*alone.rows, 0), expected->second);
      }
    }
  }

  /// By the text of the key: the row that a scan gives.
  std::map<std::string, std::string> Scanned(const std::shared_ptr<Table>& table) {
    std::map<std::string, std::string> rows;
    auto reader = table->NewScan().MakePlan().ValueOrDie()->ReadAll().ValueOrDie();
    for (std::shared_ptr<arrow::RecordBatch> batch; reader->ReadNext(&batch).ok() && batch;) {
      auto keys = batch->SelectColumns(KeyColumns(*table->schema())).ValueOrDie();
      for (int64_t i = 0; i < batch->num_rows(); ++i) rows.emplace(RowText(*keys, i), RowText(*batch, i));
    }
    return rows;
  }

  static std::vector<int> KeyColumns(const TableSchema& schema) {
    std::vector<int> columns;
    for (const std::string& key : schema.primary_keys) columns.push_back(schema.FieldIndex(key));
    return columns;
  }
};

Field NotNull(std::string name, TypePtr type) { return NamedField(std::move(name), type->WithNullable(false)); }

/// A file with a random part of the keys, as batches of 1,000 rows.
KeyValueBatches RandomFile(const TableSchema& schema, std::vector<Row> keys, int64_t one_in, int64_t sequence, uint64_t seed,
                           bool deletes) {
  std::vector<Field> fields = schema.fields;
  fields.push_back(SequenceNumberField());
  fields.push_back(ValueKindField());
  auto random = std::make_shared<std::mt19937_64>(seed);
  std::vector<Row> rows;
  for (Row& key : keys) {
    if ((*random)() % one_in != 0) continue;
    Row row = std::move(key);
    while (row.size() < schema.fields.size()) {
      const bool is_text = schema.fields[row.size()].type->is_string();
      const auto number = static_cast<int64_t>((*random)() % 1000);
      if (number % 5 == 0) {
        row.emplace_back();
      } else {
        row.push_back(is_text ? Value("v" + std::to_string(number)) : Value(number));
      }
    }
    row.emplace_back(sequence++);
    row.emplace_back(int64_t{deletes && (*random)() % 4 == 0 ? 3 : 0});
    rows.push_back(std::move(row));
  }
  return [=](int64_t i) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    const size_t begin = static_cast<size_t>(i) * 1000, end = std::min(rows.size(), begin + 1000);
    if (begin >= end) return nullptr;
    return MakeBatch(fields,
                     {rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end)});
  };
}

struct Shape {
  std::string name;
  std::vector<Field> keys;
  std::function<Row(int64_t)> key;  ///< ascending
  int64_t num_keys;
  Options options;
  std::string format = "parquet";
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

Options SmallPages(Options options = {}) {
  options["parquet.page.row.count.limit"] = "50";
  return options;
}

std::string Padded(int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - digits.size(), '0') + digits;
}

std::vector<Shape> Shapes() {
  const auto integer = [](int64_t i) { return Row{i * 3 - 1000}; };
  const std::vector<Field> id = {NotNull("id", DataType::Bigint())};
  return {
      {"ManyPages", id, integer, 3000, SmallPages()},
      {"OnePage", id, integer, 3000, {}},
      {"BloomFilter", id, integer, 3000, SmallPages({{"parquet.bloom.filter.enabled#id", "true"}})},
      {"TextKey", {NotNull("id", DataType::String())}, [](int64_t i) { return Row{"key " + Padded(i)}; }, 3000, SmallPages()},
      // Longer than the 64 bytes that writers cut bounds to, and alike in those.
      {"LongTextKey",
       {NotNull("id", DataType::String())},
       [](int64_t i) { return Row{std::string(100, 'k') + Padded(i)}; },
       2000,
       SmallPages()},
      {"CompositeKeyOverManyPages",
       {NotNull("a", DataType::Int()), NotNull("b", DataType::String())},
       [](int64_t i) {
         return Row{i / 700, Padded(i)};
       },
       3000,
       SmallPages()},
      {"DoubleKey",
       {NotNull("id", DataType::Make(TypeRoot::kDouble))},
       [](int64_t i) { return Row{static_cast<double>(i) / 8 - 100}; },
       3000,
       SmallPages()},
      {"TimestampKey",
       {NotNull("id", DataType::WithPrecision(TypeRoot::kTimestamp, 9))},
       [](int64_t i) {
         return Row{TimestampValue{i - 500, 123}};
       },
       2000,
       SmallPages()},
      {"TinyintKey",
       {NotNull("id", DataType::Make(TypeRoot::kTinyint))},
       [](int64_t i) { return Row{i - 120}; },
       240,
       SmallPages()},
      {"SmallintAndDateKey",
       {NotNull("a", DataType::Make(TypeRoot::kSmallint)), NotNull("d", DataType::Make(TypeRoot::kDate))},
       [](int64_t i) {
         return Row{i / 90 - 15, i % 90 - 40};
       },
       2700,
       SmallPages()},
      {"FloatKey",
       {NotNull("id", DataType::Make(TypeRoot::kFloat))},
       [](int64_t i) { return Row{static_cast<float>(i) / 8 - 100}; },
       2000,
       SmallPages()},
      {"BooleanAndBinaryKey",
       {NotNull("f", DataType::Make(TypeRoot::kBoolean)), NotNull("b", DataType::WithLength(TypeRoot::kVarbinary, 20))},
       [](int64_t i) {
         return Row{i >= 1000, std::string("\xff\0", 2) + Padded(i)};
       },
       2000,
       SmallPages()},
      {"DecimalKey",
       {NotNull("id", DataType::Decimal(9, 2))},
       [](int64_t i) { return Row{arrow::Decimal128(i * 7 - 5000)}; },
       2000,
       SmallPages()},
      {"WideDecimalKey",
       {NotNull("id", DataType::Decimal(30, 4))},
       [](int64_t i) { return Row{arrow::Decimal128(i * 7 - 5000)}; },
       2000,
       SmallPages()},
      {"TimeAndLocalZonedTimestampKey",
       {NotNull("a", DataType::WithPrecision(TypeRoot::kTimestampLtz, 3)),
        NotNull("b", DataType::WithPrecision(TypeRoot::kTime, 3))},
       [](int64_t i) {
         return Row{TimestampValue{i / 50 - 20, 0}, i % 50};
       },
       2000,
       SmallPages()},
      {"AvroOfManyBlocks", id, integer, 40000, {{"file.format", "avro"}}, "avro"},
      {"AvroOfOneBlock", id, integer, 3000, {{"file.format", "avro"}}, "avro"},
      {"SequenceField", id, integer, 3000, SmallPages({{"sequence.field", "n"}})},
      {"IgnoredDeletes", id, integer, 3000, SmallPages({{"ignore-delete", "true"}})},
      {"LookupChangelog", id, integer, 3000, SmallPages({{"changelog-producer", "lookup"}})},
      {"SnapshotOrdering", id, integer, 3000, SmallPages({{"sequence.snapshot-ordering", "true"}})},
      {"PartialUpdate", id, integer, 3000, SmallPages({{"merge-engine", "partial-update"}, {"ignore-delete", "true"}})},
      {"SequenceGroup", id, integer, 3000, SmallPages({{"merge-engine", "partial-update"}, {"fields.n.sequence-group", "t"}})},
      {"Aggregation", id, integer, 3000,
       SmallPages(
           {{"merge-engine", "aggregation"}, {"fields.n.aggregate-function", "sum"}, {"fields.t.ignore-retract", "true"}})},
      {"FirstRow", id, integer, 3000, SmallPages({{"merge-engine", "first-row"}, {"ignore-delete", "true"}})},
  };
}

class LookupShapeTest : public LookupTest, public testing::WithParamInterface<Shape> {};

TEST_P(LookupShapeTest, FindsWhatAScanShows) {
  const Shape& shape = GetParam();
  std::vector<Field> fields = shape.keys;
  std::vector<std::string> names;
  for (const Field& key : shape.keys) names.push_back(key.name);
  fields.push_back(NamedField("n", DataType::Bigint()));
  fields.push_back(NamedField("t", DataType::String()));
  auto table = CreateKeyed(fields, names, shape.options);
  std::vector<Row> keys;
  for (int64_t i = 0; i < shape.num_keys; ++i) keys.push_back(shape.key(i));
  const std::vector<Row> half(keys.begin(), keys.begin() + shape.num_keys / 2),
      rest(keys.begin() + shape.num_keys / 2, keys.end());
  KeyValueTable files(table);
  const TableSchema& schema = *table->schema();
  // Two files share the highest level; one is in between; three overlap at level 0. A tenth of the keys is nowhere.
  ASSERT_OK(files.AddFile(5, RandomFile(schema, half, 2, 0, 1, false), shape.format));
  ASSERT_OK(files.AddFile(5, RandomFile(schema, rest, 2, 100000, 2, false), shape.format));
  ASSERT_OK(files.AddFile(3, RandomFile(schema, keys, 3, 200000, 3, true), shape.format));
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(files.AddFile(0, RandomFile(schema, keys, 5, 300000 * (i + 1), 4 + i, true), shape.format));
  ASSERT_OK(files.Commit());
  const auto wanted = Scanned(table);
  ASSERT_GT(wanted.size(), shape.num_keys / 3);
  ASSERT_LT(wanted.size(), shape.num_keys);
  ExpectFound(table, keys, wanted);

  // Nothing stays in a cache of a few bytes.
  ASSERT_OK_AND_ASSIGN(session_, Session::Make({.num_threads = 1, .cache_bytes = 16}));
  ASSERT_OK_AND_ASSIGN(auto uncached, session_->OpenTable(table->path()));
  keys.resize(40);
  std::map<std::string, std::string> few;
  ASSERT_OK_AND_ASSIGN(auto batch, MakeBatch(shape.keys, keys));
  for (int64_t i = 0; i < batch->num_rows(); ++i) {
    if (auto row = wanted.find(RowText(*batch, i)); row != wanted.end()) few.insert(*row);
  }
  ExpectFound(uncached, keys, few);
}

INSTANTIATE_TEST_SUITE_P(Lookup, LookupShapeTest, testing::ValuesIn(Shapes()),
                         [](const auto& shape) { return shape.param.name; });

class SmallLookupTest : public LookupTest {
 protected:
  void SetUp() override {
    LookupTest::SetUp();
    table_ = CreateKeyed({NotNull("id", DataType::Bigint()), NamedField("name", DataType::String())}, {"id"}, {});
    KeyValueTable files(table_);
    std::vector<Row> keys;
    for (int64_t i = 0; i < 10; ++i) keys.push_back({i});
    ASSERT_OK(files.AddFile(5, RandomFile(*table_->schema(), keys, 1, 0, 1, false)));
    ASSERT_OK(files.Commit());
  }
  std::shared_ptr<arrow::RecordBatch> Keys(const std::vector<Row>& rows) {
    return MakeBatch({NamedField("id", DataType::Bigint())}, rows).ValueOrDie();
  }
  std::shared_ptr<Table> table_;
};

TEST_F(SmallLookupTest, GivesTheSelectedColumnsAndWhichKeyEachRowBelongsTo) {
  ASSERT_OK_AND_ASSIGN(auto lookup, table_->NewLookup({.columns = {{"id"}}}));
  EXPECT_EQ(lookup->snapshot_id(), 1);
  ASSERT_OK_AND_ASSIGN(FoundRows found, lookup->Find(*Keys({{int64_t{7}}, {int64_t{70}}, {int64_t{3}}, {int64_t{7}}})));
  ASSERT_OK(found.rows->ValidateFull());
  EXPECT_EQ(found.rows->schema()->field_names(), std::vector<std::string>{"id"});
  EXPECT_EQ(found.rows->column(0)->ToString(), Keys({{int64_t{7}}, {int64_t{3}}, {int64_t{7}}})->column(0)->ToString());
  EXPECT_THAT(std::vector<int64_t>(found.key_rows->raw_values(), found.key_rows->raw_values() + 3), ElementsAre(0, 2, 3));
  ASSERT_OK_AND_ASSIGN(auto counted, table_->NewLookup({.columns = {std::vector<std::string>{}}}));
  ASSERT_OK_AND_ASSIGN(found, counted->Find(*Keys({{int64_t{7}}, {int64_t{70}}})));
  EXPECT_EQ(found.rows->num_rows(), 1);
}

TEST_F(SmallLookupTest, NoKeysAndKeysOfNobodyFindNothing) {
  ASSERT_OK_AND_ASSIGN(auto lookup, table_->NewLookup());
  for (const auto& keys : {Keys({}), Keys({{int64_t{-1}}}), Keys({{INT64_MAX}, {INT64_MIN}})}) {
    ASSERT_OK_AND_ASSIGN(FoundRows found, lookup->Find(*keys));
    EXPECT_EQ(found.rows->num_rows(), 0);
    EXPECT_EQ(found.key_rows->length(), 0);
    EXPECT_TRUE(found.rows->schema()->Equals(*lookup->schema()));
  }
}

TEST_F(SmallLookupTest, RefusesKeysThatAreNoKeys) {
  ASSERT_OK_AND_ASSIGN(auto lookup, table_->NewLookup());
  const auto find = [&](const Field& field, const Row& row) {
    return lookup->Find(*MakeBatch({field}, {row}).ValueOrDie()).status();
  };
  const arrow::Status type = find(NamedField("id", DataType::Int()), {int64_t{1}});
  EXPECT_EQ(ErrorKindOf(type), ErrorKind::kInvalid);
  EXPECT_THAT(type.message(), HasSubstr("id"));
  EXPECT_EQ(ErrorKindOf(find(NamedField("no", DataType::Bigint()), {int64_t{1}})), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(find(NamedField("id", DataType::Bigint()), {Value()})), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(table_->NewLookup({.columns = {{"nope"}}})), ErrorKind::kInvalid);
}

TEST_F(SmallLookupTest, ATableWithoutSnapshotHasNoRowsAndOneWithoutKeyNoLookups) {
  ASSERT_OK(catalog_->CreateTable({"db", "empty"},
                                  {.fields = table_->schema()->fields, .primary_keys = {"id"}, .options = {{"bucket", "1"}}}));
  ASSERT_OK_AND_ASSIGN(auto empty, catalog_->GetTable({"db", "empty"}));
  ASSERT_OK_AND_ASSIGN(auto lookup, empty->NewLookup());
  EXPECT_EQ(lookup->snapshot_id(), std::nullopt);
  ASSERT_OK_AND_ASSIGN(FoundRows found, lookup->Find(*Keys({{int64_t{1}}})));
  EXPECT_EQ(found.rows->num_rows(), 0);
  ASSERT_OK(catalog_->CreateTable({"db", "keyless"}, {.fields = table_->schema()->fields}));
  ASSERT_OK_AND_ASSIGN(auto keyless, catalog_->GetTable({"db", "keyless"}));
  EXPECT_EQ(ErrorKindOf(keyless->NewLookup()), ErrorKind::kUnsupported);
  ASSERT_OK_AND_ASSIGN(auto system, catalog_->GetTable({"db", "t$files"}));
  EXPECT_EQ(ErrorKindOf(system->NewLookup()), ErrorKind::kUnsupported);
}

TEST_F(SmallLookupTest, AKeyBeyondWhatWasCachedCostsOnePageAndAKnownOneNothing) {
  ASSERT_OK_AND_ASSIGN(auto lookup, table_->NewLookup());
  ASSERT_OK(lookup->Find(*Keys({{int64_t{4}}})).status());
  const IoCounters& counters = table_->context()->store->counters();
  const int64_t reads = counters.read_requests, opens = counters.opens;
  ASSERT_OK(lookup->Find(*Keys({{int64_t{4}}, {int64_t{5}}, {int64_t{40}}})).status());
  EXPECT_EQ(counters.read_requests, reads);
  EXPECT_EQ(counters.opens, opens);
}

/// Of malloc, all threads'; 0 where another allocator took its place (sanitizers).
int64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

TEST_F(LookupTest, WhatLookupsHoldStaysInsideTheBudgetHoweverManyPagesTheyVisit) {
  constexpr int64_t kRows = 150'000, kBudget = 8 << 20;  // some 13 MB when decoded
  auto table = CreateKeyed({NotNull("id", DataType::Bigint()), NamedField("name", DataType::String())}, {"id"},
                           {{"parquet.page.row.count.limit", "500"}});
  std::vector<Field> fields = table->schema()->fields;
  fields.push_back(SequenceNumberField());
  fields.push_back(ValueKindField());
  KeyValueTable files(table);
  ASSERT_OK(files.AddFile(5, [&](int64_t i) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    if (i * 5000 >= kRows) return nullptr;
    std::vector<Row> rows;
    for (int64_t id = i * 5000; id < (i + 1) * 5000; ++id)
      rows.push_back({id, "a name of " + Padded(id) + std::string(40, '.'), id, int64_t{0}});
    return MakeBatch(fields, rows);
  }));
  ASSERT_OK(files.Commit());
  std::vector<Row> keys;
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) keys.push_back({static_cast<int64_t>(random() % kRows)});
  ASSERT_OK_AND_ASSIGN(auto batch, MakeBatch({fields[0]}, keys));

  const int64_t heap_before = HeapBytes();
  arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
  ASSERT_OK_AND_ASSIGN(auto session, Session::Make({.num_threads = 1, .cache_bytes = kBudget, .memory_pool = &pool}));
  ASSERT_OK_AND_ASSIGN(auto opened, session->OpenTable(table->path()));
  ASSERT_OK_AND_ASSIGN(auto lookup, opened->NewLookup());
  int64_t heap_peak = 0;
  for (int64_t i = 0; i < batch->num_rows(); ++i) {
    ASSERT_OK_AND_ASSIGN(FoundRows found, lookup->Find(*batch->Slice(i, 1)));
    ASSERT_EQ(found.rows->num_rows(), 1);
    heap_peak = std::max(heap_peak, HeapBytes() - heap_before);
  }
  EXPECT_LE(pool.max_memory(), kBudget);
  EXPECT_GE(pool.max_memory(), kBudget / 2);  // the budget is used
  EXPECT_LE(heap_peak, kBudget);
  // Many keys at once hold no more.
  ASSERT_OK_AND_ASSIGN(FoundRows found, lookup->Find(*batch));
  EXPECT_EQ(found.rows->num_rows(), batch->num_rows());
  found = {};
  EXPECT_LE(pool.max_memory(), kBudget);
  EXPECT_LE(HeapBytes() - heap_before, kBudget);
}

}  // namespace
}  // namespace bactrian
