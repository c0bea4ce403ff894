#include "bactrian/meta/metadata_writer.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace bactrian {
namespace {

template <typename Builder, typename T>
arrow::Status AppendOptional(Builder* builder, const std::optional<T>& value) {
  return value ? builder->Append(*value) : builder->AppendNull();
}

}  // namespace

template <typename Builder>
Builder* StructAppender::Next() {
  return static_cast<Builder*>(builder_->field_builder(position_++));
}

arrow::Status StructAppender::Int(std::optional<int32_t> value) { return AppendOptional(Next<arrow::Int32Builder>(), value); }
arrow::Status StructAppender::Tiny(std::optional<int8_t> value) { return AppendOptional(Next<arrow::Int8Builder>(), value); }
arrow::Status StructAppender::Long(std::optional<int64_t> value) { return AppendOptional(Next<arrow::Int64Builder>(), value); }
arrow::Status StructAppender::Timestamp(std::optional<int64_t> value) {
  return AppendOptional(Next<arrow::TimestampBuilder>(), value);
}
arrow::Status StructAppender::Bytes(std::string_view value) { return Next<arrow::BinaryBuilder>()->Append(value); }
arrow::Status StructAppender::OptionalBytes(const std::optional<std::string>& value) {
  auto* builder = Next<arrow::BinaryBuilder>();
  return value ? builder->Append(*value) : builder->AppendNull();
}

arrow::Status StructAppender::Strings(const std::vector<std::string>& values) {
  auto* list = Next<arrow::ListBuilder>();
  ARROW_RETURN_NOT_OK(list->Append());
  auto* elements = static_cast<arrow::StringBuilder*>(list->value_builder());
  for (const std::string& value : values) ARROW_RETURN_NOT_OK(elements->Append(value));
  return arrow::Status::OK();
}

arrow::Status StructAppender::Strings(const std::optional<std::vector<std::string>>& values) {
  return values ? Strings(*values) : Next<arrow::ListBuilder>()->AppendNull();
}

arrow::Status StructAppender::Ints(const std::optional<std::vector<int32_t>>& values) {
  auto* list = Next<arrow::ListBuilder>();
  if (!values) return list->AppendNull();
  ARROW_RETURN_NOT_OK(list->Append());
  return static_cast<arrow::Int32Builder*>(list->value_builder())->AppendValues(*values);
}

arrow::Status StructAppender::Longs(const std::optional<std::vector<int64_t>>& values) {
  auto* list = Next<arrow::ListBuilder>();
  if (!values) return list->AppendNull();
  ARROW_RETURN_NOT_OK(list->Append());
  return static_cast<arrow::Int64Builder*>(list->value_builder())->AppendValues(*values);
}

arrow::Status StructAppender::OptionalLongs(const std::vector<std::optional<int64_t>>& values) {
  auto* list = Next<arrow::ListBuilder>();
  ARROW_RETURN_NOT_OK(list->Append());
  auto* elements = static_cast<arrow::Int64Builder*>(list->value_builder());
  for (const auto& value : values) ARROW_RETURN_NOT_OK(AppendOptional(elements, value));
  return arrow::Status::OK();
}

StructAppender StructAppender::Struct() {
  auto* builder = Next<arrow::StructBuilder>();
  // A bit and a length: fails only when out of memory, which the children then meet too.
  static_cast<void>(builder->Append().ok());
  return StructAppender(builder);
}

arrow::Status StructAppender::NullStruct() { return Next<arrow::StructBuilder>()->AppendNull(); }

arrow::Status StructAppender::Structs(std::optional<size_t> size,
                                      const std::function<arrow::Status(size_t, StructAppender)>& append_element) {
  auto* list = Next<arrow::ListBuilder>();
  if (!size) return list->AppendNull();
  ARROW_RETURN_NOT_OK(list->Append());
  auto* elements = static_cast<arrow::StructBuilder*>(list->value_builder());
  for (size_t i = 0; i < *size; ++i) {
    ARROW_RETURN_NOT_OK(elements->Append());
    ARROW_RETURN_NOT_OK(append_element(i, StructAppender(elements)));
  }
  return arrow::Status::OK();
}

MetadataWriter::MetadataWriter() = default;
MetadataWriter::~MetadataWriter() = default;

arrow::Result<std::unique_ptr<MetadataWriter>> MetadataWriter::Make(std::shared_ptr<arrow::io::OutputStream> sink,
                                                                    const std::vector<Field>& fields,
                                                                    const ManifestWriteOptions& options) {
  std::unique_ptr<MetadataWriter> writer(new MetadataWriter());
  AvroWriteOptions avro_options;
  avro_options.codec = options.compression == "zstd" ? "zstandard" : options.compression;
  avro_options.zstd_level = options.zstd_level;
  ARROW_ASSIGN_OR_RAISE(writer->avro_, AvroFileWriter::Make(std::move(sink), fields, avro_options));
  ARROW_ASSIGN_OR_RAISE(writer->schema_, ToArrowSchema(fields));
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), arrow::struct_(writer->schema_->fields()), &builder));
  writer->rows_.reset(static_cast<arrow::StructBuilder*>(builder.release()));
  return writer;
}

StructAppender MetadataWriter::NewRow() {
  static_cast<void>(rows_->Append().ok());  // as in Struct()
  return StructAppender(rows_.get());
}

arrow::Status MetadataWriter::Flush() {
  if (rows_->length() == 0) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> rows, rows_->Finish());
  return avro_->Write(
      *arrow::RecordBatch::Make(schema_, rows->length(), static_cast<const arrow::StructArray&>(*rows).fields()));
}

arrow::Result<int64_t> MetadataWriter::bytes_written() const { return avro_->bytes_written(); }

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
