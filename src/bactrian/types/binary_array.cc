#include "bactrian/types/binary_array.h"

#include <arrow/builder.h>

#include "bactrian/types/binary_cells.h"

namespace bactrian {
namespace {

/// The slots of one row or array. Well-formed variable parts are disjoint, so together they are no longer than the
/// whole; counting them keeps forged references from multiplying the work at each level.
class SlotReader {
 public:
  explicit SlotReader(std::string_view bytes) : bytes_(bytes), budget_(bytes.size()) {}

  std::string_view bytes() const { return bytes_; }
  arrow::Result<std::string_view> Bytes(const char* slot) { return Spend(SlotBytes(bytes_, slot)); }
  arrow::Result<std::string_view> Nested(const char* slot) { return Spend(SlotNested(bytes_, slot)); }

 private:
  arrow::Result<std::string_view> Spend(arrow::Result<std::string_view> part) {
    ARROW_RETURN_NOT_OK(part.status());
    if (part->size() > budget_) return Corrupt("binary array: values overlap");
    budget_ -= part->size();
    return part;
  }

  std::string_view bytes_;
  size_t budget_;
};

template <typename Builder, typename T>
arrow::Status Append(arrow::ArrayBuilder* builder, T value) {
  return static_cast<Builder*>(builder)->Append(value);
}

arrow::Status AppendTimestamp(const TimestampValue& value, const DataType& type, arrow::ArrayBuilder* builder) {
  ARROW_ASSIGN_OR_RAISE(const int64_t units, TimestampToUnits(value, UnitsPerMilli(type)));
  return Append<arrow::TimestampBuilder>(builder, units);
}

/// A non-null cell.
arrow::Status AppendCell(SlotReader* reader, const char* slot, const DataType& type, arrow::ArrayBuilder* builder) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Append<arrow::BooleanBuilder>(builder, slot[0] != 0);
    case TypeRoot::kTinyint:
      return Append<arrow::Int8Builder>(builder, LoadAs<int8_t>(slot));
    case TypeRoot::kSmallint:
      return Append<arrow::Int16Builder>(builder, LoadAs<int16_t>(slot));
    case TypeRoot::kInt:
      return Append<arrow::Int32Builder>(builder, LoadAs<int32_t>(slot));
    case TypeRoot::kDate:
      return Append<arrow::Date32Builder>(builder, LoadAs<int32_t>(slot));
    case TypeRoot::kTime:
      return Append<arrow::Time32Builder>(builder, LoadAs<int32_t>(slot));
    case TypeRoot::kBigint:
      return Append<arrow::Int64Builder>(builder, LoadAs<int64_t>(slot));
    case TypeRoot::kFloat:
      return Append<arrow::FloatBuilder>(builder, LoadAs<float>(slot));
    case TypeRoot::kDouble:
      return Append<arrow::DoubleBuilder>(builder, LoadAs<double>(slot));
    case TypeRoot::kDecimal: {
      ARROW_ASSIGN_OR_RAISE(const arrow::Decimal128 value, SlotDecimal(reader->bytes(), slot, IsCompact(type)));
      return Append<arrow::Decimal128Builder>(builder, value);
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      ARROW_ASSIGN_OR_RAISE(const TimestampValue value, SlotTimestamp(reader->bytes(), slot, IsMillis(type)));
      return AppendTimestamp(value, type, builder);
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography: {
      ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, reader->Bytes(slot));
      return Append<arrow::BinaryBuilder>(builder, bytes);
    }
    default: {
      ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, reader->Nested(slot));
      return AppendNested(bytes, type, builder);
    }
  }
}

arrow::Result<size_t> ReadLength(std::string_view bytes, std::string_view what) {
  if (bytes.size() < 4) return Corrupt(what, " of ", bytes.size(), " bytes");
  const auto length = LoadAs<int32_t>(bytes.data());
  if (length < 0) return Corrupt(what, " of length ", length);
  return static_cast<size_t>(length);
}

/// How many elements a BinaryArray has; its header and slots lie inside of the bytes.
arrow::Result<size_t> ArrayLength(std::string_view bytes, const DataType& element) {
  ARROW_ASSIGN_OR_RAISE(const size_t length, ReadLength(bytes, "binary array"));
  if (ArrayHeaderBytes(length) + ElementWidth(element) * length > bytes.size()) {
    return Corrupt("binary array: ", length, " elements do not fit into ", bytes.size(), " bytes");
  }
  return length;
}

arrow::Status AppendElements(std::string_view bytes, size_t length, const DataType& element, arrow::ArrayBuilder* builder) {
  SlotReader reader(bytes);
  const char* slot = bytes.data() + ArrayHeaderBytes(length);
  for (size_t i = 0; i < length; ++i, slot += ElementWidth(element)) {
    const bool is_null = (bytes[4 + i / 8] >> (i % 8)) & 1;
    ARROW_RETURN_NOT_OK(is_null ? builder->AppendNull() : AppendCell(&reader, slot, element, builder));
  }
  return arrow::Status::OK();
}

arrow::Status AppendArray(std::string_view bytes, const DataType& type, arrow::ListBuilder* builder) {
  ARROW_ASSIGN_OR_RAISE(const size_t length, ArrayLength(bytes, *type.children()[0]));
  ARROW_RETURN_NOT_OK(builder->Append());
  return AppendElements(bytes, length, *type.children()[0], builder->value_builder());
}

arrow::Status AppendMap(std::string_view bytes, const DataType& type, arrow::MapBuilder* builder) {
  static const TypePtr kCount = DataType::Int(/*nullable=*/false);
  const DataType& key = *type.children()[0];
  const DataType& value = type.root() == TypeRoot::kMap ? *type.children()[1] : *kCount;
  ARROW_ASSIGN_OR_RAISE(const size_t key_bytes, ReadLength(bytes, "binary map"));
  bytes.remove_prefix(4);
  if (key_bytes > bytes.size()) return Corrupt("binary map: ", key_bytes, " bytes of keys in ", bytes.size());
  const std::string_view keys = bytes.substr(0, key_bytes), values = bytes.substr(key_bytes);
  ARROW_ASSIGN_OR_RAISE(const size_t length, ArrayLength(keys, key));
  ARROW_ASSIGN_OR_RAISE(const size_t num_values, ArrayLength(values, value));
  if (length != num_values) return Corrupt("binary map: ", length, " keys and ", num_values, " values");
  for (size_t i = 0; i < length; ++i) {
    if ((keys[4 + i / 8] >> (i % 8)) & 1) return Corrupt("binary map: a null key");
  }
  ARROW_RETURN_NOT_OK(builder->Append());
  ARROW_RETURN_NOT_OK(AppendElements(keys, length, key, builder->key_builder()));
  return AppendElements(values, length, value, builder->item_builder());
}

arrow::Status AppendRow(std::string_view bytes, const DataType& type, arrow::StructBuilder* builder) {
  ARROW_ASSIGN_OR_RAISE(const BinaryRowView row, BinaryRowView::Make(bytes, static_cast<int>(type.fields().size())));
  SlotReader reader(bytes);
  ARROW_RETURN_NOT_OK(builder->Append());
  for (int i = 0; i < row.arity(); ++i) {
    const DataType& field = *type.fields()[static_cast<size_t>(i)].type;
    arrow::ArrayBuilder* child = builder->field_builder(i);
    ARROW_RETURN_NOT_OK(row.IsNullAt(i) ? child->AppendNull() : AppendCell(&reader, row.Slot(i), field, child));
  }
  return arrow::Status::OK();
}

arrow::Status AppendVector(std::string_view bytes, const DataType& type, arrow::FixedSizeListBuilder* builder) {
  const DataType& element = *type.children()[0];
  ARROW_ASSIGN_OR_RAISE(const size_t length, ReadLength(bytes, "vector"));
  if (length != static_cast<size_t>(type.length()) || 4 + ElementWidth(element) * length > bytes.size()) {
    return Corrupt("vector: ", length, " elements in ", bytes.size(), " bytes of ", type.ToSqlString());
  }
  ARROW_RETURN_NOT_OK(builder->Append());
  SlotReader reader(bytes);
  for (size_t i = 0; i < length; ++i) {
    ARROW_RETURN_NOT_OK(AppendCell(&reader, bytes.data() + 4 + ElementWidth(element) * i, element, builder->value_builder()));
  }
  return arrow::Status::OK();
}

arrow::Status AppendVariant(std::string_view bytes, arrow::StructBuilder* builder) {
  ARROW_ASSIGN_OR_RAISE(const size_t length, ReadLength(bytes, "variant"));
  bytes.remove_prefix(4);
  if (length > bytes.size()) return Corrupt("variant: a value of ", length, " bytes in ", bytes.size());
  ARROW_RETURN_NOT_OK(builder->Append());
  ARROW_RETURN_NOT_OK(Append<arrow::BinaryBuilder>(builder->field_builder(0), bytes.substr(0, length)));
  return Append<arrow::BinaryBuilder>(builder->field_builder(1), bytes.substr(length));
}

bool IsNestedHere(const DataType& type) { return type.is_nested() || type.root() == TypeRoot::kVariant; }

}  // namespace

arrow::Result<std::string> EncodeNested(const arrow::Array& array, int64_t i, const DataType& type) {
  if (!IsNestedHere(type)) return Invalid(type.ToSqlString(), " is not nested");
  ARROW_RETURN_NOT_OK(CheckArrowType(type, *array.type()));
  const size_t size = NestedBytes(type, array, i);
  if (size > kMaxRowBytes) return Invalid("a value of ", size, " bytes");
  std::string bytes(size, '\0');
  WriteNested(type, array, i, bytes.data());
  return bytes;
}

arrow::Status AppendNested(std::string_view bytes, const DataType& type, arrow::ArrayBuilder* builder) {
  switch (type.root()) {
    case TypeRoot::kArray:
      return AppendArray(bytes, type, static_cast<arrow::ListBuilder*>(builder));
    case TypeRoot::kVector:
      return AppendVector(bytes, type, static_cast<arrow::FixedSizeListBuilder*>(builder));
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
      return AppendMap(bytes, type, static_cast<arrow::MapBuilder*>(builder));
    case TypeRoot::kRow:
      return AppendRow(bytes, type, static_cast<arrow::StructBuilder*>(builder));
    case TypeRoot::kVariant:
      return AppendVariant(bytes, static_cast<arrow::StructBuilder*>(builder));
    default:
      return Invalid(type.ToSqlString(), " is not nested");
  }
}

arrow::Status AppendRowField(const BinaryRowView& row, int i, const DataType& type, arrow::ArrayBuilder* builder) {
  if (row.IsNullAt(i)) return builder->AppendNull();
  SlotReader reader(row.bytes());
  return AppendCell(&reader, row.Slot(i), type, builder);
}

}  // namespace bactrian
