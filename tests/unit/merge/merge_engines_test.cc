#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "bactrian/merge/aggregator.h"
#include "bactrian/merge/table_merge.h"

namespace bactrian {
namespace {

/// A table (k, then the given columns) and the rows that merging its histories gives.
struct Engine {
  TableSchema schema;
  KeyValueLayout layout;

  Engine(std::vector<Field> values, Options options) {
    schema.fields = {{.id = 0, .name = "k", .type = DataType::Int(false)}};
    for (Field& field : values) {
      field.id = static_cast<int32_t>(schema.fields.size());
      schema.fields.push_back(field);
    }
    schema.primary_keys = {"k"};
    schema.options = std::move(options);
    layout.keys = {{.id = 100, .name = "_KEY_k", .type = DataType::Int(false)}};
    layout.values = schema.fields;
  }

  /// Each record is JSON: [key, sequence, kind, k, values…]; each becomes a run of its own. The merged rows come back as
  /// JSON-like text of the value columns.
  arrow::Result<std::string> Merge(const std::vector<std::string>& records) const {
    ARROW_ASSIGN_OR_RAISE(auto arrow_schema, layout.ArrowSchema());
    std::vector<SortedRun> runs;
    for (const std::string& record : records) {
      std::vector<std::shared_ptr<arrow::Field>> fields = arrow_schema->fields();
      ARROW_ASSIGN_OR_RAISE(auto array, arrow::json::ArrayFromJSONString(arrow::struct_(fields), "[" + record + "]"));
      ARROW_ASSIGN_OR_RAISE(auto batch, arrow::RecordBatch::FromStructArray(array));
      batch = arrow::RecordBatch::Make(arrow_schema, batch->num_rows(), batch->columns());
      ARROW_ASSIGN_OR_RAISE(auto reader, arrow::RecordBatchReader::Make({batch}, arrow_schema));
      runs.push_back({reader, 0});
    }
    ARROW_ASSIGN_OR_RAISE(auto function, MakeTableMergeFunction(schema, layout));
    ARROW_ASSIGN_OR_RAISE(MergeOptions options, MakeTableMergeOptions(schema, layout));
    for (size_t v = 0; v < layout.values.size(); ++v) {
      options.output_columns.push_back(layout.value_index(static_cast<int>(v)));
    }
    ARROW_ASSIGN_OR_RAISE(auto reader, MergeRuns(layout, std::move(runs), std::move(function), options));
    ARROW_ASSIGN_OR_RAISE(auto table, reader->ToTable());
    std::string text;
    for (int64_t row = 0; row < table->num_rows(); ++row) {
      text += text.empty() ? "" : " ";
      for (int c = 0; c < table->num_columns(); ++c) {
        ARROW_ASSIGN_OR_RAISE(auto scalar, table->column(c)->GetScalar(row));
        text += (c == 0 ? "" : ",") + scalar->ToString();
      }
    }
    return text;
  }
};

Field Column(std::string name, TypePtr type) { return {.name = std::move(name), .type = std::move(type)}; }

TEST(PartialUpdate, NonNullValuesOverwrite) {
  const Engine engine({Column("a", DataType::Int()), Column("b", DataType::String())}, {{"merge-engine", "partial-update"}});
  EXPECT_EQ(
      engine
          .Merge({"[1, 1, 0, 1, 10, null]", "[1, 2, 0, 1, null, \"x\"]", "[1, 3, 0, 1, 30, null]", "[2, 1, 0, 2, null, null]"})
          .ValueOrDie(),
      "1,30,x 2,null,null");
}

TEST(PartialUpdate, RetractsAreRefusedUnlessAnOptionSaysWhatTheyMean) {
  const Engine strict({Column("a", DataType::Int())}, {{"merge-engine", "partial-update"}});
  EXPECT_EQ(KindOf(strict.Merge({"[1, 1, 0, 1, 10]", "[1, 2, 3, 1, 10]"}).status()), ErrorKind::kInvalid);
  const Engine removing({Column("a", DataType::Int()), Column("b", DataType::Int())},
                        {{"merge-engine", "partial-update"}, {"partial-update.remove-record-on-delete", "true"}});
  EXPECT_EQ(removing.Merge({"[1, 1, 0, 1, 10, 1]", "[1, 2, 3, 1, 10, 1]", "[2, 1, 0, 2, 5, null]"}).ValueOrDie(), "2,5,null");
  // A later record continues on the row that the delete left.
  EXPECT_EQ(removing.Merge({"[1, 1, 0, 1, 10, 1]", "[1, 2, 3, 1, 10, 7]", "[1, 3, 0, 1, 11, null]"}).ValueOrDie(), "1,11,7");
}

TEST(PartialUpdate, ASequenceGroupMovesTogetherAndSkipsOlderRecords) {
  const Engine engine({Column("a", DataType::Int()), Column("g", DataType::Int()), Column("c", DataType::Int())},
                      {{"merge-engine", "partial-update"}, {"fields.g.sequence-group", "a"}});
  // The second record is older for the group (g = 1 < 2), newer for c; the third has no g and leaves the group alone.
  EXPECT_EQ(engine.Merge({"[1, 1, 0, 1, 10, 2, 1]", "[1, 2, 0, 1, 11, 1, 2]", "[1, 3, 0, 1, 12, null, null]"}).ValueOrDie(),
            "1,10,2,2");
  EXPECT_EQ(engine.Merge({"[1, 1, 0, 1, 10, 2, 1]", "[1, 2, 0, 1, null, 3, null]"}).ValueOrDie(), "1,null,3,1");
}

TEST(PartialUpdate, AFirstValueOfASequenceGroupIsReplacedByAnOlderRecord) {
  const Engine engine({Column("a", DataType::String()), Column("g", DataType::Int())},
                      {{"merge-engine", "partial-update"},
                       {"fields.g.sequence-group", "a"},
                       {"fields.a.aggregate-function", "first_non_null_value"}});
  EXPECT_EQ(engine.Merge({"[1, 1, 0, 1, null, 1]", "[1, 2, 0, 1, \"first\", 2]", "[1, 3, 0, 1, \"second\", 1]"}).ValueOrDie(),
            "1,second,2");
}

TEST(PartialUpdate, ContradictingOptionsAreRefused) {
  for (const Options& options :
       std::vector<Options>{{{"fields.g.sequence-group", "a"}, {"partial-update.remove-record-on-delete", "true"}},
                            {{"ignore-delete", "true"}, {"partial-update.remove-record-on-delete", "true"}},
                            {{"fields.g.sequence-group", "k"}},
                            {{"fields.g.sequence-group", "nope"}},
                            {{"fields.g.sequence-group", "a"}, {"fields.c.sequence-group", "a"}},
                            {{"fields.a.aggregate-function", "sum"}}}) {
    Options all = options;
    all["merge-engine"] = "partial-update";
    const Engine engine({Column("a", DataType::Int()), Column("g", DataType::Int()), Column("c", DataType::Int())}, all);
    EXPECT_EQ(KindOf(MakeTableMergeFunction(engine.schema, engine.layout).status()), ErrorKind::kInvalid)
        << options.begin()->first;
  }
}

TEST(Aggregation, EachColumnHasItsFunction) {
  const Engine engine(
      {Column("sum", DataType::Bigint()), Column("max", DataType::String()), Column("all", DataType::Make(TypeRoot::kBoolean)),
       Column("last", DataType::Int()), Column("first", DataType::Int())},
      {{"merge-engine", "aggregation"},
       {"fields.sum.aggregate-function", "sum"},
       {"fields.max.aggregate-function", "max"},
       {"fields.all.aggregate-function", "bool_and"},
       {"fields.last.aggregate-function", "last_value"},
       {"fields.first.aggregate-function", "first_value"}});
  EXPECT_EQ(engine
                .Merge({"[1, 1, 0, 1, 5, \"b\", true, 1, null]", "[1, 2, 0, 1, null, \"c\", false, 2, 2]",
                        "[1, 3, 0, 1, -7, \"a\", null, null, 3]"})
                .ValueOrDie(),
            "1,-2,c,false,null,null");
}

TEST(Aggregation, SumRetractsAndOverflowsWithAnError) {
  const Engine engine({Column("v", DataType::Int())},
                      {{"merge-engine", "aggregation"}, {"fields.v.aggregate-function", "sum"}});
  EXPECT_EQ(engine.Merge({"[1, 1, 0, 1, 5]", "[1, 2, 3, 1, 2]", "[2, 1, 3, 2, 4]", "[2, 2, 0, 2, 1]"}).ValueOrDie(),
            "1,3 2,-3");
  const auto overflow = engine.Merge({"[1, 1, 0, 1, 2147483647]", "[1, 2, 0, 1, 1]"}).status();
  EXPECT_EQ(KindOf(overflow), ErrorKind::kInvalid);
  EXPECT_NE(overflow.message().find("column v"), std::string::npos) << overflow;
}

TEST(Aggregation, IgnoreRetractLeavesTheValue) {
  const Engine engine(
      {Column("v", DataType::Int())},
      {{"merge-engine", "aggregation"}, {"fields.v.aggregate-function", "max"}, {"fields.v.ignore-retract", "true"}});
  EXPECT_EQ(engine.Merge({"[1, 1, 0, 1, 5]", "[1, 2, 3, 1, 5]"}).ValueOrDie(), "1,5");
}

TEST(Aggregation, AnUnknownFunctionOrTypeIsRefusedByName) {
  const Engine unknown({Column("v", DataType::Int())},
                       {{"merge-engine", "aggregation"}, {"fields.v.aggregate-function", "median"}});
  const auto status = MakeTableMergeFunction(unknown.schema, unknown.layout).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kInvalid);
  EXPECT_NE(status.message().find("median"), std::string::npos);
  const Engine text({Column("v", DataType::String())},
                    {{"merge-engine", "aggregation"}, {"fields.v.aggregate-function", "sum"}});
  EXPECT_EQ(KindOf(MakeTableMergeFunction(text.schema, text.layout).status()), ErrorKind::kInvalid);
  const Engine sketch({Column("v", DataType::Bytes())},
                      {{"merge-engine", "aggregation"}, {"fields.v.aggregate-function", "hll_sketch"}});
  EXPECT_EQ(KindOf(MakeTableMergeFunction(sketch.schema, sketch.layout).status()), ErrorKind::kUnsupported);
}

TEST(Aggregation, AUserFunctionCanBeRegisteredOnce) {
  class CountRecords : public Aggregator {
   public:
    arrow::Result<std::shared_ptr<arrow::Array>> Run(std::span<const std::shared_ptr<arrow::Array>>,
                                                     const AggregateSteps& steps, arrow::MemoryPool*) const override {
      std::string json = "[";
      for (int64_t g = 0; g < steps.num_groups(); ++g)
        json += (g ? "," : "") + std::to_string(steps.offsets[g + 1] - steps.offsets[g]);
      return arrow::json::ArrayFromJSONString(arrow::int32(), json + "]");
    }
  };
  const AggregatorMaker maker = [](const Field&, const Options&) -> arrow::Result<std::shared_ptr<const Aggregator>> {
    return std::make_shared<CountRecords>();
  };
  ASSERT_TRUE(RegisterAggregator("test_count_records", maker).ok());
  EXPECT_EQ(KindOf(RegisterAggregator("test_count_records", maker)), ErrorKind::kAlreadyExists);
  EXPECT_EQ(KindOf(RegisterAggregator("sum", maker)), ErrorKind::kAlreadyExists);
  const Engine engine({Column("v", DataType::Int())},
                      {{"merge-engine", "aggregation"}, {"fields.v.aggregate-function", "test_count_records"}});
  EXPECT_EQ(engine.Merge({"[1, 1, 0, 1, 5]", "[1, 2, 0, 1, 5]", "[1, 3, 0, 1, 5]"}).ValueOrDie(), "1,3");
}

TEST(ColumnsToMerge, SequenceFieldsJoinTheProjection) {
  const Engine grouped(
      {Column("a", DataType::Int()), Column("g", DataType::Int()), Column("h", DataType::Int()), Column("c", DataType::Int())},
      {{"merge-engine", "partial-update"}, {"fields.g,h.sequence-group", "a"}});
  EXPECT_EQ(ColumnsToMerge(grouped.schema, {"a"}).ValueOrDie(), (std::vector<std::string>{"a", "g", "h"}));
  EXPECT_EQ(ColumnsToMerge(grouped.schema, {"c"}).ValueOrDie(), (std::vector<std::string>{"c"}));
  const Engine ordered({Column("a", DataType::Int()), Column("s", DataType::Int())}, {{"sequence.field", "s"}});
  EXPECT_EQ(ColumnsToMerge(ordered.schema, {"a"}).ValueOrDie(), (std::vector<std::string>{"a", "s"}));
}

}  // namespace
}  // namespace bactrian
