#include "bactrian/table/system/system_fields.h"

#include "bactrian/types/field_ids.h"

namespace bactrian {
namespace {

TypePtr NotNull(TypePtr type) { return type->WithNullable(false); }
TypePtr Text() { return DataType::String(); }
TypePtr Long() { return DataType::Bigint(); }
TypePtr Int() { return DataType::Int(); }
TypePtr Flag() { return DataType::Make(TypeRoot::kBoolean); }
TypePtr Time() { return DataType::WithPrecision(TypeRoot::kTimestamp, 3); }

}  // namespace

std::vector<Field> SnapshotsFields() {
  return NumberedFields({{"snapshot_id", NotNull(Long())},
                         {"schema_id", NotNull(Long())},
                         {"commit_user", NotNull(Text())},
                         {"commit_identifier", NotNull(Long())},
                         {"commit_kind", NotNull(Text())},
                         {"commit_time", NotNull(Time())},
                         {"base_manifest_list", NotNull(Text())},
                         {"delta_manifest_list", NotNull(Text())},
                         {"changelog_manifest_list", Text()},
                         {"total_record_count", Long()},
                         {"delta_record_count", Long()},
                         {"changelog_record_count", Long()},
                         {"watermark", Long()},
                         {"next_row_id", Long()},
                         {"operation", Text()},
                         {"writer_version", Text()}});
}

std::vector<Field> SchemasFields() {
  return NumberedFields({{"schema_id", NotNull(Long())},
                         {"fields", NotNull(Text())},
                         {"partition_keys", NotNull(Text())},
                         {"primary_keys", NotNull(Text())},
                         {"options", NotNull(Text())},
                         {"comment", Text()},
                         {"update_time", NotNull(Time())}});
}

std::vector<Field> OptionsFields() { return NumberedFields({{"key", NotNull(Text())}, {"value", NotNull(Text())}}); }

std::vector<Field> TagsFields() {
  return NumberedFields({{"tag_name", NotNull(Text())},
                         {"snapshot_id", NotNull(Long())},
                         {"schema_id", NotNull(Long())},
                         {"commit_time", NotNull(Time())},
                         {"record_count", Long()},
                         // The reference declares milliseconds and returns nanoseconds.
                         {"create_time", DataType::WithPrecision(TypeRoot::kTimestamp, 9)},
                         {"time_retained", Text()}});
}

std::vector<Field> BranchesFields() {
  return NumberedFields({{"branch_name", NotNull(Text())}, {"create_time", NotNull(Time())}});
}

std::vector<Field> ConsumersFields() {
  return NumberedFields({{"consumer_id", NotNull(Text())}, {"next_snapshot_id", NotNull(Long())}});
}

std::vector<Field> StatisticsFields() {
  return NumberedFields({{"snapshot_id", NotNull(Long())},
                         {"schema_id", NotNull(Long())},
                         {"mergedRecordCount", Long()},
                         {"mergedRecordSize", Long()},
                         {"colstat", Text()}});
}

std::vector<Field> AggregationFieldsFields() {
  return NumberedFields({{"field_name", NotNull(Text())},
                         {"field_type", NotNull(Text())},
                         {"function", Text()},
                         {"function_options", Text()},
                         {"comment", Text()}});
}

std::vector<Field> ManifestsFields() {
  return NumberedFields({{"file_name", NotNull(Text())},
                         {"file_size", NotNull(Long())},
                         {"num_added_files", NotNull(Long())},
                         {"num_deleted_files", NotNull(Long())},
                         {"schema_id", NotNull(Long())},
                         {"min_partition_stats", Text()},
                         {"max_partition_stats", Text()},
                         {"min_row_id", Long()},
                         {"max_row_id", Long()}});
}

std::vector<Field> FilesFields() {
  return NumberedFields({{"partition", Text()},
                         {"bucket", NotNull(Int())},
                         {"file_path", NotNull(Text())},
                         {"file_format", NotNull(Text())},
                         {"schema_id", NotNull(Long())},
                         {"level", NotNull(Int())},
                         {"record_count", NotNull(Long())},
                         {"file_size_in_bytes", NotNull(Long())},
                         {"min_key", Text()},
                         {"max_key", Text()},
                         {"null_value_counts", NotNull(Text())},
                         {"min_value_stats", NotNull(Text())},
                         {"max_value_stats", NotNull(Text())},
                         {"min_sequence_number", Long()},
                         {"max_sequence_number", Long()},
                         {"creation_time", Time()},
                         {"deleteRowCount", Long()},
                         {"file_source", Text()},
                         {"first_row_id", Long()},
                         {"write_cols", DataType::Array(Text())}});
}

std::vector<Field> FileKeyRangesFields() {
  return NumberedFields({{"partition", Text()},
                         {"bucket", NotNull(Int())},
                         {"file_path", NotNull(Text())},
                         {"file_format", NotNull(Text())},
                         {"schema_id", NotNull(Long())},
                         {"level", NotNull(Int())},
                         {"record_count", NotNull(Long())},
                         {"file_size_in_bytes", NotNull(Long())},
                         {"min_key", Text()},
                         {"max_key", Text()},
                         {"first_row_id", Long()}});
}

std::vector<Field> PartitionsFields() {
  return NumberedFields({{"partition", Text()},
                         {"record_count", NotNull(Long())},
                         {"file_size_in_bytes", NotNull(Long())},
                         {"file_count", NotNull(Long())},
                         {"last_update_time", Time()},
                         {"created_at", Time()},
                         {"created_by", Text()},
                         {"updated_by", Text()},
                         {"options", Text()},
                         {"total_buckets", NotNull(Int())},
                         {"done", NotNull(Flag())},
                         {"deleted_record_count", Long()}});
}

std::vector<Field> BucketsFields() {
  return NumberedFields({{"partition", Text()},
                         {"bucket", NotNull(Int())},
                         {"record_count", NotNull(Long())},
                         {"file_size_in_bytes", NotNull(Long())},
                         {"file_count", NotNull(Long())},
                         {"last_update_time", Time()}});
}

std::vector<Field> TableIndexesFields() {
  TypePtr range = DataType::Row(
      NumberedFields({{"f0", NotNull(Text())}, {"f1", NotNull(Int())}, {"f2", NotNull(Int())}, {"_CARDINALITY", Long()}}));
  return NumberedFields({{"partition", Text()},
                         {"bucket", NotNull(Int())},
                         {"index_type", NotNull(Text())},
                         {"file_name", NotNull(Text())},
                         {"file_size", NotNull(Long())},
                         {"row_count", NotNull(Long())},
                         {"dv_ranges", DataType::Array(range)},
                         {"row_range_start", Long()},
                         {"row_range_end", Long()},
                         {"index_field_id", Int()},
                         {"index_field_name", Text()}});
}

}  // namespace bactrian
