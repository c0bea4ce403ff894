/// Generated filters, each read with every pruning layer on, with all of them off and with each one off in turn: the rows are
/// always those that evaluating the filter row by row gives.
#include <arrow/api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "../status_asserts.h"
#include "bactrian/bactrian.h"
#include "bactrian/expr/evaluate.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/table/table_context.h"
#include "corpus.h"

namespace bactrian {
namespace {

std::vector<ScanPruning> PruningVariants() {
  std::vector<ScanPruning> variants(2);
  static constexpr bool ScanPruning::*kLayers[] = {
      &ScanPruning::manifests,  &ScanPruning::partitions,    &ScanPruning::buckets,
      &ScanPruning::file_stats, &ScanPruning::file_index,    &ScanPruning::row_groups,
      &ScanPruning::pages,      &ScanPruning::bloom_filters, &ScanPruning::late_materialization};
  for (auto layer : kLayers) {
    variants[1].*layer = false;
    variants.emplace_back().*layer = false;
  }
  return variants;
}

std::string RowText(const arrow::RecordBatch& batch, int64_t row) {
  std::string text;
  for (const auto& column : batch.columns()) text += column->GetScalar(row).ValueOrDie()->ToString() + "|";
  return text;
}

/// All rows of a table as values and as text.
struct Rows {
  std::vector<std::vector<Value>> values;  ///< a row each
  std::vector<std::string> texts;
};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Below(int64_t bound) { return std::uniform_int_distribution<int64_t>(0, bound - 1)(engine_); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  template <typename T>
  const T& Of(const std::vector<T>& choices) {
    return choices[Below(static_cast<int64_t>(choices.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

/// Something near a value: itself, the next one, a prefix, a special one of its kind.
Value Near(Value value, Random& random) {
  const int64_t step = random.Below(3) - 1;
  if (auto* number = std::get_if<int64_t>(&value)) {
    // Stay within any integer type.
    if (*number > -100 && *number < 100) *number += step;
  } else if (auto* decimal = std::get_if<arrow::Decimal128>(&value)) {
    *decimal += arrow::Decimal128(step);
  } else if (auto* time = std::get_if<TimestampValue>(&value)) {
    if (random.OneIn(2)) time->millis += step;
  } else if (auto* text = std::get_if<std::string>(&value)) {
    if (random.OneIn(3)) text->resize(random.Below(static_cast<int64_t>(text->size()) + 1));
    if (random.OneIn(4)) text->push_back('z');
  } else if (auto* real = std::get_if<double>(&value)) {
    if (random.OneIn(3)) {
      *real = random.Of<double>({std::numeric_limits<double>::quiet_NaN(), 0.0, -0.0, INFINITY, -INFINITY, *real + 0.5});
    }
  } else if (auto* single = std::get_if<float>(&value)) {
    if (random.OneIn(3)) *single = random.Of<float>({std::numeric_limits<float>::quiet_NaN(), 0.0F, -0.0F, *single * 2});
  }
  return value;
}

class FilterGenerator {
 public:
  FilterGenerator(const std::vector<Field>& fields, const Rows& rows, Random& random)
      : fields_(fields), rows_(rows), random_(random) {}

  PredicatePtr Tree(int depth) {
    if (depth == 0 || random_.OneIn(3)) return Leaf();
    std::vector<PredicatePtr> children;
    for (int64_t i = random_.Below(3) + 1; i > 0; --i) children.push_back(Tree(depth - 1));
    return random_.OneIn(2) ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
  }

 private:
  PredicatePtr Leaf() {
    const size_t column = random_.Below(static_cast<int64_t>(fields_.size()));
    const Field& field = fields_[column];
    std::vector<PredicateOp> ops = {PredicateOp::kIsNull, PredicateOp::kIsNotNull};
    const bool has_values = !field.type->is_nested() && !IsNull(SomeValue(column));
    if (has_values && !random_.OneIn(6)) {
      ops = {PredicateOp::kEqual,          PredicateOp::kEqual,       PredicateOp::kNotEqual,
             PredicateOp::kLess,           PredicateOp::kLessOrEqual, PredicateOp::kGreater,
             PredicateOp::kGreaterOrEqual, PredicateOp::kIn,          PredicateOp::kNotIn};
      if (field.type->is_string()) {
        for (PredicateOp op : {PredicateOp::kStartsWith, PredicateOp::kEndsWith, PredicateOp::kContains, PredicateOp::kLike}) {
          ops.push_back(op);
        }
      }
    }
    const PredicateOp op = random_.Of(ops);
    std::vector<Value> literals;
    if (op == PredicateOp::kIn || op == PredicateOp::kNotIn) {
      for (int64_t i = random_.Below(4); i >= 0; --i) literals.push_back(Literal(column));
    } else if (op == PredicateOp::kLike) {
      std::string pattern = std::get<std::string>(SomeValue(column)).substr(0, 3);
      std::erase(pattern, '\\');
      literals.emplace_back(random_.OneIn(2) ? pattern + "%" : "%" + pattern + "_%");
    } else if (op != PredicateOp::kIsNull && op != PredicateOp::kIsNotNull) {
      literals.push_back(Literal(column));
    }
    return Predicate::Compare(op, field.name, std::move(literals));
  }

  Value Literal(size_t column) { return random_.OneIn(40) ? Value() : Near(SomeValue(column), random_); }

  /// A value that the column has, or null after a few tries.
  Value SomeValue(size_t column) {
    for (int tries = 0; tries < 20 && !rows_.values.empty(); ++tries) {
      const Value& value = random_.Of(rows_.values)[column];
      if (!IsNull(value)) return value;
    }
    return {};
  }

  const std::vector<Field>& fields_;
  const Rows& rows_;
  Random& random_;
};

class PruningTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_AND_ASSIGN(session_, Session::Make({})); }

  std::shared_ptr<Table> CorpusTable(const std::string& test_case, const std::string& table, const Options& options = {}) {
    auto catalog = session_->OpenCatalog({.warehouse = CorpusWarehouse(test_case), .options = {}, .read_only = true});
    EXPECT_TRUE(catalog.ok()) << catalog.status().ToString();
    auto opened = (*catalog)->GetTable({"default", table}, options);
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return *opened;
  }

  static Rows ReadRows(const Table& table, const Plan& plan) {
    Rows rows;
    auto reader = plan.ReadAll().ValueOrDie();
    while (true) {
      auto batch = reader->Next();
      EXPECT_TRUE(batch.ok()) << batch.status().ToString();
      if (!batch.ok() || !*batch) return rows;
      for (int64_t row = 0; row < (*batch)->num_rows(); ++row) {
        std::vector<Value>& values = rows.values.emplace_back();
        for (int i = 0; i < (*batch)->num_columns(); ++i) {
          auto scalar = (*batch)->column(i)->GetScalar(row).ValueOrDie();
          const DataType& type = *table.schema()->fields[i].type;
          const Value some = scalar->is_valid ? Value(true) : Value();  // stands for a nested value
          values.push_back(type.is_nested() ? some : FromScalar(*scalar, type).ValueOrDie());
        }
        rows.texts.push_back(RowText(**batch, row));
      }
    }
  }

  void Check(const std::shared_ptr<Table>& table, int num_filters, uint64_t seed) {
    ScanPruning off = PruningVariants()[1];
    ASSERT_OK_AND_ASSIGN(std::shared_ptr<Plan> whole, table->NewScan().Pruning(off).MakePlan());
    const Rows rows = ReadRows(*table, *whole);
    ASSERT_FALSE(rows.texts.empty());
    Random random(seed);
    FilterGenerator generator(table->schema()->fields, rows, random);
    for (int i = 0; i < num_filters; ++i) {
      const PredicatePtr filter = generator.Tree(2);
      if (!BoundPredicate::Bind(filter, table->schema()->fields).ok()) continue;
      ++filters_;
      std::vector<std::string> want;
      for (size_t row = 0; row < rows.texts.size(); ++row) {
        auto value_of = [&](std::string_view column) -> const Value* {
          return &rows.values[row][table->schema()->FieldIndex(column)];
        };
        if (EvaluateRow(*filter, value_of).value_or(false)) want.push_back(rows.texts[row]);
      }
      std::sort(want.begin(), want.end());
      for (const ScanPruning& pruning : PruningVariants()) {
        ASSERT_OK_AND_ASSIGN(std::shared_ptr<Plan> plan, table->NewScan().Filter(filter).Pruning(pruning).MakePlan());
        std::vector<std::string> got = ReadRows(*table, *plan).texts;
        std::sort(got.begin(), got.end());
        ASSERT_EQ(got, want) << table->path() << ": " << filter->ToString();
        const PlanMetrics& metrics = plan->metrics();
        manifests_pruned_ += metrics.manifests_total - metrics.manifests_read > 0;
        partitions_pruned_ += metrics.files_after_partition < metrics.files_total;
        buckets_pruned_ += metrics.files_after_bucket < metrics.files_after_partition;
        files_pruned_ += metrics.files_after_stats < metrics.files_after_bucket;
      }
    }
  }

  std::shared_ptr<Session> session_;
  int64_t filters_ = 0, manifests_pruned_ = 0, partitions_pruned_ = 0, buckets_pruned_ = 0, files_pruned_ = 0;
};

TEST_F(PruningTest, TablesOfTheReferenceGiveTheSameRowsWhateverPrunes) {
  Check(CorpusTable("types_parquet", "t"), 180, 1);
  Check(CorpusTable("schema_evolution_append_parquet", "t"), 150, 2);
  Check(CorpusTable("append_partitioned", "t"), 60, 3);
  Check(CorpusTable("append_fixed_bucket", "t"), 60, 4);
  Check(CorpusTable("statistics", "t"), 30, 5);
  Check(CorpusTable("dv_append", "t32", {{"scan.snapshot-id", "4"}}), 20, 6);
  Check(CorpusTable("dv_append", "t64", {{"scan.snapshot-id", "4"}}), 20, 6);
  for (const char* table : {"tiny_small", "int_dec", "int_dbl", "big_int",     "big_flt",   "dbl_dec",  "dec_dec",
                            "dec_int",    "int_str", "str_int", "str_varchar", "str_char",  "bool_int", "int_bool",
                            "date_ts",    "ts_date", "ts6_ts3", "ts_ltz",      "bytes_bin", "dbl_int"}) {
    Check(CorpusTable("schema_casts", table), 10, 7);
  }
  EXPECT_GE(filters_, 600);
  EXPECT_GT(partitions_pruned_, 0);
  EXPECT_GT(buckets_pruned_, 0);
  EXPECT_GT(files_pruned_, 0);
}

TEST_F(PruningTest, EveryBucketKeyTypeIsHashedAsItWasWritten) {
  for (const char* table : {"k_bool", "k_tiny", "k_small", "k_int", "k_big", "k_float", "k_double", "k_dec9", "k_dec38",
                            "k_char", "k_str", "k_bin", "k_date", "k_time", "k_ts3", "k_ts6", "k_ltz3", "k_multi"}) {
    Check(CorpusTable("bucket_hash", table), 6, 8);
  }
  EXPECT_GT(buckets_pruned_, 0);
}

Field MakeField(int32_t id, std::string name, TypePtr type) {
  Field field;
  field.id = id;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

/// Awkward values of a type: the ones that statistics get wrong.
Value AwkwardValue(const DataType& type, Random& random) {
  if (random.OneIn(5)) return {};
  switch (type.root()) {
    case TypeRoot::kInt:
    case TypeRoot::kBigint:
      return random.Below(40) - 20;
    case TypeRoot::kDouble:
      return random.Of<double>({std::numeric_limits<double>::quiet_NaN(), 0.0, -0.0, 1.5, -2.5, INFINITY, -INFINITY, 1e300});
    case TypeRoot::kFloat:
      return random.Of<float>({std::numeric_limits<float>::quiet_NaN(), 0.0F, -0.0F, 1.5F, -2.5F});
    case TypeRoot::kDecimal:
      return arrow::Decimal128(random.Below(20001) - 10000);
    case TypeRoot::kTimestamp: {  // also before 1970, where the sub-millisecond part counts upwards
      const auto micros = type.precision() > 3 ? static_cast<int32_t>(random.Below(3) * 499'000) : 0;
      return TimestampValue{random.Of<int64_t>({-62135596800000, -1, 0, 1, 1704067200000}), micros};
    }
    default:  // longer than the 16 characters that statistics keep, with characters of several bytes and the highest ones
      return random.Of<std::string>(
          {"", "a", "sixteen chars ok", "sixteen chars ok and more", "sixteen chars ol", "zzzzzzzzzzzzzzzzzzzz",
           "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc",
           "\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff"
           "\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff"});
  }
}

void AppendRandomFiles(const std::shared_ptr<Table>& table, int num_files, Random& random) {
  const std::vector<Field>& fields = table->schema()->fields;
  for (int file = 0; file < num_files; ++file) {
    const int64_t num_rows = random.Below(6) + 1;
    arrow::ArrayVector columns;
    for (const Field& field : fields) {
      auto builder = arrow::MakeBuilder(ToArrowType(*field.type).ValueOrDie()).ValueOrDie();
      const Value same = AwkwardValue(*field.type, random);  // often one value a file: narrow bounds
      for (int64_t row = 0; row < num_rows; ++row) {
        const Value value = random.OneIn(3) ? AwkwardValue(*field.type, random) : same;
        ASSERT_OK(builder->AppendScalar(*ToScalar(value, *field.type).ValueOrDie()));
      }
      columns.push_back(builder->Finish().ValueOrDie());
    }
    ASSERT_OK_AND_ASSIGN(auto writer, table->NewWriter());
    ASSERT_OK(writer->Write(*arrow::RecordBatch::Make(ToArrowSchema(fields).ValueOrDie(), num_rows, std::move(columns))));
    ASSERT_OK_AND_ASSIGN(auto messages, writer->Finish());
    ASSERT_OK_AND_ASSIGN(auto committer, table->NewCommitter());
    ASSERT_OK(committer->Commit(messages));
  }
}

TEST_F(PruningTest, OwnTablesOfAwkwardValuesUnderAnEvolvedSchemaGiveTheSameRows) {
  ASSERT_OK_AND_ASSIGN(auto catalog, session_->OpenCatalog({.warehouse = "memory://pruning/w", .options = {}}));
  ASSERT_OK(catalog->CreateDatabase("db", false));
  Schema first;
  first.fields = {MakeField(-1, "i", DataType::Int()),
                  MakeField(-1, "d", DataType::Make(TypeRoot::kDouble)),
                  MakeField(-1, "f", DataType::Make(TypeRoot::kFloat)),
                  MakeField(-1, "n", DataType::Decimal(8, 2)),
                  MakeField(-1, "t", DataType::WithPrecision(TypeRoot::kTimestamp, 6)),
                  MakeField(-1, "s", DataType::String())};
  first.options["parquet.page.row.count.limit"] = "2";
  ASSERT_OK(catalog->CreateTable({"db", "t"}, first));
  Random random(42);
  ASSERT_OK_AND_ASSIGN(auto table, catalog->GetTable({"db", "t"}));
  AppendRandomFiles(table, 7, random);

  // i grows, d becomes f and f d by id, n changes scale, t loses digits, s stays, and a new column comes.
  TableSchema second = *table->schema();
  second.id = 1;
  second.fields[0].type = DataType::Bigint();
  std::swap(second.fields[1].name, second.fields[2].name);
  second.fields[3].type = DataType::Decimal(7, 3);
  second.fields[4].type = DataType::WithPrecision(TypeRoot::kTimestamp, 3);
  second.fields.push_back(MakeField(++second.highest_field_id, "x", DataType::Int()));
  ASSERT_OK(table->context()->schemas->Publish(second));
  ASSERT_OK_AND_ASSIGN(auto evolved, catalog->GetTable({"db", "t"}));
  AppendRandomFiles(evolved, 7, random);

  Check(table, 350, 9);  // the old columns over files of both schemas
  Check(evolved, 850, 10);
  EXPECT_GE(filters_, 1000);
  EXPECT_GT(files_pruned_, 0);
}

}  // namespace
}  // namespace bactrian
