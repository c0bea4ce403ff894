#include "bactrian/format/avro/avro_encoder.h"

#include <arrow/api.h>
#include <arrow/util/decimal.h>

#include <array>
#include <utility>

namespace bactrian {
namespace {

// ---- How one value of an array is written.

struct WriteBoolean {
  void operator()(const arrow::BooleanArray& array, int64_t row, AvroOutput& out) const { out.WriteBoolean(array.Value(row)); }
};
struct WriteInteger {
  template <typename Array>
  void operator()(const Array& array, int64_t row, AvroOutput& out) const {
    out.WriteLong(array.Value(row));
  }
};
struct WriteReal {
  template <typename Array>
  void operator()(const Array& array, int64_t row, AvroOutput& out) const {
    out.WriteFixedWidth(array.Value(row));
  }
};
struct WriteBytes {
  void operator()(const arrow::BinaryArray& array, int64_t row, AvroOutput& out) const { out.WriteBytes(array.GetView(row)); }
};
/// The unscaled number, big-endian, in as few bytes as hold it.
struct WriteDecimal {
  void operator()(const arrow::Decimal128Array& array, int64_t row, AvroOutput& out) const {
    const std::array<uint8_t, 16> little = arrow::Decimal128(array.GetValue(row)).ToBytes();
    size_t size = little.size();
    const uint8_t sign = (little[size - 1] & 0x80) != 0 ? 0xff : 0;
    while (size > 1 && little[size - 1] == sign && (little[size - 2] & 0x80) == (sign & 0x80)) --size;
    out.WriteLong(static_cast<int64_t>(size));
    while (size > 0) out.WriteRaw({reinterpret_cast<const char*>(&little[--size]), 1});
  }
};

// ---- Encoders

template <typename Array>
class BoundEncoder : public AvroEncoder {
 public:
  arrow::Status Bind(const arrow::Array& array) override {
    array_ = static_cast<const Array*>(&array);
    return arrow::Status::OK();
  }

 protected:
  bool IsNull(int64_t row) const override { return array_->IsNull(row); }
  const Array* array_ = nullptr;
};

template <typename Array, typename Write>
class ScalarEncoder final : public BoundEncoder<Array> {
 protected:
  arrow::Status EncodeValue(int64_t row, AvroOutput& out) override {
    Write()(*this->array_, row, out);
    return arrow::Status::OK();
  }
};

class RowEncoder final : public BoundEncoder<arrow::StructArray> {
 public:
  explicit RowEncoder(std::unique_ptr<AvroRecordEncoder> record) : record_(std::move(record)) {}
  arrow::Status Bind(const arrow::Array& array) override {
    ARROW_RETURN_NOT_OK(BoundEncoder::Bind(array));
    columns_ = array_->fields();
    return record_->Bind(columns_);
  }

 protected:
  arrow::Status EncodeValue(int64_t row, AvroOutput& out) override { return record_->Encode(row, out); }

 private:
  const std::unique_ptr<AvroRecordEncoder> record_;
  arrow::ArrayVector columns_;
};

/// An array, or a map as one of its entries: one block of items, then the empty block.
template <typename Array>
class ListEncoder final : public BoundEncoder<Array> {
 public:
  explicit ListEncoder(std::unique_ptr<AvroEncoder> item) : item_(std::move(item)) {}
  arrow::Status Bind(const arrow::Array& array) override {
    ARROW_RETURN_NOT_OK(BoundEncoder<Array>::Bind(array));
    items_ = this->array_->values();
    return item_->Bind(*items_);
  }

 protected:
  arrow::Status EncodeValue(int64_t row, AvroOutput& out) override {
    const int64_t begin = this->array_->value_offset(row);
    const int64_t count = this->array_->value_length(row);
    if (count > 0) out.WriteLong(count);
    for (int64_t i = begin; i < begin + count; ++i) ARROW_RETURN_NOT_OK(item_->Encode(i, out));
    out.WriteLong(0);
    return arrow::Status::OK();
  }

 private:
  const std::unique_ptr<AvroEncoder> item_;
  std::shared_ptr<arrow::Array> items_;
};

template <typename Array, typename Write>
std::unique_ptr<AvroEncoder> Scalar() {
  return std::make_unique<ScalarEncoder<Array, Write>>();
}

arrow::Result<std::unique_ptr<AvroEncoder>> MakeMapEncoder(const TypePtr& key, const TypePtr& value) {
  // A map's keys are plain strings in the file; those of an array of records are as nullable as their type.
  const TypePtr written_key = key->is_string() ? key->WithNullable(false) : key;
  const TypePtr written = DataType::Row({{.name = "key", .type = written_key}, {.name = "value", .type = value}}, false);
  ARROW_ASSIGN_OR_RAISE(auto entries, AvroEncoder::Make(*written));
  return std::make_unique<ListEncoder<arrow::MapArray>>(std::move(entries));
}

arrow::Result<std::unique_ptr<AvroEncoder>> MakeNotNull(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Scalar<arrow::BooleanArray, WriteBoolean>();
    case TypeRoot::kTinyint:
      return Scalar<arrow::Int8Array, WriteInteger>();
    case TypeRoot::kSmallint:
      return Scalar<arrow::Int16Array, WriteInteger>();
    case TypeRoot::kInt:
      return Scalar<arrow::Int32Array, WriteInteger>();
    case TypeRoot::kBigint:
      return Scalar<arrow::Int64Array, WriteInteger>();
    case TypeRoot::kFloat:
      return Scalar<arrow::FloatArray, WriteReal>();
    case TypeRoot::kDouble:
      return Scalar<arrow::DoubleArray, WriteReal>();
    case TypeRoot::kDate:
      return Scalar<arrow::Date32Array, WriteInteger>();
    case TypeRoot::kTime:
      return Scalar<arrow::Time32Array, WriteInteger>();
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return Scalar<arrow::TimestampArray, WriteInteger>();
    case TypeRoot::kDecimal:
      return Scalar<arrow::Decimal128Array, WriteDecimal>();
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return Scalar<arrow::BinaryArray, WriteBytes>();
    case TypeRoot::kArray: {
      ARROW_ASSIGN_OR_RAISE(auto item, AvroEncoder::Make(*type.children()[0]));
      return std::make_unique<ListEncoder<arrow::ListArray>>(std::move(item));
    }
    case TypeRoot::kVector: {
      ARROW_ASSIGN_OR_RAISE(auto item, AvroEncoder::Make(*type.children()[0]));
      return std::make_unique<ListEncoder<arrow::FixedSizeListArray>>(std::move(item));
    }
    case TypeRoot::kMap:
      return MakeMapEncoder(type.children()[0], type.children()[1]);
    case TypeRoot::kMultiset:
      return MakeMapEncoder(type.children()[0], DataType::Int());
    case TypeRoot::kRow: {
      ARROW_ASSIGN_OR_RAISE(auto record, AvroRecordEncoder::Make(type.fields()));
      return std::make_unique<RowEncoder>(std::move(record));
    }
    case TypeRoot::kVariant:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography:
      break;
  }
  return Unsupported(type.ToSqlString(), " in Avro files");
}

}  // namespace

arrow::Result<std::unique_ptr<AvroEncoder>> AvroEncoder::Make(const DataType& type) {
  ARROW_ASSIGN_OR_RAISE(auto encoder, MakeNotNull(type));
  encoder->nullable_ = type.nullable();
  return encoder;
}

arrow::Result<std::unique_ptr<AvroRecordEncoder>> AvroRecordEncoder::Make(const std::vector<Field>& fields) {
  auto result = std::make_unique<AvroRecordEncoder>();
  for (const Field& field : fields) {
    ARROW_ASSIGN_OR_RAISE(result->encoders_.emplace_back(), AvroEncoder::Make(*field.type));
    result->names_.push_back(field.name);
  }
  return result;
}

arrow::Status AvroRecordEncoder::Bind(const std::vector<std::shared_ptr<arrow::Array>>& columns) {
  for (size_t i = 0; i < encoders_.size(); ++i) ARROW_RETURN_NOT_OK(encoders_[i]->Bind(*columns[i]));
  return arrow::Status::OK();
}

arrow::Status AvroRecordEncoder::Encode(int64_t row, AvroOutput& out) {
  for (size_t i = 0; i < encoders_.size(); ++i) {
    arrow::Status status = encoders_[i]->Encode(row, out);
    if (!status.ok()) return status.WithMessage("column '", names_[i], "': ", status.message());
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
