#include "bactrian/types/variant_builder.h"

#include <arrow/util/decimal.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "bactrian/types/variant_reader.h"

namespace bactrian {
namespace {

void PutUnsigned(uint64_t value, int size, std::string* out) {
  for (int i = 0; i < size; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

int SizeOf(uint64_t value) { return value <= 0xff ? 1 : value <= 0xffff ? 2 : value <= 0xffffff ? 3 : 4; }

template <typename T>
bool Fits(int64_t value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

char PrimitiveHeader(VariantPrimitive type) { return static_cast<char>(static_cast<uint8_t>(type) << 2); }

constexpr size_t kMaxShortString = 63;

}  // namespace

void VariantBuilder::AppendBoolean(bool value) {
  value_.push_back(PrimitiveHeader(value ? VariantPrimitive::kTrue : VariantPrimitive::kFalse));
}

void VariantBuilder::AppendLong(int64_t value) {
  const int size = Fits<int8_t>(value) ? 1 : Fits<int16_t>(value) ? 2 : Fits<int32_t>(value) ? 4 : 8;
  const VariantPrimitive type = size == 1   ? VariantPrimitive::kInt8
                                : size == 2 ? VariantPrimitive::kInt16
                                : size == 4 ? VariantPrimitive::kInt32
                                            : VariantPrimitive::kInt64;
  value_.push_back(PrimitiveHeader(type));
  PutUnsigned(static_cast<uint64_t>(value), size, &value_);
}

void VariantBuilder::AppendDouble(double value) {
  value_.push_back(PrimitiveHeader(VariantPrimitive::kDouble));
  PutUnsigned(std::bit_cast<uint64_t>(value), 8, &value_);
}

void VariantBuilder::AppendFloat(float value) {
  value_.push_back(PrimitiveHeader(VariantPrimitive::kFloat));
  PutUnsigned(std::bit_cast<uint32_t>(value), 4, &value_);
}

void VariantBuilder::AppendDecimal(const arrow::Decimal128& unscaled, int32_t scale) {
  const auto fits = [&](int digits) { return scale <= digits && unscaled.FitsInPrecision(digits); };
  const int size = fits(9) ? 4 : fits(18) ? 8 : 16;
  value_.push_back(PrimitiveHeader(size == 4   ? VariantPrimitive::kDecimal4
                                   : size == 8 ? VariantPrimitive::kDecimal8
                                               : VariantPrimitive::kDecimal16));
  value_.push_back(static_cast<char>(scale));
  PutUnsigned(unscaled.low_bits(), std::min(size, 8), &value_);
  if (size == 16) PutUnsigned(static_cast<uint64_t>(unscaled.high_bits()), 8, &value_);
}

void VariantBuilder::AppendDate(int32_t days) {
  value_.push_back(PrimitiveHeader(VariantPrimitive::kDate));
  PutUnsigned(static_cast<uint32_t>(days), 4, &value_);
}

void VariantBuilder::AppendTimestamp(int64_t micros, bool with_time_zone) {
  value_.push_back(PrimitiveHeader(with_time_zone ? VariantPrimitive::kTimestamp : VariantPrimitive::kTimestampNtz));
  PutUnsigned(static_cast<uint64_t>(micros), 8, &value_);
}

void VariantBuilder::AppendString(std::string_view text) {
  if (text.size() <= kMaxShortString) {
    value_.push_back(static_cast<char>(text.size() << 2 | static_cast<uint8_t>(VariantBasicType::kShortString)));
  } else {
    value_.push_back(PrimitiveHeader(VariantPrimitive::kString));
    PutUnsigned(text.size(), 4, &value_);
  }
  value_ += text;
}

void VariantBuilder::AppendBinary(std::string_view bytes) {
  value_.push_back(PrimitiveHeader(VariantPrimitive::kBinary));
  PutUnsigned(bytes.size(), 4, &value_);
  value_ += bytes;
}

/// Copies a value, with the ids of its names changed to the builder's.
class VariantBuilder::Copier {
 public:
  Copier(VariantBuilder& builder, const VariantMetadata& metadata) : builder_(builder), metadata_(metadata) {}

  arrow::Status Copy(const VariantNode& node, int depth) {
    if (depth > kMaxVariantDepth) return Corrupt("a VARIANT is nested deeper than ", kMaxVariantDepth, " levels");
    const bool is_object = node.basic_type() == VariantBasicType::kObject;
    if (!is_object && node.basic_type() != VariantBasicType::kArray) {
      builder_.value_ += node.bytes();
      return arrow::Status::OK();
    }
    const size_t start = builder_.position();
    std::vector<FieldEntry> fields;
    std::vector<size_t> offsets;
    for (uint32_t i = 0; i < node.size(); ++i) {
      if (is_object) {
        ARROW_ASSIGN_OR_RAISE(const std::string_view name, metadata_.Name(node.FieldId(i)));
        fields.push_back({std::string(name), builder_.AddName(name), builder_.position() - start});
      } else {
        offsets.push_back(builder_.position() - start);
      }
      ARROW_ASSIGN_OR_RAISE(const VariantNode child, node.Child(i));
      ARROW_RETURN_NOT_OK(Copy(child, depth + 1));
      // Children may share bytes: a few kilobytes could name a copy of any size.
      if (builder_.position() > builder_.max_size_) return Corrupt("a VARIANT is larger than ", builder_.max_size_, " bytes");
    }
    if (is_object) return builder_.FinishObject(start, std::move(fields));
    builder_.FinishArray(start, offsets);
    return arrow::Status::OK();
  }

 private:
  VariantBuilder& builder_;
  const VariantMetadata& metadata_;
};

arrow::Status VariantBuilder::AppendVariant(VariantView variant) {
  ARROW_ASSIGN_OR_RAISE(const VariantMetadata metadata, VariantMetadata::Parse(variant.metadata));
  ARROW_ASSIGN_OR_RAISE(const VariantNode node, VariantNode::Parse(variant.value));
  return Copier(*this, metadata).Copy(node, 1);
}

uint32_t VariantBuilder::AddName(std::string_view name) {
  const auto [found, is_new] = ids_.try_emplace(std::string(name), static_cast<uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return found->second;
}

arrow::Status VariantBuilder::FinishObject(size_t start, std::vector<FieldEntry> fields) {
  std::sort(fields.begin(), fields.end(), [](const FieldEntry& a, const FieldEntry& b) { return a.name < b.name; });
  uint32_t largest_id = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0 && fields[i].name == fields[i - 1].name) return Corrupt("a VARIANT has the field ", fields[i].name, " twice");
    largest_id = std::max(largest_id, fields[i].id);
  }
  const size_t data_size = position() - start;
  const bool is_large = fields.size() > 0xff;
  const int id_size = SizeOf(largest_id), offset_size = SizeOf(data_size);
  std::string header;
  header.push_back(static_cast<char>((is_large ? 1 : 0) << 6 | (id_size - 1) << 4 | (offset_size - 1) << 2 |
                                     static_cast<uint8_t>(VariantBasicType::kObject)));
  PutUnsigned(fields.size(), is_large ? 4 : 1, &header);
  for (const FieldEntry& field : fields) PutUnsigned(field.id, id_size, &header);
  for (const FieldEntry& field : fields) PutUnsigned(field.offset, offset_size, &header);
  PutUnsigned(data_size, offset_size, &header);
  value_.insert(start, header);
  return arrow::Status::OK();
}

void VariantBuilder::FinishArray(size_t start, const std::vector<size_t>& offsets) {
  const size_t data_size = position() - start;
  const bool is_large = offsets.size() > 0xff;
  const int offset_size = SizeOf(data_size);
  std::string header;
  header.push_back(
      static_cast<char>((is_large ? 1 : 0) << 4 | (offset_size - 1) << 2 | static_cast<uint8_t>(VariantBasicType::kArray)));
  PutUnsigned(offsets.size(), is_large ? 4 : 1, &header);
  for (const size_t offset : offsets) PutUnsigned(offset, offset_size, &header);
  PutUnsigned(data_size, offset_size, &header);
  value_.insert(start, header);
}

std::string VariantBuilder::Metadata() const {
  size_t names_size = 0;
  for (const std::string& name : names_) names_size += name.size();
  const int offset_size = SizeOf(std::max(names_size, names_.size()));
  std::string bytes;
  bytes.push_back(static_cast<char>((offset_size - 1) << 6 | 1));
  PutUnsigned(names_.size(), offset_size, &bytes);
  size_t offset = 0;
  for (const std::string& name : names_) {
    PutUnsigned(offset, offset_size, &bytes);
    offset += name.size();
  }
  PutUnsigned(offset, offset_size, &bytes);
  for (const std::string& name : names_) bytes += name;
  return bytes;
}

void VariantBuilder::Clear() {
  value_.clear();
  names_.clear();
  ids_.clear();
}

}  // namespace bactrian
