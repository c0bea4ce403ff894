/// Writing manifests, manifest lists and index manifests.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bactrian/format/avro/avro_file.h"
#include "bactrian/meta/batch_builder.h"
#include "bactrian/meta/manifest.h"

namespace bactrian {

/// Rows of one file. Not thread-safe.
class MetadataWriter {
 public:
  static arrow::Result<std::unique_ptr<MetadataWriter>> Make(std::shared_ptr<arrow::io::OutputStream> sink,
                                                             const std::vector<Field>& fields,
                                                             const ManifestWriteOptions& options);
  StructAppender NewRow() { return rows_.NewRow(); }
  arrow::Status Flush();  ///< encodes the rows so far
  arrow::Result<int64_t> bytes_written() const { return avro_->bytes_written(); }
  arrow::Status Close();

 private:
  MetadataWriter(std::unique_ptr<AvroFileWriter> avro, BatchBuilder rows) : avro_(std::move(avro)), rows_(std::move(rows)) {}
  std::unique_ptr<AvroFileWriter> avro_;
  BatchBuilder rows_;
};

/// Writes a whole file at `path`, whose rows `append` makes; returns its size. A failed one is deleted.
arrow::Result<int64_t> WriteMetadataFile(FileStore& store, const std::string& path, const std::vector<Field>& fields,
                                         const ManifestWriteOptions& options,
                                         const std::function<arrow::Status(MetadataWriter&)>& append);

/// Deletes manifests that a failed call wrote, best effort.
void DeleteMetadataFiles(FileStore& store, const TablePaths& paths, const std::vector<ManifestFileMeta>& manifests);

}  // namespace bactrian
