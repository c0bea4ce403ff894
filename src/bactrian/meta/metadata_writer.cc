#include "bactrian/meta/metadata_writer.h"

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>

namespace bactrian {

arrow::Result<std::unique_ptr<MetadataWriter>> MetadataWriter::Make(std::shared_ptr<arrow::io::OutputStream> sink,
                                                                    const std::vector<Field>& fields,
                                                                    const ManifestWriteOptions& options) {
  AvroWriteOptions avro_options;
  avro_options.codec = options.compression == "zstd" ? "zstandard" : options.compression;
  avro_options.zstd_level = options.zstd_level;
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<AvroFileWriter> avro, AvroFileWriter::Make(std::move(sink), fields, avro_options));
  ARROW_ASSIGN_OR_RAISE(BatchBuilder rows, BatchBuilder::Make(fields));
  return std::unique_ptr<MetadataWriter>(new MetadataWriter(std::move(avro), std::move(rows)));
}

arrow::Status MetadataWriter::Flush() {
  if (rows_.num_rows() == 0) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, rows_.Finish());
  return avro_->Write(*batch);
}

arrow::Status MetadataWriter::Close() {
  ARROW_RETURN_NOT_OK(Flush());
  return avro_->Close();
}

arrow::Result<int64_t> WriteMetadataFile(FileStore& store, const std::string& path, const std::vector<Field>& fields,
                                         const ManifestWriteOptions& options,
                                         const std::function<arrow::Status(MetadataWriter&)>& append) {
  auto write = [&]() -> arrow::Result<int64_t> {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::io::OutputStream> sink, store.OpenOutput(path));
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<MetadataWriter> writer, MetadataWriter::Make(std::move(sink), fields, options));
    ARROW_RETURN_NOT_OK(append(*writer));
    ARROW_RETURN_NOT_OK(writer->Close());
    return writer->bytes_written();
  };
  arrow::Result<int64_t> size = write();
  if (!size.ok()) static_cast<void>(store.DeleteFile(path).ok());
  return size;
}

void DeleteMetadataFiles(FileStore& store, const TablePaths& paths, const std::vector<ManifestFileMeta>& manifests) {
  for (const ManifestFileMeta& manifest : manifests)
    static_cast<void>(store.DeleteFile(paths.ManifestFile(manifest.file_name)).ok());
}

}  // namespace bactrian
