#include "bactrian/meta/batch_builder.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
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
arrow::Status StructAppender::Bool(std::optional<bool> value) { return AppendOptional(Next<arrow::BooleanBuilder>(), value); }
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

BatchBuilder::BatchBuilder() = default;
BatchBuilder::~BatchBuilder() = default;
BatchBuilder::BatchBuilder(BatchBuilder&&) noexcept = default;
BatchBuilder& BatchBuilder::operator=(BatchBuilder&&) noexcept = default;

arrow::Result<BatchBuilder> BatchBuilder::Make(const std::vector<Field>& fields, arrow::MemoryPool* pool) {
  BatchBuilder rows;
  ARROW_ASSIGN_OR_RAISE(rows.schema_, ToArrowSchema(fields));
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(pool != nullptr ? pool : arrow::default_memory_pool(),
                                         arrow::struct_(rows.schema_->fields()), &builder));
  rows.rows_.reset(static_cast<arrow::StructBuilder*>(builder.release()));
  return rows;
}

StructAppender BatchBuilder::NewRow() {
  static_cast<void>(rows_->Append().ok());  // as in Struct()
  return StructAppender(rows_.get());
}

int64_t BatchBuilder::num_rows() const { return rows_->length(); }

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchBuilder::Finish() {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> rows, rows_->Finish());
  return arrow::RecordBatch::Make(schema_, rows->length(), static_cast<const arrow::StructArray&>(*rows).fields());
}

}  // namespace bactrian
