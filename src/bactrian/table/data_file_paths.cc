#include "bactrian/table/data_file_paths.h"

#include "bactrian/types/binary_row.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

constexpr int32_t kPostponeBucket = -2;

}  // namespace

arrow::Result<DataFilePaths> DataFilePaths::Make(const TablePaths& paths, const TableSchema& schema) {
  const CoreOptions options(schema.options);
  DataFilePaths result;
  result.root_ = paths.root;
  result.path_directory_ = options.GetString("data-file.path-directory", "");
  result.partition_fields_ = schema.PartitionFields();
  for (const Field& field : result.partition_fields_) result.partition_types_.push_back(field.type);
  result.options_.default_name = options.GetString("partition.default-name", result.options_.default_name);
  ARROW_ASSIGN_OR_RAISE(result.options_.legacy_name, options.GetBool("partition.legacy-name", true));
  return result;
}

arrow::Result<std::string> DataFilePaths::RelativeBucketPath(std::span<const Value> partition, int32_t bucket) const {
  ARROW_ASSIGN_OR_RAISE(std::string path, PartitionPath(partition_fields_, partition, options_));
  if (!path_directory_.empty()) path = path.empty() ? path_directory_ : JoinPath(path_directory_, path);
  if (!path.empty()) path += '/';
  path += bucket == kPostponeBucket ? "bucket-postpone" : "bucket-" + std::to_string(bucket);
  return path;
}

arrow::Result<std::string> DataFilePaths::RelativeBucketPath(std::string_view partition_row, int32_t bucket) const {
  ARROW_ASSIGN_OR_RAISE(std::vector<Value> values, PartitionValues(partition_row));
  return RelativeBucketPath(values, bucket);
}

arrow::Result<std::string> DataFilePaths::BucketPath(std::span<const Value> partition, int32_t bucket) const {
  ARROW_ASSIGN_OR_RAISE(std::string path, RelativeBucketPath(partition, bucket));
  return JoinPath(root_, path);
}

arrow::Result<std::string> DataFilePaths::DataFile(std::string_view partition_row, int32_t bucket,
                                                   const DataFileMeta& file) const {
  if (file.external_path) return *file.external_path;
  ARROW_RETURN_NOT_OK(ValidateFileName(file.file_name, "manifest entry"));
  ARROW_ASSIGN_OR_RAISE(std::string directory, RelativeBucketPath(partition_row, bucket));
  return JoinPath(JoinPath(root_, directory), file.file_name);
}

arrow::Result<std::vector<std::string>> DataFilePaths::ExtraFiles(std::string_view partition_row, int32_t bucket,
                                                                  const DataFileMeta& file) const {
  if (file.extra_files.empty()) return std::vector<std::string>{};
  ARROW_ASSIGN_OR_RAISE(std::string path, DataFile(partition_row, bucket, file));
  const std::string directory = path.substr(0, path.rfind('/'));
  std::vector<std::string> paths;
  for (const std::string& name : file.extra_files) {
    ARROW_RETURN_NOT_OK(ValidateFileName(name, "extra file of " + file.file_name));
    paths.push_back(JoinPath(directory, name));
  }
  return paths;
}

std::string DataFilePaths::DataRoot() const { return path_directory_.empty() ? root_ : JoinPath(root_, path_directory_); }

arrow::Result<std::vector<Value>> DataFilePaths::PartitionValues(std::string_view partition_row) const {
  return DecodeSerializedRow(partition_row, partition_types_);
}

}  // namespace bactrian
