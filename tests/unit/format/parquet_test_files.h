/// What the Parquet tests share.
#pragma once

#include <memory>
#include <string>

#include "../status_asserts.h"
#include "bactrian/format/file_format.h"
#include "bactrian/format/parquet/parquet_format.h"
#include "bactrian/io/file_store.h"
#include "bactrian/schema.h"

namespace bactrian {

inline std::string ParquetTestFile(const std::string& name) { return BACTRIAN_TEST_SOURCE_DIR "/data/parquet/" + name; }

inline std::shared_ptr<FileStore> LocalStore() { return FileStore::Open("/").ValueOrDie(); }

inline arrow::Result<std::shared_ptr<FileHandle>> OpenParquet(const std::string& path) {
  auto store = LocalStore();
  ARROW_ASSIGN_OR_RAISE(auto status, store->Stat(path));
  if (!status) return NotFound(path);
  return ParquetFormat()->Open(store, path, status->size);
}

inline std::vector<Field> FieldsOfSchemaFile(const std::string& path) {
  return TableSchema::FromJson(LocalStore()->ReadAll(path).ValueOrDie()).ValueOrDie().fields;
}

/// The columns of tests/data/parquet/foreign.
inline std::vector<Field> ForeignFields() {
  std::vector<Field> fields;
  for (const auto& [name, type] : std::vector<std::pair<std::string, std::string>>{{"id", "BIGINT NOT NULL"},
                                                                                   {"i", "INT"},
                                                                                   {"f", "FLOAT"},
                                                                                   {"d", "DOUBLE"},
                                                                                   {"s", "STRING"},
                                                                                   {"dec", "DECIMAL(9, 2)"},
                                                                                   {"big", "DECIMAL(30, 5)"},
                                                                                   {"ts3", "TIMESTAMP(3)"},
                                                                                   {"ts6", "TIMESTAMP(6)"},
                                                                                   {"dt", "DATE"},
                                                                                   {"b", "BOOLEAN"},
                                                                                   {"bin", "BYTES"},
                                                                                   {"l", "ARRAY<INT>"},
                                                                                   {"r", "ROW<a INT, t STRING>"},
                                                                                   {"m", "MAP<STRING, INT>"}}) {
    fields.push_back({static_cast<int32_t>(fields.size()), name, ParseSqlType(type).ValueOrDie(), {}, {}});
  }
  return fields;
}

}  // namespace bactrian
