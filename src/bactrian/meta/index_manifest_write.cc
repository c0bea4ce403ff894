#include "bactrian/meta/index_manifest.h"
#include "bactrian/meta/manifest_fields.h"
#include "bactrian/meta/metadata_writer.h"

namespace bactrian {
namespace {

arrow::Status AppendRange(const DeletionVectorRange& range, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Bytes(range.data_file));
  ARROW_RETURN_NOT_OK(row.Int(range.offset));
  ARROW_RETURN_NOT_OK(row.Int(range.length));
  return row.Long(range.cardinality);
}

arrow::Status AppendGlobalIndex(const GlobalIndexMeta& index, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Long(index.row_range_start));
  ARROW_RETURN_NOT_OK(row.Long(index.row_range_end));
  ARROW_RETURN_NOT_OK(row.Int(index.index_field_id));
  ARROW_RETURN_NOT_OK(row.Ints(index.extra_field_ids));
  ARROW_RETURN_NOT_OK(row.OptionalBytes(index.index_meta));
  return row.OptionalBytes(index.source_meta);
}

arrow::Status AppendEntry(const IndexFileEntry& entry, StructAppender row) {
  ARROW_RETURN_NOT_OK(row.Int(static_cast<int32_t>(kIndexManifestVersion)));
  ARROW_RETURN_NOT_OK(row.Tiny(0));
  ARROW_RETURN_NOT_OK(row.Bytes(entry.partition));
  ARROW_RETURN_NOT_OK(row.Int(entry.bucket));
  ARROW_RETURN_NOT_OK(row.Bytes(entry.index_type));
  ARROW_RETURN_NOT_OK(row.Bytes(entry.file_name));
  ARROW_RETURN_NOT_OK(row.Long(entry.file_size));
  ARROW_RETURN_NOT_OK(row.Long(entry.row_count));
  const auto& ranges = entry.deletion_vectors;
  ARROW_RETURN_NOT_OK(row.Structs(ranges ? std::optional(ranges->size()) : std::nullopt,
                                  [&](size_t i, StructAppender element) { return AppendRange((*ranges)[i], element); }));
  ARROW_RETURN_NOT_OK(row.OptionalBytes(entry.external_path));
  return entry.global_index ? AppendGlobalIndex(*entry.global_index, row.Struct()) : row.NullStruct();
}

}  // namespace

arrow::Result<WrittenFile> WriteIndexManifest(FileStore& store, const TablePaths& paths, std::string_view uuid, int* counter,
                                              const std::vector<IndexFileEntry>& entries, const ManifestWriteOptions& options) {
  std::string name = "index-manifest-" + std::string(uuid) + "-" + std::to_string((*counter)++);
  auto append_all = [&](MetadataWriter& writer) -> arrow::Status {
    for (const IndexFileEntry& entry : entries) ARROW_RETURN_NOT_OK(AppendEntry(entry, writer.NewRow()));
    return writer.Flush();
  };
  ARROW_ASSIGN_OR_RAISE(const int64_t size,
                        WriteMetadataFile(store, paths.ManifestFile(name), IndexManifestFields(), options, append_all));
  return WrittenFile{std::move(name), size};
}

}  // namespace bactrian
