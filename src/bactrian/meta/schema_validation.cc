#include "bactrian/meta/schema_validation.h"

#include <algorithm>
#include <set>

#include "bactrian/meta/option_change.h"
#include "bactrian/types/core_options.h"
#include "bactrian/types/field_ids.h"
#include "bactrian/value.h"

namespace bactrian {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A ROW's fields are named once each.
arrow::Status CheckNestedNames(const DataType& type, const std::string& column) {
  std::set<std::string_view> names;
  for (const Field& field : type.fields()) {
    if (field.name.empty()) return Invalid("a field of column \"", column, "\" has no name");
    if (!names.insert(field.name).second) return Invalid("column \"", column, "\" has two fields \"", field.name, "\"");
    ARROW_RETURN_NOT_OK(CheckNestedNames(*field.type, column));
  }
  for (const TypePtr& child : type.children()) ARROW_RETURN_NOT_OK(CheckNestedNames(*child, column));
  return arrow::Status::OK();
}

arrow::Status CheckColumns(const TableSchema& schema) {
  if (schema.fields.empty()) return Invalid("a table needs at least one column");
  std::set<std::string_view> names;
  for (const Field& field : schema.fields) {
    if (field.name.empty()) return Invalid("a column has no name");
    if (!names.insert(field.name).second) return Invalid("column \"", field.name, "\" is given twice");
    if (IsReservedColumnName(field.name)) return Invalid("column name \"", field.name, "\" is reserved");
    ARROW_RETURN_NOT_OK(CheckNestedNames(*field.type, field.name));
    if (!field.default_value) continue;
    auto value = ParseValue(*field.default_value, *field.type);
    if (!value.ok()) return Invalid("default value of column \"", field.name, "\": ", value.status().message());
  }
  return arrow::Status::OK();
}

arrow::Status CheckKeyList(const TableSchema& schema, const std::vector<std::string>& keys, std::string_view kind) {
  std::set<std::string_view> names;
  for (const std::string& key : keys) {
    const Field* field = schema.FindField(key);
    if (field == nullptr) return Invalid(kind, " \"", key, "\" is not a column");
    if (!names.insert(key).second) return Invalid(kind, " \"", key, "\" is given twice");
    const TypeRoot root = field->type->root();
    if (field->type->is_nested() || (root >= TypeRoot::kVariant && root <= TypeRoot::kGeography)) {
      return Invalid("column \"", key, "\" of type ", field->type->ToSqlString(), " cannot be a ", kind);
    }
  }
  return arrow::Status::OK();
}

arrow::Status CheckKeys(const TableSchema& schema) {
  ARROW_RETURN_NOT_OK(CheckKeyList(schema, schema.partition_keys, "partition key"));
  ARROW_RETURN_NOT_OK(CheckKeyList(schema, schema.primary_keys, "primary key"));
  for (const std::string& key : schema.partition_keys) {
    // The reference names such a directory after an object's address.
    if (schema.FindField(key)->type->is_binary()) return Invalid("partition key \"", key, "\" cannot be binary");
  }
  if (!schema.primary_keys.empty() && schema.TrimmedPrimaryKeys().empty()) {
    return Invalid("the primary key must not be the same as the partition keys: a partition would hold one row");
  }
  return arrow::Status::OK();
}

arrow::Status CheckBucketKey(const TableSchema& schema, bool bucket_key_given) {
  const std::vector<std::string> bucket_keys = schema.BucketKeys();
  std::set<std::string_view> names;
  for (const std::string& key : bucket_keys) {
    const Field* field = schema.FindField(key);
    if (field == nullptr) return Invalid("option 'bucket-key': \"", key, "\" is not a column");
    if (!names.insert(key).second) return Invalid("option 'bucket-key': \"", key, "\" is given twice");
    if (!bucket_key_given) continue;
    if (Contains(schema.partition_keys, key)) return Invalid("option 'bucket-key': \"", key, "\" is a partition key");
    if (schema.is_primary_key_table() && !Contains(schema.primary_keys, key)) {
      return Invalid("option 'bucket-key': \"", key, "\" is not in the primary key");
    }
    if (field->type->is_nested()) return Invalid("option 'bucket-key': \"", key, "\" is nested");
  }
  return arrow::Status::OK();
}

arrow::Status CheckBucket(const TableSchema& schema) {
  CoreOptions options(schema.options);
  ARROW_ASSIGN_OR_RAISE(const int64_t bucket, options.bucket());
  const bool bucket_key_given = options.Get("bucket-key").has_value();
  ARROW_RETURN_NOT_OK(CheckBucketKey(schema, bucket_key_given));
  if (bucket == -1 && bucket_key_given) return Invalid("option 'bucket-key' needs a number of buckets in option 'bucket'");
  if (bucket == -2 && !schema.is_primary_key_table()) return Invalid("option 'bucket' = -2 needs a primary key");
  if (bucket == 0 || bucket < -2 || bucket > INT32_MAX) {
    return Invalid("option 'bucket' must be a positive number, -1 or -2, not ", bucket);
  }
  if (bucket > 0 && !schema.is_primary_key_table() && !bucket_key_given) {
    return Invalid("an append table with a number of buckets needs option 'bucket-key'");
  }
  return arrow::Status::OK();
}

arrow::Status CheckSequenceField(const TableSchema& schema) {
  for (const std::string& name : SplitColumnList(CoreOptions(schema.options).GetString("sequence.field", ""))) {
    if (schema.FieldIndex(name) < 0) return Invalid("option 'sequence.field': \"", name, "\" is not a column");
  }
  return arrow::Status::OK();
}

arrow::Status CheckRowTracking(const TableSchema& schema) {
  CoreOptions options(schema.options);
  ARROW_ASSIGN_OR_RAISE(const bool row_tracking, options.GetBool("row-tracking.enabled", false));
  ARROW_ASSIGN_OR_RAISE(const bool data_evolution, options.GetBool("data-evolution.enabled", false));
  if (row_tracking && schema.is_primary_key_table()) return Invalid("row-tracking.enabled is for tables without a primary key");
  if (data_evolution && !row_tracking) return Invalid("data-evolution.enabled needs row-tracking.enabled");
  return arrow::Status::OK();
}

/// The reference does not even open a table whose retention contradicts itself.
arrow::Status CheckRetention(const TableSchema& schema) {
  CoreOptions options(schema.options);
  int64_t min = 10, max = INT32_MAX;  // of snapshots; changelogs take over theirs
  for (const std::string kind : {"snapshot", "changelog"}) {
    const std::string min_key = kind + ".num-retained.min", max_key = kind + ".num-retained.max";
    ARROW_ASSIGN_OR_RAISE(min, options.GetInt(min_key, min));
    ARROW_ASSIGN_OR_RAISE(max, options.GetInt(max_key, max));
    if (min < 1) return Invalid("option '", min_key, "' must be at least 1, not ", min);
    if (min > max) return Invalid("option '", min_key, "' (", min, ") must not be larger than '", max_key, "' (", max, ")");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status ValidateTableSchema(const TableSchema& schema) {
  ARROW_RETURN_NOT_OK(CheckColumns(schema));
  ARROW_RETURN_NOT_OK(CheckKeys(schema));
  ARROW_RETURN_NOT_OK(CheckBucket(schema));
  ARROW_RETURN_NOT_OK(CheckSequenceField(schema));
  ARROW_RETURN_NOT_OK(CheckRowTracking(schema));
  return CheckRetention(schema);
}

}  // namespace bactrian
