// Cut, flipped and forged files: an error that names the file or rows, never a crash, a hang or much memory.
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include <random>

#include "parquet_test_files.h"

namespace bactrian {
namespace {

constexpr int64_t kMaxMemory = 400 << 20;

struct Sample {
  std::string name;
  std::vector<Field> fields;
};

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (const char* name : {"pyarrow_dictionary", "pyarrow_v2_delta", "duckdb_v2", "pyarrow_int96_no_index"}) {
    samples.push_back({"foreign/" + std::string(name) + ".parquet", ForeignFields()});
  }
  samples.push_back({"types_parquet/a.parquet", FieldsOfSchemaFile(ParquetTestFile("types_parquet/schema"))});
  return samples;
}

/// Reads `bytes` as a file, whole and filtered. The first error, if any.
arrow::Status ReadBytes(FileStore& store, const std::string& bytes, const std::vector<Field>& fields) {
  const std::string path = "memory://damage/f.parquet";
  ARROW_RETURN_NOT_OK(store.Overwrite(path, bytes));
  ARROW_ASSIGN_OR_RAISE(const auto shared, FileStore::Open(path));
  ARROW_ASSIGN_OR_RAISE(const auto handle, ParquetFormat()->Open(shared, path, static_cast<int64_t>(bytes.size())));
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  arrow::Status first;
  for (const bool filtered : {false, true}) {
    ReadRequest request{.fields = fields, .predicate_fields = fields, .pool = &pool};
    if (filtered) request.predicate = Predicate::Compare(PredicateOp::kLess, fields[0].name, {Value(int64_t{100})});
    const auto read = [&]() -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const auto reader, handle->Read(request));
      int64_t rows = 0;
      for (std::shared_ptr<arrow::RecordBatch> batch;;) {
        ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
        if (!batch) return arrow::Status::OK();
        ARROW_RETURN_NOT_OK(batch->Validate());
        rows += batch->num_rows();
        if (rows > 10000000) return Corrupt("parquet file ", path, ": millions of rows");  // claimed, cheap, endless
      }
    };
    const arrow::Status status = read();
    if (first.ok()) first = status;
    EXPECT_LT(pool.max_memory(), kMaxMemory);
  }
  return first;
}

std::string Bytes(const Sample& sample) { return LocalStore()->ReadAll(ParquetTestFile(sample.name)).ValueOrDie(); }

TEST(ParquetDamage, ATruncatedFileIsCorruptByName) {
  const auto store = FileStore::Open("memory://damage/").ValueOrDie();
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.name);
    const std::string bytes = Bytes(sample);
    ASSERT_OK(ReadBytes(*store, bytes, sample.fields));
    for (size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 40) {
      const arrow::Status status = ReadBytes(*store, bytes.substr(0, length), sample.fields);
      EXPECT_EQ(ErrorKindOf(status), ErrorKind::kCorrupt) << length << ": " << status.ToString();
      EXPECT_NE(status.message().find("f.parquet"), std::string::npos) << status.ToString();
    }
  }
}

TEST(ParquetDamage, AFileShorterThanItsManifestSaysIsCorrupt) {
  const std::string path = ParquetTestFile("many_pages/a.parquet");
  const auto store = LocalStore();
  const int64_t size = store->Stat(path).ValueOrDie()->size;
  const auto outcome = ParquetFormat()->Open(store, path, size + 100);
  EXPECT_EQ(ErrorKindOf(outcome), ErrorKind::kCorrupt);
}

TEST(ParquetDamage, FlippedBytesNeverCrash) {
  const auto store = FileStore::Open("memory://damage/").ValueOrDie();
  std::mt19937 random(5);
  int errors = 0;
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.name);
    const std::string bytes = Bytes(sample);
    for (int round = 0; round < 120; ++round) {
      std::string damaged = bytes;
      // Half of the damage goes to the footer and the indexes in front of it.
      const size_t region = round % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 16 << 10);
      for (int i = 0; i < 1 + round % 3; ++i) {
        damaged[bytes.size() - 1 - random() % region] = static_cast<char>(random());
      }
      const arrow::Status status = ReadBytes(*store, damaged, sample.fields);
      if (status.ok()) continue;
      ++errors;
      EXPECT_NE(status.message().find("f.parquet"), std::string::npos) << status.ToString();
    }
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace bactrian
