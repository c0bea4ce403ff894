#include "bactrian/meta/manifest_fields.h"

#include "bactrian/types/field_ids.h"

namespace bactrian {
namespace {

constexpr bool kNotNull = false;

TypePtr Tinyint(bool nullable) { return DataType::Make(TypeRoot::kTinyint, nullable); }

TypePtr StatsType() {
  return DataType::Row(NumberedFields({{"_MIN_VALUES", DataType::Bytes(kNotNull)},
                                       {"_MAX_VALUES", DataType::Bytes(kNotNull)},
                                       {"_NULL_COUNTS", DataType::Array(DataType::Bigint())}}),
                       kNotNull);
}

TypePtr DataFileType() {
  TypePtr names = DataType::Array(DataType::String(kNotNull));
  return DataType::Row(NumberedFields({{"_FILE_NAME", DataType::String(kNotNull)},
                                       {"_FILE_SIZE", DataType::Bigint(kNotNull)},
                                       {"_ROW_COUNT", DataType::Bigint(kNotNull)},
                                       {"_MIN_KEY", DataType::Bytes(kNotNull)},
                                       {"_MAX_KEY", DataType::Bytes(kNotNull)},
                                       {"_KEY_STATS", StatsType()},
                                       {"_VALUE_STATS", StatsType()},
                                       {"_MIN_SEQUENCE_NUMBER", DataType::Bigint(kNotNull)},
                                       {"_MAX_SEQUENCE_NUMBER", DataType::Bigint(kNotNull)},
                                       {"_SCHEMA_ID", DataType::Bigint(kNotNull)},
                                       {"_LEVEL", DataType::Int(kNotNull)},
                                       {"_EXTRA_FILES", names->WithNullable(false)},
                                       {"_CREATION_TIME", DataType::WithPrecision(TypeRoot::kTimestamp, 3)},
                                       {"_DELETE_ROW_COUNT", DataType::Bigint()},
                                       {"_EMBEDDED_FILE_INDEX", DataType::Bytes()},
                                       {"_FILE_SOURCE", Tinyint(true)},
                                       {"_VALUE_STATS_COLS", names},
                                       {"_EXTERNAL_PATH", DataType::String()},
                                       {"_FIRST_ROW_ID", DataType::Bigint()},
                                       {"_WRITE_COLS", names},
                                       {"_WRITE_COLS_SEQUENCES", DataType::Array(DataType::Bigint(kNotNull))}}),
                       kNotNull);
}

TypePtr DeletionVectorRangeType() {
  return DataType::Row(NumberedFields({{"f0", DataType::String(kNotNull)},
                                       {"f1", DataType::Int(kNotNull)},
                                       {"f2", DataType::Int(kNotNull)},
                                       {"_CARDINALITY", DataType::Bigint()}}));
}

TypePtr GlobalIndexType() {
  return DataType::Row(NumberedFields({{"_ROW_RANGE_START", DataType::Bigint(kNotNull)},
                                       {"_ROW_RANGE_END", DataType::Bigint(kNotNull)},
                                       {"_INDEX_FIELD_ID", DataType::Int(kNotNull)},
                                       {"_EXTRA_FIELD_IDS", DataType::Array(DataType::Int(kNotNull))},
                                       {"_INDEX_META", DataType::Bytes()},
                                       {"_SOURCE_META", DataType::Bytes()}}));
}

}  // namespace

const std::vector<Field>& ManifestListFields() {
  static const std::vector<Field> fields = NumberedFields({{"_VERSION", DataType::Int(kNotNull)},
                                                           {"_FILE_NAME", DataType::String(kNotNull)},
                                                           {"_FILE_SIZE", DataType::Bigint(kNotNull)},
                                                           {"_NUM_ADDED_FILES", DataType::Bigint(kNotNull)},
                                                           {"_NUM_DELETED_FILES", DataType::Bigint(kNotNull)},
                                                           {"_PARTITION_STATS", StatsType()},
                                                           {"_SCHEMA_ID", DataType::Bigint(kNotNull)},
                                                           {"_MIN_BUCKET", DataType::Int()},
                                                           {"_MAX_BUCKET", DataType::Int()},
                                                           {"_MIN_LEVEL", DataType::Int()},
                                                           {"_MAX_LEVEL", DataType::Int()},
                                                           {"_MIN_ROW_ID", DataType::Bigint()},
                                                           {"_MAX_ROW_ID", DataType::Bigint()}});
  return fields;
}

const std::vector<Field>& ManifestFields() {
  static const std::vector<Field> fields = NumberedFields({{"_VERSION", DataType::Int(kNotNull)},
                                                           {"_KIND", Tinyint(kNotNull)},
                                                           {"_PARTITION", DataType::Bytes(kNotNull)},
                                                           {"_BUCKET", DataType::Int(kNotNull)},
                                                           {"_TOTAL_BUCKETS", DataType::Int(kNotNull)},
                                                           {"_FILE", DataFileType()}});
  return fields;
}

const std::vector<Field>& IndexManifestFields() {
  static const std::vector<Field> fields =
      NumberedFields({{"_VERSION", DataType::Int(kNotNull)},
                      {"_KIND", Tinyint(kNotNull)},
                      {"_PARTITION", DataType::Bytes(kNotNull)},
                      {"_BUCKET", DataType::Int(kNotNull)},
                      {"_INDEX_TYPE", DataType::String(kNotNull)},
                      {"_FILE_NAME", DataType::String(kNotNull)},
                      {"_FILE_SIZE", DataType::Bigint(kNotNull)},
                      {"_ROW_COUNT", DataType::Bigint(kNotNull)},
                      {"_DELETIONS_VECTORS_RANGES", DataType::Array(DeletionVectorRangeType())},
                      {"_EXTERNAL_PATH", DataType::String()},
                      {"_GLOBAL_INDEX", GlobalIndexType()}});
  return fields;
}

}  // namespace bactrian
