/// Writing manifests, manifest lists and index manifests: rows appended value by value, in column order, to Arrow builders.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/format/avro/avro_file.h"
#include "bactrian/meta/manifest.h"

namespace bactrian {

/// Appends one struct value: every call is the next field, whose type must be the one that the call says. Cheap to copy.
class StructAppender {
 public:
  explicit StructAppender(arrow::StructBuilder* builder) : builder_(builder) {}

  arrow::Status Int(std::optional<int32_t> value);
  arrow::Status Tiny(std::optional<int8_t> value);
  arrow::Status Long(std::optional<int64_t> value);
  arrow::Status Timestamp(std::optional<int64_t> value);
  arrow::Status Bytes(std::string_view value);  ///< STRING and BYTES
  arrow::Status OptionalBytes(const std::optional<std::string>& value);
  arrow::Status Strings(const std::vector<std::string>& values);
  arrow::Status Strings(const std::optional<std::vector<std::string>>& values);
  arrow::Status Ints(const std::optional<std::vector<int32_t>>& values);
  arrow::Status Longs(const std::optional<std::vector<int64_t>>& values);
  arrow::Status OptionalLongs(const std::vector<std::optional<int64_t>>& values);
  StructAppender Struct();     ///< a non-null nested struct, to be filled at once
  arrow::Status NullStruct();  ///< a null nested struct
  /// A list of structs: `append_element` is called once for each of `size` elements; nullopt is a null list.
  arrow::Status Structs(std::optional<size_t> size, const std::function<arrow::Status(size_t, StructAppender)>& append_element);

 private:
  template <typename Builder>
  Builder* Next();
  arrow::StructBuilder* builder_;
  int position_ = 0;
};

/// Rows of one file. Not thread-safe.
class MetadataWriter {
 public:
  static arrow::Result<std::unique_ptr<MetadataWriter>> Make(std::shared_ptr<arrow::io::OutputStream> sink,
                                                             const std::vector<Field>& fields,
                                                             const ManifestWriteOptions& options);
  ~MetadataWriter();
  StructAppender NewRow();
  arrow::Status Flush();  ///< encodes the rows so far
  arrow::Result<int64_t> bytes_written() const;
  arrow::Status Close();

 private:
  MetadataWriter();
  std::unique_ptr<AvroFileWriter> avro_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<arrow::StructBuilder> rows_;
};

/// Writes a whole file at `path`, whose rows `append` makes; returns its size. A failed one is deleted.
arrow::Result<int64_t> WriteMetadataFile(FileStore& store, const std::string& path, const std::vector<Field>& fields,
                                         const ManifestWriteOptions& options,
                                         const std::function<arrow::Status(MetadataWriter&)>& append);

/// Deletes manifests that a failed call wrote, best effort.
void DeleteMetadataFiles(FileStore& store, const TablePaths& paths, const std::vector<ManifestFileMeta>& manifests);

}  // namespace bactrian
