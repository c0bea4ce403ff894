#include "bactrian/merge/sort_keys.h"

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

namespace bactrian {
namespace {

constexpr uint8_t kNullMarker = 0, kValueMarker = 1;
// In text a zero byte is written as {0, kEscapedZero}, the end as {0, kTextEnd}, so that a prefix sorts first.
constexpr uint8_t kTextEnd = 0, kEscapedZero = 0xff;

template <typename T>
void StoreBigEndian(T bits, uint8_t* out) {
  for (size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<uint8_t>(bits >> (8 * (sizeof(T) - 1 - i)));
}

/// Bits of a number such that unsigned comparison orders the numbers; floats as Java does (-0.0 < 0.0 < NaN).
template <typename T>
auto OrderedBits(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    const Bits bits = std::bit_cast<Bits>(value != value ? std::numeric_limits<T>::quiet_NaN() : value);
    return static_cast<Bits>((bits & sign) ? ~bits : bits | sign);
  } else {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<Bits>(static_cast<Bits>(value) ^ (Bits{1} << (8 * sizeof(T) - 1)));
  }
}

/// Writes one column's part of every row's key. `cursor[i]` is where row i's next byte goes.
class ColumnEncoder {
 public:
  ColumnEncoder(const SortColumn& column, const arrow::Array& array)
      : array_(array), descending_(column.descending), marker_(array.null_count() > 0 || column.type->nullable()) {}

  /// Bytes a non-null value takes, or -1 for text.
  arrow::Result<int> Width() const {
    switch (array_.type_id()) {
      case arrow::Type::BOOL:
      case arrow::Type::INT8:
        return 1;
      case arrow::Type::INT16:
        return 2;
      case arrow::Type::INT32:
      case arrow::Type::DATE32:
      case arrow::Type::TIME32:
      case arrow::Type::FLOAT:
        return 4;
      case arrow::Type::INT64:
      case arrow::Type::TIMESTAMP:
      case arrow::Type::DOUBLE:
        return 8;
      case arrow::Type::DECIMAL128:
        return 16;
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        return -1;
      default:
        return Unsupported("a sort key of type ", array_.type()->ToString());
    }
  }
  bool marker() const { return marker_; }

  arrow::Status AddLengths(std::vector<uint32_t>* lengths) const {
    ARROW_ASSIGN_OR_RAISE(const int width, Width());
    for (int64_t i = 0; i < array_.length(); ++i) {
      uint64_t length = (*lengths)[i] + marker_;
      if (!array_.IsNull(i)) length += width >= 0 ? width : TextLength(i);
      if (length > std::numeric_limits<uint32_t>::max()) return Invalid("a sort key of more than 4 GiB");
      (*lengths)[i] = static_cast<uint32_t>(length);
    }
    return arrow::Status::OK();
  }

  /// Appends the column to keys that have fewer than 8 bytes so far, in the low bits of a number each. There are no markers.
  void AppendBits(uint64_t* keys) const {
    switch (array_.type_id()) {
      case arrow::Type::BOOL:
        for (int64_t i = 0; i < array_.length(); ++i) {
          const uint8_t bits = static_cast<const arrow::BooleanArray&>(array_).Value(i);
          keys[i] = keys[i] << 8 | static_cast<uint8_t>(descending_ ? ~bits : bits);
        }
        break;
      case arrow::Type::INT8:
        return AppendNumbers<int8_t>(keys);
      case arrow::Type::INT16:
        return AppendNumbers<int16_t>(keys);
      case arrow::Type::INT32:
      case arrow::Type::DATE32:
      case arrow::Type::TIME32:
        return AppendNumbers<int32_t>(keys);
      case arrow::Type::FLOAT:
        return AppendNumbers<float>(keys);
      case arrow::Type::DOUBLE:
        return AppendNumbers<double>(keys);
      default:
        return AppendNumbers<int64_t>(keys);
    }
  }

  void Encode(uint8_t* bytes, uint32_t* cursor) const {
    switch (array_.type_id()) {
      case arrow::Type::BOOL:
        return EncodeEach(bytes, cursor, [&](int64_t i, uint8_t* out) {
          *out = static_cast<const arrow::BooleanArray&>(array_).Value(i);
          return 1;
        });
      case arrow::Type::INT8:
        return EncodeNumbers<int8_t>(bytes, cursor);
      case arrow::Type::INT16:
        return EncodeNumbers<int16_t>(bytes, cursor);
      case arrow::Type::INT32:
      case arrow::Type::DATE32:
      case arrow::Type::TIME32:
        return EncodeNumbers<int32_t>(bytes, cursor);
      case arrow::Type::INT64:
      case arrow::Type::TIMESTAMP:
        return EncodeNumbers<int64_t>(bytes, cursor);
      case arrow::Type::FLOAT:
        return EncodeNumbers<float>(bytes, cursor);
      case arrow::Type::DOUBLE:
        return EncodeNumbers<double>(bytes, cursor);
      case arrow::Type::DECIMAL128:
        return EncodeEach(bytes, cursor, [&](int64_t i, uint8_t* out) {
          const arrow::Decimal128 value(static_cast<const arrow::Decimal128Array&>(array_).GetValue(i));
          StoreBigEndian(OrderedBits(value.high_bits()), out);
          StoreBigEndian(value.low_bits(), out + 8);
          return 16;
        });
      default:
        return EncodeEach(bytes, cursor, [&](int64_t i, uint8_t* out) { return EncodeText(i, out); });
    }
  }

 private:
  std::string_view Text(int64_t i) const { return static_cast<const arrow::BinaryArray&>(array_).GetView(i); }
  uint64_t TextLength(int64_t i) const {
    const std::string_view text = Text(i);
    return text.size() + std::count(text.begin(), text.end(), '\0') + 2;
  }
  int64_t EncodeText(int64_t i, uint8_t* out) const {
    const uint8_t* begin = out;
    for (const char c : Text(i)) {
      *out++ = static_cast<uint8_t>(c);
      if (c == 0) *out++ = kEscapedZero;
    }
    *out++ = 0;
    *out++ = kTextEnd;
    return out - begin;
  }
  template <typename T>
  void AppendNumbers(uint64_t* keys) const {
    const T* values = array_.data()->GetValues<T>(1);
    using Bits = decltype(OrderedBits(T()));
    const Bits flip = descending_ ? static_cast<Bits>(~Bits{0}) : Bits{0};
    for (int64_t i = 0; i < array_.length(); ++i) {
      const uint64_t before = sizeof(T) == 8 ? 0 : keys[i] << (8 * sizeof(T) % 64);
      keys[i] = before | static_cast<Bits>(OrderedBits(values[i]) ^ flip);
    }
  }
  template <typename T>
  void EncodeNumbers(uint8_t* bytes, uint32_t* cursor) const {
    const T* values = array_.data()->GetValues<T>(1);
    EncodeEach(bytes, cursor, [values](int64_t i, uint8_t* out) {
      StoreBigEndian(OrderedBits(values[i]), out);
      return static_cast<int64_t>(sizeof(T));
    });
  }
  template <typename EncodeValue>
  void EncodeEach(uint8_t* bytes, uint32_t* cursor, EncodeValue&& encode) const {
    for (int64_t i = 0; i < array_.length(); ++i) {
      uint8_t* out = bytes + cursor[i];
      const bool null = array_.IsNull(i);
      if (marker_) *out++ = null ? kNullMarker : kValueMarker;
      if (!null) {
        uint8_t* begin = out;
        out += encode(i, out);
        if (descending_) std::transform(begin, out, begin, [](uint8_t b) { return static_cast<uint8_t>(~b); });
      }
      cursor[i] = static_cast<uint32_t>(out - bytes);
    }
  }

  const arrow::Array& array_;
  const bool descending_;
  const bool marker_;
};

}  // namespace

arrow::Result<SortKeys> SortKeys::Make(std::span<const SortColumn> order,
                                       std::span<const std::shared_ptr<arrow::Array>> columns) {
  const int64_t num_rows = columns.empty() ? 0 : columns[0]->length();
  std::vector<ColumnEncoder> encoders;
  int fixed_width = 0;  // of the whole key, or -1
  for (size_t c = 0; c < columns.size(); ++c) {
    encoders.emplace_back(order[c], *columns[c]);
    ARROW_ASSIGN_OR_RAISE(const int width, encoders.back().Width());
    fixed_width = width < 0 || fixed_width < 0 || encoders.back().marker() ? -1 : fixed_width + width;
  }
  SortKeys keys;
  keys.prefixes_.resize(num_rows, 0);
  if (fixed_width > 0 && fixed_width <= 8) {
    for (const ColumnEncoder& encoder : encoders) encoder.AppendBits(keys.prefixes_.data());
    if (fixed_width < 8) {
      for (uint64_t& prefix : keys.prefixes_) prefix <<= 8 * (8 - fixed_width);
    }
    return keys;
  }
  std::vector<uint32_t> cursor(num_rows);
  std::vector<uint32_t> lengths(num_rows, 0);
  for (const ColumnEncoder& encoder : encoders) ARROW_RETURN_NOT_OK(encoder.AddLengths(&lengths));
  keys.offsets_.resize(num_rows + 1, 0);
  uint64_t total = 0;
  for (int64_t i = 0; i < num_rows; ++i) {
    total += lengths[i];
    if (total > std::numeric_limits<uint32_t>::max()) return Invalid("the sort keys of one batch take more than 4 GiB");
    keys.offsets_[i + 1] = static_cast<uint32_t>(total);
  }
  keys.bytes_.resize(total);
  std::copy(keys.offsets_.begin(), keys.offsets_.end() - 1, cursor.begin());
  for (const ColumnEncoder& encoder : encoders) encoder.Encode(keys.bytes_.data(), cursor.data());
  for (int64_t i = 0; i < num_rows; ++i) {
    std::memcpy(&keys.prefixes_[i], keys.bytes_.data() + keys.offsets_[i], std::min<uint32_t>(8, lengths[i]));
    keys.prefixes_[i] = arrow::bit_util::FromBigEndian(keys.prefixes_[i]);
  }
  return keys;
}

int SortKeys::CompareBytes(int64_t i, const SortKeys& other, int64_t j) const {
  const uint32_t a = offsets_[i + 1] - offsets_[i], b = other.offsets_[j + 1] - other.offsets_[j];
  const int order = std::memcmp(bytes_.data() + offsets_[i], other.bytes_.data() + other.offsets_[j], std::min(a, b));
  return order != 0 ? order : (a == b ? 0 : (a < b ? -1 : 1));
}

}  // namespace bactrian
