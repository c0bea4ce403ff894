// ORC files that the Java reference wrote, against the rows that it reads from them.
#include <arrow/adapters/orc/adapter.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>

#include <algorithm>
#include <random>

#include "../status_asserts.h"
#include "bactrian/expr/evaluate.h"
#include "bactrian/format/orc/orc_format.h"
#include "bactrian/schema.h"
#include "corpus_rows.h"

namespace bactrian {
namespace {

std::string OrcFile(const std::string& name) { return BACTRIAN_TEST_SOURCE_DIR "/data/orc/" + name; }

std::shared_ptr<FileStore> Store() { return FileStore::Open("/").ValueOrDie(); }

arrow::Result<std::shared_ptr<FileHandle>> OpenOrc(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const auto status, Store()->Stat(path));
  return OrcFormat()->Open(Store(), path, status ? status->size : 0);
}

std::vector<Field> Fields() {
  return TableSchema::FromJson(Store()->ReadAll(OrcFile("schema")).ValueOrDie()).ValueOrDie().fields;
}

std::vector<std::string> Rows(const std::vector<std::string>& names, const ReadRequest& request) {
  std::vector<std::string> rows;
  for (const std::string& name : names) {
    for (std::string& row : SortedRows(*OpenOrc(OrcFile(name)).ValueOrDie()->Read(request).ValueOrDie())) {
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(OrcReader, ReadsEveryTypeAsTheReferenceDoes) {
  ReadRequest request{.fields = Fields()};
  const auto expected = ExpectedRows(OrcFile("expected.jsonl"), {"f_float"});
  EXPECT_TRUE(SameRows(Rows({"a.orc", "b.orc"}, request), expected));
  request.batch_rows = 4;
  request.string_views = true;
  EXPECT_TRUE(SameRows(Rows({"a.orc", "b.orc"}, request), expected));
}

TEST(OrcReader, PredicateSelectionPositionAndNestedProjectionAreExact) {
  const std::vector<Field> fields = Fields();
  const auto named = [&](const std::string& name) {
    return *std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  };
  const auto handle = OpenOrc(OrcFile("b.orc")).ValueOrDie();
  EXPECT_EQ(handle->num_rows(), 10);
  ReadRequest request{.fields = {{35, "f_row", ParseSqlType("ROW<b STRING, absent INT>").ValueOrDie(), {}, {}}},
                      .predicate = Predicate::Compare(PredicateOp::kGreaterOrEqual, "id", {Value(int64_t{33})}),
                      .predicate_fields = {named("id")},
                      .position_column = "_POS"};
  RowRanges selection;
  selection.Append({0, 5});
  selection.Append({8, 9});
  request.selection = selection;
  request.batch_rows = 2;
  EXPECT_TRUE(SameRows(SortedRows(*handle->Read(request).ValueOrDie()),
                       {R"({"_POS":3,"f_row":{"absent":null,"b":"r33"}})", R"({"_POS":4,"f_row":{"absent":null,"b":"r34"}})",
                        R"({"_POS":8,"f_row":{"absent":null,"b":"r38"}})"}));
  // Only columns that the file lacks: rows are counted without decoding.
  const auto table = handle->Read({.fields = {{99, "absent", DataType::Int(), {}, {}}}}).ValueOrDie()->ToTable().ValueOrDie();
  EXPECT_EQ(table->num_rows(), 10);
  EXPECT_EQ(table->column(0)->null_count(), 10);
}

// Timestamps are decoded here: against what the adapter makes of a file by its own writer, in runs of all kinds.
TEST(OrcReader, TimestampsOfEveryRunLengthEncodingEqualTheAdapters) {
  constexpr int64_t kRows = 30000;
  std::mt19937_64 random(17);
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::NANO), arrow::default_memory_pool());
  for (int64_t row = 0; row < kRows; ++row) {
    if (row % 13 == 5 || (row > 9000 && row < 9700)) {
      ASSERT_OK(builder.AppendNull());
      continue;
    }
    int64_t nanos = 1700000000000000000;                                          // repeats
    if (row > 3000) nanos += row * 1000000000;                                    // steady steps
    if (row > 6000) nanos += static_cast<int64_t>(random() % 1000) * 3000000000;  // uneven steps
    if (row > 12000) nanos = static_cast<int64_t>(random() % 2000) * 1000000000 + static_cast<int64_t>(random() % 100);
    if (row > 16000 && row % 300 == 0) nanos = 4000000000000000000;                     // outliers: patched
    if (row > 20000) nanos = static_cast<int64_t>(random() >> 1) * (row % 2 ? 1 : -1);  // also before 1970
    ASSERT_OK(builder.Append(nanos));
  }
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("t", builder.type())}), {builder.Finish().ValueOrDie()});
  const std::string path = "memory://orc/times.orc";
  const auto store = FileStore::Open(path).ValueOrDie();
  for (const auto codec : {arrow::Compression::UNCOMPRESSED, arrow::Compression::ZSTD, arrow::Compression::SNAPPY,
                           arrow::Compression::LZ4, arrow::Compression::GZIP}) {
    const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
    arrow::adapters::orc::WriteOptions options;
    options.compression = codec;
    auto writer = arrow::adapters::orc::ORCFileWriter::Open(sink.get(), options).ValueOrDie();
    ASSERT_OK(writer->Write(*table));
    ASSERT_OK(writer->Close());
    const auto bytes = sink->Finish().ValueOrDie();
    ASSERT_OK(store->Overwrite(path, std::string_view(*bytes)));
    const auto theirs = arrow::adapters::orc::ORCFileReader::Open(std::make_shared<arrow::io::BufferReader>(bytes),
                                                                  arrow::default_memory_pool())
                            .ValueOrDie()
                            ->Read()
                            .ValueOrDie();
    const auto handle = OrcFormat()->Open(store, path, bytes->size()).ValueOrDie();
    const auto ours = handle->Read({.fields = {{0, "t", ParseSqlType("TIMESTAMP(9)").ValueOrDie(), {}, {}}}}).ValueOrDie();
    const auto read = ours->ToTable().ValueOrDie();
    ASSERT_EQ(read->num_rows(), kRows);
    EXPECT_TRUE(read->column(0)->Equals(theirs->column(0))) << arrow::util::Codec::GetCodecAsString(codec);
  }
}

TEST(OrcReader, AWrongTypeOrADamagedFileIsAnErrorThatNamesTheFile) {
  const auto handle = OpenOrc(OrcFile("b.orc")).ValueOrDie();
  const auto reader = handle->Read({.fields = {{0, "f_string", DataType::Int(), {}, {}}}}).ValueOrDie();
  const arrow::Status wrong = reader->ToTable().status();
  EXPECT_EQ(ErrorKindOf(wrong), ErrorKind::kCorrupt);
  EXPECT_NE(wrong.message().find("f_string"), std::string::npos);

  const std::string bytes = Store()->ReadAll(OrcFile("b.orc")).ValueOrDie(), path = "memory://orc/f.orc";
  const auto store = FileStore::Open(path).ValueOrDie();
  std::mt19937 random(3);
  int errors = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes.substr(0, round % 3 == 0 ? random() % bytes.size() : bytes.size());
    if (!damaged.empty() && round % 3) damaged[random() % damaged.size()] = static_cast<char>(random());
    ASSERT_OK(store->Overwrite(path, damaged));
    const auto open = OrcFormat()->Open(store, path, static_cast<int64_t>(damaged.size()));
    arrow::Status status = open.status();
    if (status.ok()) {
      const auto read = (*open)->Read({.fields = Fields()});
      status = read.ok() ? (*read)->ToTable().status() : read.status();
    }
    if (status.ok()) continue;
    ++errors;
    EXPECT_NE(status.message().find("f.orc"), std::string::npos) << status.ToString();
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace bactrian
