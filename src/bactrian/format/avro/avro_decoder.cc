#include "bactrian/format/avro/avro_decoder.h"

#include <arrow/api.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace bactrian {
namespace {

// ---- Readers: one value of the writer's kind as the C type that a builder takes.

struct ReadBoolean {
  using Value = bool;
  arrow::Status operator()(AvroCursor& in, bool* value) const { return in.ReadBoolean(value); }
};

template <typename T>
struct ReadInteger {
  using Value = T;
  arrow::Status operator()(AvroCursor& in, T* value) const {
    int64_t wide;
    ARROW_RETURN_NOT_OK(in.ReadLong(&wide));
    if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) return Corrupt("the number ", wide);
    *value = static_cast<T>(wide);
    return arrow::Status::OK();
  }
};

/// `To` from the file's `From`, which is no wider.
template <typename To, typename From>
struct ReadReal {
  using Value = To;
  arrow::Status operator()(AvroCursor& in, To* value) const {
    From narrow;
    ARROW_RETURN_NOT_OK(in.ReadFixedWidth(&narrow));
    *value = narrow;
    return arrow::Status::OK();
  }
};

/// A time or timestamp in another unit: value * multiplier / divisor, rounded down.
template <typename T>
struct ReadScaled {
  using Value = T;
  int64_t multiplier = 1, divisor = 1;
  arrow::Status operator()(AvroCursor& in, T* value) const {
    int64_t raw, scaled;
    ARROW_RETURN_NOT_OK(in.ReadLong(&raw));
    if (__builtin_mul_overflow(raw, multiplier, &scaled)) return Corrupt("the time ", raw);
    int64_t quotient = scaled / divisor;
    if (scaled % divisor < 0) --quotient;
    if (quotient < std::numeric_limits<T>::min() || quotient > std::numeric_limits<T>::max()) return Corrupt("the time ", raw);
    *value = static_cast<T>(quotient);
    return arrow::Status::OK();
  }
};

/// The unscaled number, big-endian, in as few bytes as hold it (or more, or fixed).
struct ReadDecimal {
  using Value = arrow::Decimal128;
  int64_t fixed_size = -1;
  arrow::Status operator()(AvroCursor& in, arrow::Decimal128* value) const {
    std::string_view bytes;
    ARROW_RETURN_NOT_OK(fixed_size >= 0 ? in.ReadRaw(fixed_size, &bytes) : in.ReadBytes(&bytes));
    if (bytes.empty()) return Corrupt("a decimal without bytes");
    const char sign = static_cast<int8_t>(bytes[0]) < 0 ? '\xff' : '\0';
    while (bytes.size() > 16 && bytes[0] == sign) bytes.remove_prefix(1);
    auto parsed =
        arrow::Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int32_t>(bytes.size()));
    if (bytes.size() > 16 || !parsed.ok() || (*parsed < arrow::Decimal128(0)) != (sign != '\0')) {
      return Corrupt("a decimal of ", bytes.size(), " bytes");
    }
    *value = *parsed;
    return arrow::Status::OK();
  }
};

struct ReadBytes {
  using Value = std::string_view;
  int64_t fixed_size = -1;
  arrow::Status operator()(AvroCursor& in, std::string_view* value) const {
    return fixed_size >= 0 ? in.ReadRaw(fixed_size, value) : in.ReadBytes(value);
  }
};

// ---- Decoders

using TypeHandle = std::shared_ptr<arrow::DataType>;

template <typename Builder, typename Reader>
class ScalarDecoder final : public AvroDecoder {
 public:
  ScalarDecoder(const TypeHandle& type, Reader reader, arrow::MemoryPool* pool) : builder_(type, pool), reader_(reader) {}
  arrow::Status AppendNulls(int64_t count) override { return builder_.AppendNulls(count); }
  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override { return builder_.Finish(); }

 protected:
  arrow::Status DecodeValue(AvroCursor& in) override {
    typename Reader::Value value{};
    ARROW_RETURN_NOT_OK(reader_(in, &value));
    return builder_.Append(value);
  }

 private:
  Builder builder_;
  const Reader reader_;
};

/// Stands for a writer's type that holds nulls only.
class NullDecoder final : public AvroDecoder {
 public:
  NullDecoder(TypeHandle type, arrow::MemoryPool* pool) : type_(std::move(type)), pool_(pool) {}
  arrow::Status AppendNulls(int64_t count) override {
    length_ += count;
    return arrow::Status::OK();
  }
  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    return arrow::MakeArrayOfNull(type_, std::exchange(length_, 0), pool_);
  }

 protected:
  arrow::Status DecodeValue(AvroCursor&) override { return AppendNulls(1); }

 private:
  const TypeHandle type_;
  arrow::MemoryPool* const pool_;
  int64_t length_ = 0;
};

/// The validity of a nested column under construction.
class Validity {
 public:
  explicit Validity(arrow::MemoryPool* pool) : builder_(pool) {}
  arrow::Status Append(int64_t count, bool valid) { return builder_.Append(count, valid); }
  int64_t length() const { return builder_.length(); }
  /// Null where every value is valid.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Finish(int64_t* null_count) {
    *null_count = builder_.false_count();
    std::shared_ptr<arrow::Buffer> bits;
    ARROW_RETURN_NOT_OK(builder_.Finish(&bits));
    return *null_count == 0 ? nullptr : bits;
  }

 private:
  arrow::TypedBufferBuilder<bool> builder_;
};

class RowDecoder final : public AvroDecoder {
 public:
  RowDecoder(TypeHandle type, std::unique_ptr<AvroRecordDecoder> record, arrow::MemoryPool* pool)
      : type_(std::move(type)), record_(std::move(record)), validity_(pool) {}
  arrow::Status AppendNulls(int64_t count) override {
    ARROW_RETURN_NOT_OK(record_->AppendNulls(count));
    return validity_.Append(count, false);
  }
  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    const int64_t length = validity_.length();
    int64_t null_count;
    ARROW_ASSIGN_OR_RAISE(auto bits, validity_.Finish(&null_count));
    ARROW_ASSIGN_OR_RAISE(auto children, record_->Finish());
    return std::make_shared<arrow::StructArray>(type_, length, std::move(children), std::move(bits), null_count);
  }
  int64_t null_bytes() const override { return record_->null_bytes(); }

 protected:
  arrow::Status DecodeValue(AvroCursor& in) override {
    ARROW_RETURN_NOT_OK(record_->Decode(in));
    return validity_.Append(1, true);
  }

 private:
  const TypeHandle type_;
  const std::unique_ptr<AvroRecordDecoder> record_;
  Validity validity_;
};

/// Arrays and maps: both are blocks of items, a map's item being a record of key and value.
class ListDecoder final : public AvroDecoder {
 public:
  ListDecoder(TypeHandle type, std::unique_ptr<AvroDecoder> item, int64_t item_bytes, arrow::MemoryPool* pool)
      : type_(std::move(type)), item_(std::move(item)), item_bytes_(item_bytes), validity_(pool), ends_(pool) {}

  arrow::Status AppendNulls(int64_t count) override {
    ARROW_RETURN_NOT_OK(validity_.Append(count, false));
    return ends_.Append(count, num_items_);
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    const int64_t length = validity_.length();
    int64_t null_count;
    ARROW_ASSIGN_OR_RAISE(auto bits, validity_.Finish(&null_count));
    ARROW_ASSIGN_OR_RAISE(auto offsets, FinishOffsets());
    ARROW_ASSIGN_OR_RAISE(auto items, item_->Finish());
    num_items_ = 0;
    if (type_->id() == arrow::Type::MAP && items->data()->child_data[0]->GetNullCount() > 0)
      return Corrupt("a null key in a map");
    return arrow::MakeArray(
        arrow::ArrayData::Make(type_, length, {std::move(bits), std::move(offsets)}, {items->data()}, null_count));
  }

 protected:
  arrow::Status DecodeValue(AvroCursor& in) override {
    for (;;) {
      int64_t count = 0, block_bytes = 0;
      ARROW_RETURN_NOT_OK(in.ReadItemCount(item_bytes_, &count, &block_bytes));
      if (count == 0) break;
      if (count > std::numeric_limits<int32_t>::max() - num_items_) return Corrupt("more than 2^31 items in a batch");
      for (int64_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(item_->Decode(in));
      num_items_ += static_cast<int32_t>(count);
    }
    ARROW_RETURN_NOT_OK(validity_.Append(1, true));
    return ends_.Append(num_items_);
  }

 private:
  arrow::Result<std::shared_ptr<arrow::Buffer>> FinishOffsets() {
    arrow::TypedBufferBuilder<int32_t> offsets;
    ARROW_RETURN_NOT_OK(offsets.Reserve(ends_.length() + 1));
    offsets.UnsafeAppend(0);
    offsets.UnsafeAppend(ends_.data(), ends_.length());
    ends_.Reset();
    return offsets.Finish();
  }

  const TypeHandle type_;
  const std::unique_ptr<AvroDecoder> item_;
  const int64_t item_bytes_;
  Validity validity_;
  arrow::TypedBufferBuilder<int32_t> ends_;
  int32_t num_items_ = 0;
};

/// VECTOR: an array that must have the type's number of items.
class VectorDecoder final : public AvroDecoder {
 public:
  VectorDecoder(TypeHandle type, int32_t length, std::unique_ptr<AvroDecoder> item, arrow::MemoryPool* pool)
      : type_(std::move(type)), length_(length), item_(std::move(item)), validity_(pool) {}
  arrow::Status AppendNulls(int64_t count) override {
    ARROW_RETURN_NOT_OK(item_->AppendNulls(count * length_));
    return validity_.Append(count, false);
  }
  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    const int64_t length = validity_.length();
    int64_t null_count;
    ARROW_ASSIGN_OR_RAISE(auto bits, validity_.Finish(&null_count));
    ARROW_ASSIGN_OR_RAISE(auto items, item_->Finish());
    return std::make_shared<arrow::FixedSizeListArray>(type_, length, std::move(items), std::move(bits), null_count);
  }
  int64_t null_bytes() const override { return int64_t{8} * length_; }

 protected:
  arrow::Status DecodeValue(AvroCursor& in) override {
    int64_t decoded = 0;
    for (;;) {
      int64_t count = 0, block_bytes = 0;
      ARROW_RETURN_NOT_OK(in.ReadItemCount(1, &count, &block_bytes));
      if (count == 0) break;
      decoded += count;
      if (decoded > length_) break;
      for (int64_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(item_->Decode(in));
    }
    if (decoded != length_) return Corrupt("a vector of ", decoded, " elements instead of ", length_);
    return validity_.Append(1, true);
  }

 private:
  const TypeHandle type_;
  const int32_t length_;
  const std::unique_ptr<AvroDecoder> item_;
  Validity validity_;
};

// ---- Compilation

using DecoderResult = arrow::Result<std::unique_ptr<AvroDecoder>>;

arrow::Status Mismatch(const AvroNode& node, const DataType& type) {
  return Corrupt("Avro ", AvroKindName(node.kind), " where the schema has ", type.ToSqlString());
}

class DecoderMaker {
 public:
  DecoderMaker(const AvroNode& node, const DataType& type, TypeHandle arrow_type, bool string_views, arrow::MemoryPool* pool)
      : node_(node), type_(type), arrow_type_(std::move(arrow_type)), string_views_(string_views), pool_(pool) {}

  DecoderResult Make() const {
    switch (type_.root()) {
      case TypeRoot::kBoolean:
        return Boolean();
      case TypeRoot::kTinyint:
        return Integer<arrow::Int8Builder, int8_t>();
      case TypeRoot::kSmallint:
        return Integer<arrow::Int16Builder, int16_t>();
      case TypeRoot::kInt:
        return Integer<arrow::Int32Builder, int32_t>();
      case TypeRoot::kBigint:
        return Integer<arrow::Int64Builder, int64_t>();
      case TypeRoot::kDate:
        return Integer<arrow::Date32Builder, int32_t>();
      case TypeRoot::kFloat:
        return Float();
      case TypeRoot::kDouble:
        return Double();
      case TypeRoot::kTime:
        return Time();
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        return Timestamp();
      case TypeRoot::kDecimal:
        return Decimal();
      case TypeRoot::kChar:
      case TypeRoot::kVarchar:
        return Text<arrow::StringBuilder, arrow::StringViewBuilder>();
      case TypeRoot::kBinary:
      case TypeRoot::kVarbinary:
      case TypeRoot::kBlob:
      case TypeRoot::kGeometry:
      case TypeRoot::kGeography:
        return Text<arrow::BinaryBuilder, arrow::BinaryViewBuilder>();
      case TypeRoot::kRow:
        return Row();
      case TypeRoot::kArray:
        return Array();
      case TypeRoot::kVector:
        return Vector();
      case TypeRoot::kMap:
      case TypeRoot::kMultiset:
        return Map();
      case TypeRoot::kVariant:
        break;
    }
    return Unsupported(type_.ToSqlString(), " in Avro files");
  }

 private:
  bool Is(AvroKind kind) const { return node_.kind == kind; }
  bool IsInteger() const { return Is(AvroKind::kInt) || Is(AvroKind::kLong); }

  template <typename Builder, typename Reader>
  std::unique_ptr<AvroDecoder> Scalar(Reader reader) const {
    return std::make_unique<ScalarDecoder<Builder, Reader>>(arrow_type_, reader, pool_);
  }

  template <typename Builder, typename T>
  DecoderResult Integer() const {
    if (!IsInteger()) return Mismatch(node_, type_);
    return Scalar<Builder>(ReadInteger<T>{});
  }

  DecoderResult Boolean() const {
    if (!Is(AvroKind::kBoolean)) return Mismatch(node_, type_);
    return Scalar<arrow::BooleanBuilder>(ReadBoolean{});
  }

  DecoderResult Float() const {
    if (!Is(AvroKind::kFloat)) return Mismatch(node_, type_);
    return Scalar<arrow::FloatBuilder>(ReadReal<float, float>{});
  }

  DecoderResult Double() const {
    if (Is(AvroKind::kFloat)) return Scalar<arrow::DoubleBuilder>(ReadReal<double, float>{});
    if (!Is(AvroKind::kDouble)) return Mismatch(node_, type_);
    return Scalar<arrow::DoubleBuilder>(ReadReal<double, double>{});
  }

  DecoderResult Time() const {
    if (!IsInteger()) return Mismatch(node_, type_);
    ReadScaled<int32_t> reader;
    if (node_.logical_type == AvroLogicalType::kTimeMicros) reader.divisor = 1000;
    return Scalar<arrow::Time32Builder>(reader);
  }

  DecoderResult Timestamp() const {
    if (!IsInteger()) return Mismatch(node_, type_);
    const arrow::TimeUnit::type unit = static_cast<const arrow::TimestampType&>(*arrow_type_).unit();
    const int64_t wanted = UnitsPerSecond(unit);
    int64_t written = wanted;  // a plain long is in the unit of the type
    if (node_.logical_type == AvroLogicalType::kTimestampMillis) written = UnitsPerSecond(arrow::TimeUnit::MILLI);
    if (node_.logical_type == AvroLogicalType::kTimestampMicros) written = UnitsPerSecond(arrow::TimeUnit::MICRO);
    if (node_.logical_type == AvroLogicalType::kTimestampNanos) written = UnitsPerSecond(arrow::TimeUnit::NANO);
    ReadScaled<int64_t> reader;
    reader.multiplier = std::max<int64_t>(wanted / written, 1);
    reader.divisor = std::max<int64_t>(written / wanted, 1);
    return Scalar<arrow::TimestampBuilder>(reader);
  }

  static int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
    switch (unit) {
      case arrow::TimeUnit::SECOND:
        return 1;
      case arrow::TimeUnit::MILLI:
        return 1000;
      case arrow::TimeUnit::MICRO:
        return 1000000;
      case arrow::TimeUnit::NANO:
        return 1000000000;
    }
    return 1;
  }

  DecoderResult Decimal() const {
    if (!Is(AvroKind::kBytes) && !Is(AvroKind::kFixed)) return Mismatch(node_, type_);
    if (node_.logical_type == AvroLogicalType::kDecimal && node_.scale != type_.scale()) {
      return Corrupt("an Avro decimal of scale ", node_.scale, " where the schema has ", type_.ToSqlString());
    }
    return Scalar<arrow::Decimal128Builder>(ReadDecimal{FixedSize()});
  }

  template <typename Builder, typename ViewBuilder>
  DecoderResult Text() const {
    if (!Is(AvroKind::kString) && !Is(AvroKind::kBytes) && !Is(AvroKind::kFixed)) return Mismatch(node_, type_);
    const ReadBytes reader{FixedSize()};
    if (string_views_) return Scalar<ViewBuilder>(reader);
    return Scalar<Builder>(reader);
  }

  int64_t FixedSize() const { return Is(AvroKind::kFixed) ? node_.fixed_size : -1; }

  DecoderResult Row() const {
    if (!Is(AvroKind::kRecord)) return Mismatch(node_, type_);
    ARROW_ASSIGN_OR_RAISE(auto record, AvroRecordDecoder::Make(node_, type_.fields(), false, pool_));
    return std::make_unique<RowDecoder>(arrow_type_, std::move(record), pool_);
  }

  DecoderResult Array() const {
    if (!Is(AvroKind::kArray)) return Mismatch(node_, type_);
    ARROW_ASSIGN_OR_RAISE(auto item, AvroDecoder::Make(*node_.children[0], *type_.children()[0], false, pool_));
    return std::make_unique<ListDecoder>(arrow_type_, std::move(item), node_.children[0]->min_bytes, pool_);
  }

  DecoderResult Vector() const {
    if (!Is(AvroKind::kArray)) return Mismatch(node_, type_);
    ARROW_ASSIGN_OR_RAISE(auto item, AvroDecoder::Make(*node_.children[0], *type_.children()[0], false, pool_));
    return std::make_unique<VectorDecoder>(arrow_type_, type_.length(), std::move(item), pool_);
  }

  /// An Avro map, or an array of records of key and value (for keys other than strings).
  DecoderResult Map() const {
    if (!Is(AvroKind::kMap) && !Is(AvroKind::kArray)) return Mismatch(node_, type_);
    const bool is_multiset = type_.root() == TypeRoot::kMultiset;
    const TypePtr value_type = is_multiset ? DataType::Int(false) : type_.children()[1];
    const std::vector<Field> entry = {{.name = "key", .type = type_.children()[0]}, {.name = "value", .type = value_type}};
    const AvroNode& item = *node_.children[0];
    if (item.kind != AvroKind::kRecord) return Mismatch(node_, type_);
    ARROW_ASSIGN_OR_RAISE(auto record, AvroRecordDecoder::Make(item, entry, false, pool_));
    const TypeHandle& entries_type = arrow_type_->field(0)->type();
    auto entries = std::make_unique<RowDecoder>(entries_type, std::move(record), pool_);
    return std::make_unique<ListDecoder>(arrow_type_, std::move(entries), item.min_bytes, pool_);
  }

  const AvroNode& node_;
  const DataType& type_;
  const TypeHandle arrow_type_;
  const bool string_views_;
  arrow::MemoryPool* const pool_;
};

TypeHandle ViewTypeOf(const TypeHandle& type) {
  if (type->id() == arrow::Type::STRING) return arrow::utf8_view();
  if (type->id() == arrow::Type::BINARY) return arrow::binary_view();
  return type;
}

}  // namespace

arrow::Result<std::unique_ptr<AvroDecoder>> AvroDecoder::Make(const AvroNode& writer, const DataType& type, bool string_views,
                                                              arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const AvroNullable nullable, ResolveNullable(writer));
  ARROW_ASSIGN_OR_RAISE(TypeHandle arrow_type, ToArrowType(type));
  if (string_views) arrow_type = ViewTypeOf(arrow_type);
  std::unique_ptr<AvroDecoder> decoder;
  if (nullable.value == nullptr) {
    decoder = std::make_unique<NullDecoder>(arrow_type, pool);
  } else {
    ARROW_ASSIGN_OR_RAISE(decoder, DecoderMaker(*nullable.value, type, arrow_type, string_views, pool).Make());
  }
  decoder->null_branch_ = nullable.null_branch;
  decoder->value_branch_ = nullable.value_branch;
  return decoder;
}

arrow::Result<std::unique_ptr<AvroRecordDecoder>> AvroRecordDecoder::Make(const AvroNode& record,
                                                                          const std::vector<Field>& fields, bool string_views,
                                                                          arrow::MemoryPool* pool) {
  static const AvroNode kNull;
  auto result = std::make_unique<AvroRecordDecoder>();
  for (size_t i = 0; i < record.children.size(); ++i) {
    if (record.children[i]->min_bytes > 0) result->steps_.push_back({nullptr, record.children[i].get(), record.names[i]});
  }
  for (const Field& field : fields) {
    const auto step =
        std::find_if(result->steps_.begin(), result->steps_.end(), [&](const Step& s) { return s.name == field.name; });
    const bool found = step != result->steps_.end();
    if (found && step->decoder != nullptr) {
      const auto same = std::find_if(result->decoders_.begin(), result->decoders_.end(),
                                     [&](const auto& decoder) { return decoder.get() == step->decoder; });
      result->decoder_of_field_.push_back(static_cast<size_t>(same - result->decoders_.begin()));
      continue;
    }
    auto decoder = AvroDecoder::Make(found ? *step->skip : kNull, *field.type, string_views, pool);
    if (!decoder.ok()) return decoder.status().WithMessage("field '", field.name, "': ", decoder.status().message());
    result->decoder_of_field_.push_back(result->decoders_.size());
    result->decoders_.push_back(*std::move(decoder));
    if (found) {
      step->decoder = result->decoders_.back().get();
    } else {
      result->missing_.push_back(result->decoders_.back().get());
    }
  }
  return result;
}

arrow::Status AvroRecordDecoder::Decode(AvroCursor& in) {
  for (const Step& step : steps_) {
    arrow::Status status = step.decoder != nullptr ? step.decoder->Decode(in) : SkipAvroValue(*step.skip, in);
    if (!status.ok()) return status.WithMessage("field '", step.name, "': ", status.message());
  }
  for (AvroDecoder* decoder : missing_) ARROW_RETURN_NOT_OK(decoder->AppendNulls(1));
  return arrow::Status::OK();
}

arrow::Status AvroRecordDecoder::AppendNulls(int64_t count) {
  for (const auto& decoder : decoders_) ARROW_RETURN_NOT_OK(decoder->AppendNulls(count));
  return arrow::Status::OK();
}

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> AvroRecordDecoder::Finish() {
  std::vector<std::shared_ptr<arrow::Array>> arrays, columns;
  for (const auto& decoder : decoders_) {
    ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(), decoder->Finish());
  }
  for (size_t index : decoder_of_field_) columns.push_back(arrays[index]);
  return columns;
}

int64_t AvroRecordDecoder::null_bytes() const {
  int64_t total = 0;
  for (const auto& decoder : decoders_) total += decoder->null_bytes();
  return total;
}

}  // namespace bactrian
