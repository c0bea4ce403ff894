#pragma once

#include <arrow/api.h>
#include <arrow/io/memory.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../status_asserts.h"
#include "bactrian/format/avro/avro_file.h"
#include "bactrian/schema.h"
#include "corpus_rows.h"

namespace bactrian {

/// A file of tests/data/avro.
inline std::string SamplePath(std::string_view name) { return BACTRIAN_TEST_SOURCE_DIR "/data/avro/" + std::string(name); }

inline std::string ReadSample(std::string_view name) {
  std::ifstream in(SamplePath(name), std::ios::binary);
  EXPECT_TRUE(in.good()) << SamplePath(name);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

inline arrow::Result<std::unique_ptr<AvroFileReader>> OpenAvro(const std::string& bytes) {
  auto file = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  return AvroFileReader::Open(std::move(file), "sample.avro", static_cast<int64_t>(bytes.size()));
}

inline arrow::Result<std::vector<nlohmann::json>> ReadRows(arrow::RecordBatchReader& reader) {
  std::vector<nlohmann::json> rows;
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) return rows;
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    for (int64_t row = 0; row < batch->num_rows(); ++row) rows.push_back(RowJson(*batch, row));
  }
}

inline arrow::Result<std::vector<nlohmann::json>> ReadAvroRows(const std::string& bytes, const std::vector<Field>& fields,
                                                               int64_t batch_rows = 1000,
                                                               const AvroHeadFilter* head_filter = nullptr) {
  ARROW_ASSIGN_OR_RAISE(auto file, OpenAvro(bytes));
  ARROW_ASSIGN_OR_RAISE(auto reader, file->Read(fields, batch_rows, head_filter, arrow::default_memory_pool()));
  return ReadRows(*reader);
}

inline std::vector<Field> FieldsOfTypesTable() {
  return TableSchema::FromJson(ReadSample("types-schema.json")).ValueOrDie().fields;
}

/// The schema text in a container's header.
inline std::string SchemaTextOf(const std::string& bytes) {
  const size_t begin = bytes.find("avro.schema") + 11;
  const size_t text = bytes.find_first_of("{[", begin);
  int depth = 0;
  for (size_t i = text; i < bytes.size(); ++i) {
    depth += bytes[i] == '{' || bytes[i] == '[' ? 1 : bytes[i] == '}' || bytes[i] == ']' ? -1 : 0;
    if (depth == 0) return bytes.substr(text, i + 1 - text);
  }
  return "";
}

}  // namespace bactrian
