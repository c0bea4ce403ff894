#include "bactrian/meta/metadata_file.h"

#include <arrow/adapters/orc/adapter.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/initialize.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>

#include <exception>
#include <string_view>

namespace bactrian {
namespace {

constexpr int64_t kBatchRows = 4096;

enum class Container { kAvro, kOrc, kParquet };

arrow::Result<Container> DetectContainer(arrow::io::RandomAccessFile& file, const std::string& path) {
  char head[4] = {};
  ARROW_ASSIGN_OR_RAISE(int64_t length, file.ReadAt(0, sizeof head, head));
  std::string_view magic(head, static_cast<size_t>(length));
  if (magic == std::string_view("Obj\x01", 4)) return Container::kAvro;
  if (magic == "PAR1") return Container::kParquet;
  if (magic.substr(0, 3) == "ORC") return Container::kOrc;
  return Corrupt(path, ": neither Avro nor ORC nor Parquet");
}

/// What a library may take to decode a file of this length: metadata compresses well, a forged length would ask for more.
int64_t DecodingLimit(int64_t file_length) { return (int64_t{64} << 20) + 256 * file_length; }

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenForeign(Container container,
                                                                     std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                                     arrow::MemoryPool* pool) {
  if (container == Container::kOrc) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::adapters::orc::ORCFileReader> reader,
                          arrow::adapters::orc::ORCFileReader::Open(file, pool));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Table> table, reader->Read());
    return std::make_shared<arrow::TableBatchReader>(std::move(table));
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<parquet::arrow::FileReader> reader, parquet::arrow::OpenFile(file, pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Table> table, reader->ReadTable());
  return std::make_shared<arrow::TableBatchReader>(std::move(table));
}

arrow::Status VisitForeign(Container container, std::shared_ptr<arrow::io::RandomAccessFile> file,
                           const std::vector<Field>& fields, const BatchVisitor& visit) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Schema> schema, ToArrowSchema(fields));
  ARROW_ASSIGN_OR_RAISE(const int64_t length, file->GetSize());
  arrow::ProxyMemoryPool counted(arrow::default_memory_pool());  // a capped pool looks at all that the pool below has given
  arrow::CappedMemoryPool pool(&counted, DecodingLimit(length));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> reader, OpenForeign(container, std::move(file), &pool));
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::StructArray> rows, batch->ToStructArray());
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> aligned, AlignArray(rows, arrow::struct_(schema->fields())));
    ARROW_RETURN_NOT_OK(
        visit(*arrow::RecordBatch::Make(schema, batch->num_rows(), static_cast<const arrow::StructArray&>(*aligned).fields())));
  }
}

arrow::Status VisitAvro(std::shared_ptr<arrow::io::RandomAccessFile> file, const std::string& path,
                        const std::vector<Field>& fields, const AvroHeadFilter* head_filter, const BatchVisitor& visit) {
  ARROW_ASSIGN_OR_RAISE(int64_t length, file->GetSize());
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<AvroFileReader> avro, AvroFileReader::Open(std::move(file), path, length));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> reader,
                        avro->Read(fields, kBatchRows, head_filter, arrow::default_memory_pool()));
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(visit(*batch));
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> AlignStruct(const arrow::StructArray& array,
                                                         const std::shared_ptr<arrow::DataType>& type) {
  std::vector<std::shared_ptr<arrow::Array>> children;
  for (const auto& field : type->fields()) {
    std::shared_ptr<arrow::Array> child = array.GetFieldByName(field->name());
    if (child == nullptr) {
      ARROW_ASSIGN_OR_RAISE(child, arrow::MakeArrayOfNull(field->type(), array.length()));
    } else {
      ARROW_ASSIGN_OR_RAISE(child, AlignArray(child, field->type()));
    }
    children.push_back(std::move(child));
  }
  return std::make_shared<arrow::StructArray>(type, array.length(), std::move(children), array.null_bitmap(),
                                              arrow::kUnknownNullCount, array.offset());
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> AlignArray(const std::shared_ptr<arrow::Array>& array,
                                                        const std::shared_ptr<arrow::DataType>& type) {
  if (array->type()->Equals(*type)) return array;
  if (array->type_id() == arrow::Type::STRUCT && type->id() == arrow::Type::STRUCT) {
    // A struct that is a slice would need its children sliced: concatenating copies is simpler, and slices are not made here.
    if (array->offset() != 0) return arrow::Status::NotImplemented("sliced struct array");
    return AlignStruct(static_cast<const arrow::StructArray&>(*array), type);
  }
  if (array->type_id() == arrow::Type::LIST && type->id() == arrow::Type::LIST) {
    const auto& list = static_cast<const arrow::ListArray&>(*array);
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> values, AlignArray(list.values(), type->field(0)->type()));
    return std::make_shared<arrow::ListArray>(type, list.length(), list.value_offsets(), std::move(values), list.null_bitmap(),
                                              arrow::kUnknownNullCount, list.offset());
  }
  static const arrow::Status initialized = arrow::compute::Initialize();
  ARROW_RETURN_NOT_OK(initialized);
  return arrow::compute::Cast(*array, type);
}

arrow::Status ReadMetadataFile(FileStore& store, const std::string& path, std::optional<int64_t> length,
                               const std::vector<Field>& fields, const AvroHeadFilter* head_filter, const BatchVisitor& visit) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::io::RandomAccessFile> file, store.OpenInput(path, length));
  ARROW_ASSIGN_OR_RAISE(Container container, DetectContainer(*file, path));
  if (container == Container::kAvro) return VisitAvro(std::move(file), path, fields, head_filter, visit);
  arrow::Status status;
  try {
    status = VisitForeign(container, std::move(file), fields, visit);
  } catch (const std::exception& error) {
    status = Corrupt(path, ": ", error.what());
  }
  if (status.ok() || KindOf(status) != ErrorKind::kUnknown) return status;
  return Corrupt(path, ": ", status.message());
}

}  // namespace bactrian
