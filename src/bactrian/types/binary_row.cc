#include "bactrian/types/binary_row.h"

#include "bactrian/base/hash.h"
#include "bactrian/types/binary_layout.h"

namespace bactrian {
namespace {

constexpr size_t kArityBytes = 4;

arrow::Status WrongKind(const DataType& type) { return Invalid("the value is none of ", type.ToSqlString()); }

/// What the value adds to the variable part.
size_t VariableBytes(const DataType& type, const Value& value) {
  if (const auto* bytes = std::get_if<std::string>(&value)) {
    return bytes->size() > kMaxInlineBytes ? PaddedTo8(bytes->size()) : 0;
  }
  return ReservedBytes(type);
}

template <typename Int>
arrow::Status PutInteger(const DataType& type, const Value& value, char* slot) {
  const auto* v = std::get_if<int64_t>(&value);
  if (v == nullptr) return WrongKind(type);
  if (*v != static_cast<Int>(*v)) return Invalid(*v, " is out of range for ", type.ToSqlString());
  Store(slot, static_cast<Int>(*v));
  return arrow::Status::OK();
}

arrow::Status PutValue(const DataType& type, const Value& value, char* slot, SlotWriter* writer) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      if (const auto* v = std::get_if<bool>(&value)) return Store(slot, *v), arrow::Status::OK();
      break;
    case TypeRoot::kTinyint:
      return PutInteger<int8_t>(type, value, slot);
    case TypeRoot::kSmallint:
      return PutInteger<int16_t>(type, value, slot);
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return PutInteger<int32_t>(type, value, slot);
    case TypeRoot::kBigint:
      return PutInteger<int64_t>(type, value, slot);
    case TypeRoot::kFloat:
      if (const auto* v = std::get_if<float>(&value)) return Store(slot, *v), arrow::Status::OK();
      break;
    case TypeRoot::kDouble:
      if (const auto* v = std::get_if<double>(&value)) return Store(slot, *v), arrow::Status::OK();
      break;
    case TypeRoot::kDecimal:
      if (const auto* v = std::get_if<arrow::Decimal128>(&value)) {
        // The reference itself stores aggregates that have outgrown their precision.
        const bool fits = !IsCompact(type) || *v == arrow::Decimal128(static_cast<int64_t>(v->low_bits()));
        if (!fits) return Invalid(v->ToString(type.scale()), " is out of range for ", type.ToSqlString());
        return writer->PutDecimal(slot, *v, IsCompact(type)), arrow::Status::OK();
      }
      break;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      if (const auto* v = std::get_if<TimestampValue>(&value)) {
        return writer->PutTimestamp(slot, *v, IsMillis(type)), arrow::Status::OK();
      }
      break;
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography:
      if (const auto* v = std::get_if<std::string>(&value)) return writer->PutBytes(slot, *v), arrow::Status::OK();
      break;
    default:
      return Unsupported("a value of ", type.ToSqlString(), " in a row of atomic values");
  }
  return WrongKind(type);
}

}  // namespace

arrow::Result<std::string> EncodeBinaryRow(std::span<const TypePtr> types, std::span<const Value> values) {
  if (types.size() != values.size()) return Invalid(values.size(), " values for ", types.size(), " types");
  size_t size = RowFixedBytes(types.size());
  for (size_t i = 0; i < types.size(); ++i) size += VariableBytes(*types[i], values[i]);
  if (size > kMaxRowBytes) return Invalid("a row of ", size, " bytes");
  std::string row(size, '\0');
  SlotWriter writer(row.data(), RowFixedBytes(types.size()));
  char* slot = row.data() + RowNullBytes(types.size());
  for (size_t i = 0; i < types.size(); ++i, slot += kSlotBytes) {
    if (IsNull(values[i])) {
      SetRowBit(row.data(), i);
      writer.PutReserved(slot, ReservedBytes(*types[i]));
    } else {
      ARROW_RETURN_NOT_OK(PutValue(*types[i], values[i], slot, &writer));
    }
  }
  return row;
}

arrow::Result<BinaryRowView> BinaryRowView::Make(std::string_view bytes, int arity) {
  if (arity < 0 || RowFixedBytes(static_cast<size_t>(arity)) > bytes.size()) {
    return Corrupt("binary row: ", bytes.size(), " bytes cannot hold ", arity, " fields");
  }
  BinaryRowView view;
  view.bytes_ = bytes;
  view.arity_ = arity;
  return view;
}

bool BinaryRowView::IsNullAt(int i) const { return RowBit(bytes_.data(), static_cast<size_t>(i)); }

const char* BinaryRowView::Slot(int i) const {
  return bytes_.data() + RowNullBytes(static_cast<size_t>(arity_)) + kSlotBytes * static_cast<size_t>(i);
}

arrow::Result<std::string_view> BinaryRowView::GetBytes(int i) const { return SlotBytes(bytes_, Slot(i)); }

arrow::Result<Value> BinaryRowView::Get(int i, const DataType& type) const {
  if (IsNullAt(i)) return Value();
  const char* slot = Slot(i);
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Value(slot[0] != 0);
    case TypeRoot::kTinyint:
      return Value(int64_t{LoadAs<int8_t>(slot)});
    case TypeRoot::kSmallint:
      return Value(int64_t{LoadAs<int16_t>(slot)});
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return Value(int64_t{LoadAs<int32_t>(slot)});
    case TypeRoot::kBigint:
      return Value(LoadAs<int64_t>(slot));
    case TypeRoot::kFloat:
      return Value(LoadAs<float>(slot));
    case TypeRoot::kDouble:
      return Value(LoadAs<double>(slot));
    case TypeRoot::kDecimal:
      return SlotDecimal(bytes_, slot, IsCompact(type));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return SlotTimestamp(bytes_, slot, IsMillis(type));
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography: {
      ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, GetBytes(i));
      return Value(std::string(bytes));
    }
    default:
      return Unsupported("binary row: a value of ", type.ToSqlString());
  }
}

std::string SerializeRow(std::string_view row_bytes, int arity) {
  std::string bytes(kArityBytes, '\0');
  for (size_t i = 0; i < kArityBytes; ++i) bytes[i] = static_cast<char>(arity >> (24 - 8 * i));
  return bytes.append(row_bytes);
}

arrow::Result<SerializedRow> ParseSerializedRow(std::string_view bytes) {
  if (bytes.size() < kArityBytes) return Corrupt("binary row: ", bytes.size(), " bytes are too few for an arity");
  uint32_t arity = 0;
  for (size_t i = 0; i < kArityBytes; ++i) arity = arity << 8 | static_cast<uint8_t>(bytes[i]);
  bytes.remove_prefix(kArityBytes);
  ARROW_RETURN_NOT_OK(BinaryRowView::Make(bytes, static_cast<int>(arity)));
  return SerializedRow{static_cast<int>(arity), bytes};
}

arrow::Result<std::vector<Value>> DecodeSerializedRow(std::string_view bytes, std::span<const TypePtr> types) {
  std::vector<Value> values(types.size());
  if (bytes.empty()) return values;
  ARROW_ASSIGN_OR_RAISE(const SerializedRow row, ParseSerializedRow(bytes));
  ARROW_ASSIGN_OR_RAISE(const BinaryRowView view, BinaryRowView::Make(row.row_bytes, row.arity));
  for (int i = 0; i < row.arity && i < static_cast<int>(types.size()); ++i) {
    ARROW_ASSIGN_OR_RAISE(values[static_cast<size_t>(i)], view.Get(i, *types[static_cast<size_t>(i)]));
  }
  return values;
}

arrow::Result<std::string> EncodeSerializedRow(std::span<const TypePtr> types, std::span<const Value> values) {
  ARROW_ASSIGN_OR_RAISE(const std::string row, EncodeBinaryRow(types, values));
  return SerializeRow(row, static_cast<int>(types.size()));
}

std::string_view EmptySerializedRow() {
  static constexpr char kRow[12] = {};
  return {kRow, sizeof(kRow)};
}

int32_t HashBinaryRow(std::string_view row_bytes) { return MurmurHash(row_bytes); }

}  // namespace bactrian
