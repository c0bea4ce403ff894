#include "arrow_conversion.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "duckdb/common/arrow/arrow_converter.hpp"
#include "duckdb/common/exception/conversion_exception.hpp"
#include "duckdb/function/table/arrow/arrow_duck_schema.hpp"
#include "errors.h"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

/// The Arrow type that DuckDB takes as ToLogicalType has it: times of all precisions up to 6 are microseconds there.
std::shared_ptr<arrow::DataType> ToSqlArrowType(const std::shared_ptr<arrow::DataType>& type) {
  const auto convert_field = [](const std::shared_ptr<arrow::Field>& field) {
    return field->WithType(ToSqlArrowType(field->type()));
  };
  switch (type->id()) {
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(*type);
      if (timestamp.unit() == arrow::TimeUnit::NANO && timestamp.timezone().empty()) return type;
      return arrow::timestamp(arrow::TimeUnit::MICRO, timestamp.timezone());
    }
    case arrow::Type::LIST:
      return arrow::list(convert_field(type->field(0)));
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(convert_field(type->field(0)),
                                    static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(convert_field(map.key_field()), convert_field(map.item_field()));
    }
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (const auto& field : type->fields()) fields.push_back(convert_field(field));
      return arrow::struct_(std::move(fields));
    }
    default:
      return type;
  }
}

/// Rounds values towards the past to multiples of `unit`. `array` has 64-bit values.
std::shared_ptr<arrow::Array> Truncate(const arrow::Array& array, int64_t unit) {
  const arrow::ArrayData& data = *array.data();
  std::shared_ptr<arrow::Buffer> buffer = ValueOrThrow(arrow::AllocateBuffer((data.offset + data.length) * sizeof(int64_t)));
  const auto* from = data.GetValues<int64_t>(1);
  auto* to = reinterpret_cast<int64_t*>(buffer->mutable_data()) + data.offset;
  for (int64_t i = 0; i < data.length; ++i) {
    const int64_t rest = from[i] % unit;
    to[i] = from[i] - (rest < 0 ? rest + unit : rest);
  }
  std::shared_ptr<arrow::ArrayData> result = data.Copy();
  result->buffers[1] = std::move(buffer);
  return arrow::MakeArray(result);
}

/// Units of DuckDB's TIME or TIMESTAMP (microseconds, or nanoseconds) in the column's smallest step; 1: nothing to cut.
int64_t TruncationUnit(const DataType& type) {
  if (type.root() == TypeRoot::kTime) return 1000;  // stored as milliseconds whatever the precision
  if (!type.is_timestamp()) return 1;
  const int digits = type.root() == TypeRoot::kTimestamp && type.precision() > 6 ? 9 : 6;
  int64_t unit = 1;
  for (int i = type.precision(); i < digits; ++i) unit *= 10;
  return unit;
}

}  // namespace

ArrowChunkSource::ArrowChunkSource(duckdb::ClientContext& context, std::shared_ptr<arrow::RecordBatchReader> reader,
                                   std::vector<Field> fields)
    : context_(context), reader_(std::move(reader)), fields_(std::move(fields)) {
  arrow::FieldVector sql_fields;
  for (int i = 0; i < reader_->schema()->num_fields(); ++i) {
    const auto& field = reader_->schema()->field(i);
    const bool is_variant = fields_[i].type->root() == TypeRoot::kVariant;
    variants_.push_back(is_variant ? VariantConversion::FromBytes(context_) : nullptr);
    sql_fields.push_back(field->WithType(is_variant ? arrow::binary() : ToSqlArrowType(field->type())));
  }
  sql_schema_ = arrow::schema(std::move(sql_fields));
  duckdb::ArrowSchemaWrapper exported;
  CheckOk(arrow::ExportSchema(*sql_schema_, &exported.arrow_schema));
  duckdb::ArrowTableFunction::PopulateArrowTableSchema(context_, schema_, exported.arrow_schema);
  for (size_t i = 0; i < fields_.size(); ++i) states_.push_back(duckdb::make_uniq<duckdb::ArrowArrayScanState>(context_));
}

bool ArrowChunkSource::LoadBatch() {
  std::shared_ptr<arrow::RecordBatch> batch;
  do {
    CheckOk(reader_->ReadNext(&batch));
    if (batch == nullptr) return false;
  } while (batch->num_rows() == 0);
  arrow::ArrayVector columns = batch->columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto& sql_type = sql_schema_->field(static_cast<int>(i))->type();
    if (columns[i]->type()->Equals(*sql_type)) continue;
    if (variants_[i]) {
      columns[i] = JoinVariants(static_cast<const arrow::StructArray&>(*columns[i]));
      continue;
    }
    arrow::Result<std::shared_ptr<arrow::Array>> cast = arrow::compute::Cast(*columns[i], sql_type);
    if (!cast.ok()) {
      throw duckdb::ConversionException("column \"" + fields_[i].name + "\": SQL cannot hold a value of " +
                                        fields_[i].type->ToSqlString() + " (" + cast.status().message() + ")");
    }
    columns[i] = *cast;
  }
  auto wrapper = duckdb::make_shared_ptr<duckdb::ArrowArrayWrapper>();
  CheckOk(arrow::ExportRecordBatch(*arrow::RecordBatch::Make(sql_schema_, batch->num_rows(), std::move(columns)),
                                   &wrapper->arrow_array));
  for (auto& state : states_) state->Reset();
  batch_ = std::move(wrapper);
  offset_ = 0;
  return true;
}

bool ArrowChunkSource::Next(duckdb::DataChunk& chunk, const std::vector<duckdb::idx_t>& targets) {
  if (batch_ == nullptr || offset_ >= static_cast<duckdb::idx_t>(batch_->arrow_array.length)) {
    if (!LoadBatch()) return false;
  }
  const duckdb::idx_t rows = std::min<duckdb::idx_t>(STANDARD_VECTOR_SIZE, batch_->arrow_array.length - offset_);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!variants_[i]) {
      FillColumn(i, rows, chunk.data[targets[i]]);
      continue;
    }
    duckdb::DataChunk bytes;
    bytes.Initialize(context_, {duckdb::LogicalType::BLOB});
    FillColumn(i, rows, bytes.data[0]);
    SetSize(bytes, rows);
    variants_[i]->Convert(bytes.data[0], rows, chunk.data[targets[i]]);
  }
  SetSize(chunk, rows);
  offset_ += rows;
  return true;
}

void ArrowChunkSource::FillColumn(size_t i, duckdb::idx_t rows, duckdb::Vector& vector) {
  ArrowArray& array = *batch_->arrow_array.children[i];
  states_[i]->owned_data = batch_;  // lets the vector share the batch's buffers
  duckdb::ArrowToDuckDBConversion::SetValidityMask(vector, array, offset_, rows, batch_->arrow_array.offset, -1);
  duckdb::ArrowToDuckDBConversion::ColumnArrowToDuckDB(vector, array, offset_, *states_[i], rows, *schema_.GetColumns().at(i));
}

ArrowBatchBuilder::ArrowBatchBuilder(duckdb::ClientContext& context, const std::vector<Field>& fields)
    : fields_(fields), context_(context), properties_(context.GetClientProperties()) {
  properties_.time_zone = "UTC";
  properties_.arrow_offset_size = duckdb::ArrowOffsetSize::REGULAR;
  properties_.arrow_use_list_view = false;
  properties_.produce_arrow_string_view = false;
  properties_.arrow_lossless_conversion = false;
  properties_.arrow_output_version = duckdb::ArrowFormatVersion::V1_0;
  duckdb::vector<duckdb::string> names;
  for (const Field& field : fields) {
    const bool is_variant = field.type->root() == TypeRoot::kVariant;
    variants_.push_back(is_variant ? VariantConversion::ToBytes(context) : nullptr);
    types_.push_back(is_variant ? variants_.back()->result_type() : ValueOrThrow(ToLogicalType(*field.type)));
    names.push_back(field.name);
  }
  duckdb::ArrowSchemaWrapper exported;
  duckdb::ArrowConverter::ToArrowSchema(&exported.arrow_schema, types_, names, properties_);
  schema_ = ValueOrThrow(arrow::ImportSchema(&exported.arrow_schema));
}

ArrowBatchBuilder::~ArrowBatchBuilder() = default;

void ArrowBatchBuilder::Append(duckdb::DataChunk& chunk) {
  if (appender_ == nullptr) {
    appender_ = duckdb::make_uniq<duckdb::ArrowAppender>(
        types_, STANDARD_VECTOR_SIZE, properties_,
        duckdb::ArrowTypeExtensionData::GetExtensionTypes(*properties_.client_context, types_));
  }
  if (std::any_of(variants_.begin(), variants_.end(), [](const auto& variant) { return variant != nullptr; })) {
    AppendConverted(chunk);
  } else {
    appender_->Append(chunk, 0, chunk.size(), chunk.size());
  }
}

void ArrowBatchBuilder::AppendConverted(duckdb::DataChunk& chunk) {
  duckdb::DataChunk converted;
  converted.Initialize(context_, types_);
  for (size_t i = 0; i < variants_.size(); ++i) {
    if (variants_[i]) {
      variants_[i]->Convert(chunk.data[i], chunk.size(), converted.data[i]);
    } else {
      converted.data[i].Reference(chunk.data[i]);
    }
  }
  converted.SetCardinalityUnsafe(chunk.size());
  appender_->Append(converted, 0, chunk.size(), chunk.size());
}

int64_t ArrowBatchBuilder::num_rows() const { return appender_ == nullptr ? 0 : static_cast<int64_t>(appender_->RowCount()); }

std::shared_ptr<arrow::RecordBatch> ArrowBatchBuilder::Finish() {
  if (num_rows() == 0) return nullptr;
  ArrowArray array = appender_->Finalize();
  appender_ = nullptr;
  std::shared_ptr<arrow::RecordBatch> batch = ValueOrThrow(arrow::ImportRecordBatch(&array, schema_));
  for (int i = 0; i < batch->num_columns(); ++i) {
    if (variants_[static_cast<size_t>(i)]) {
      const auto variants = SwapVariants(static_cast<const arrow::StructArray&>(*batch->column(i)));
      batch = ValueOrThrow(batch->SetColumn(i, schema_->field(i)->WithType(variants->type()), variants));
    }
    const int64_t unit = TruncationUnit(*fields_[static_cast<size_t>(i)].type);
    if (unit > 1) batch = ValueOrThrow(batch->SetColumn(i, schema_->field(i), Truncate(*batch->column(i), unit)));
  }
  return batch;
}

}  // namespace bactrian::sql
