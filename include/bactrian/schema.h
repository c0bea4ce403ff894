/// Table schemas (format reference: schema.md §2).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

using Options = std::map<std::string, std::string>;

/// What a user gives to create a table. Field ids are assigned by the catalog (schema.md §4).
struct Schema {
  std::vector<Field> fields{};
  std::vector<std::string> partition_keys{};
  std::vector<std::string> primary_keys{};
  Options options{};
  std::optional<std::string> comment{};
};

/// One schema-<id> file, fix-ups for versions 1 and 2 applied. Immutable once shared.
struct BACTRIAN_EXPORT TableSchema {
  static constexpr int32_t kCurrentVersion = 3;

  int32_t version = kCurrentVersion;
  int64_t id = 0;
  std::vector<Field> fields;
  int32_t highest_field_id = -1;
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  Options options;
  std::optional<std::string> comment;
  int64_t time_millis = 0;

  /// Index of a top-level column, or -1.
  int FieldIndex(std::string_view name) const;
  const Field* FindField(std::string_view name) const;
  std::vector<Field> PartitionFields() const;  ///< in partition_keys order
  /// Primary key minus partition keys, in primary-key order.
  std::vector<std::string> TrimmedPrimaryKeys() const;
  /// Option bucket-key, else the trimmed primary key.
  std::vector<std::string> BucketKeys() const;
  bool is_primary_key_table() const { return !primary_keys.empty(); }

  /// Parses a schema file. Unknown properties are ignored; malformed ones are kCorrupt.
  static arrow::Result<TableSchema> FromJson(std::string_view json);
  /// The reference's text, byte for byte (Jackson's default pretty printer).
  std::string ToJson() const;
};

}  // namespace bactrian
