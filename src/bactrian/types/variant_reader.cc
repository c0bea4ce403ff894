#include "bactrian/types/variant_reader.h"

#include <array>

namespace bactrian {
namespace {

uint32_t ReadUnsigned(std::string_view bytes, size_t at, int size) {
  uint32_t value = 0;
  for (int i = 0; i < size; ++i) value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

arrow::Status TooShort() { return Corrupt("a VARIANT ends early"); }

/// Bytes of each primitive's payload; -1: a length comes first.
constexpr std::array<int, 21> kPayloadSizes = {0, 0, 0, 1, 2, 4, 8, 8, 5, 9, 17, 4, 8, 8, 4, -1, -1, 8, 8, 8, 16};

}  // namespace

arrow::Result<VariantMetadata> VariantMetadata::Parse(std::string_view bytes) {
  if (bytes.empty()) return TooShort();
  const auto header = static_cast<uint8_t>(bytes[0]);
  if ((header & 15) != 1) return Corrupt("a VARIANT's metadata has version ", header & 15, ", known is 1");
  VariantMetadata metadata;
  metadata.offset_size_ = (header >> 6) + 1;
  const size_t size = metadata.offset_size_;
  if (bytes.size() < 1 + size) return TooShort();
  metadata.size_ = ReadUnsigned(bytes, 1, metadata.offset_size_);
  const size_t names = 1 + size + (size_t{metadata.size_} + 1) * size;
  if (bytes.size() < names) return TooShort();
  metadata.offsets_ = bytes.substr(1 + size, names - 1 - size);
  metadata.names_ = bytes.substr(names);
  return metadata;
}

arrow::Result<std::string_view> VariantMetadata::Name(uint32_t id) const {
  if (id >= size_) return Corrupt("a VARIANT names field ", id, " of a dictionary of ", size_);
  const uint32_t begin = ReadUnsigned(offsets_, size_t{id} * offset_size_, offset_size_);
  const uint32_t end = ReadUnsigned(offsets_, (size_t{id} + 1) * offset_size_, offset_size_);
  if (begin > end || end > names_.size()) return TooShort();
  return names_.substr(begin, end - begin);
}

arrow::Result<VariantNode> VariantNode::Parse(std::string_view bytes) {
  if (bytes.empty()) return TooShort();
  VariantNode node;
  node.bytes_ = bytes;
  const auto header = static_cast<uint8_t>(bytes[0]);
  const uint8_t info = header >> 2;
  node.basic_type_ = static_cast<VariantBasicType>(header & 3);
  switch (node.basic_type_) {
    case VariantBasicType::kShortString:
      if (bytes.size() < size_t{1} + info) return TooShort();
      node.payload_ = bytes.substr(1, info);
      node.bytes_ = bytes.substr(0, size_t{1} + info);
      return node;
    case VariantBasicType::kPrimitive:
      ARROW_RETURN_NOT_OK(node.ParsePrimitive(info));
      return node;
    default:
      ARROW_RETURN_NOT_OK(node.ParseContainer(info));
      return node;
  }
}

arrow::Status VariantNode::ParsePrimitive(uint8_t info) {
  if (info >= kPayloadSizes.size()) return Corrupt("a VARIANT holds a primitive of unknown type ", int{info});
  primitive_ = static_cast<VariantPrimitive>(info);
  size_t begin = 1, size = 0;
  if (kPayloadSizes[info] >= 0) {
    size = kPayloadSizes[info];
  } else {
    if (bytes_.size() < 5) return TooShort();
    size = ReadUnsigned(bytes_, 1, 4);
    begin = 5;
  }
  if (bytes_.size() < begin + size) return TooShort();
  payload_ = bytes_.substr(begin, size);
  bytes_ = bytes_.substr(0, begin + size);
  return arrow::Status::OK();
}

arrow::Status VariantNode::ParseContainer(uint8_t info) {
  const bool is_object = basic_type_ == VariantBasicType::kObject;
  offset_size_ = (info & 3) + 1;
  id_size_ = is_object ? ((info >> 2) & 3) + 1 : 0;
  const bool is_large = (info >> (is_object ? 4 : 2)) & 1;
  const int size_bytes = is_large ? 4 : 1;
  if (bytes_.size() < size_t{1} + size_bytes) return TooShort();
  size_ = ReadUnsigned(bytes_, 1, size_bytes);
  const size_t ids = 1 + size_bytes, offsets = ids + size_t{size_} * id_size_;
  const size_t values = offsets + (size_t{size_} + 1) * offset_size_;
  if (bytes_.size() < values) return TooShort();
  ids_ = bytes_.substr(ids, offsets - ids);
  offsets_ = bytes_.substr(offsets, values - offsets);
  payload_ = bytes_.substr(values);
  return arrow::Status::OK();
}

arrow::Result<VariantNode> VariantNode::Child(uint32_t i) const {
  const uint32_t offset = ReadUnsigned(offsets_, size_t{i} * offset_size_, offset_size_);
  if (offset >= payload_.size()) return TooShort();
  return Parse(payload_.substr(offset));
}

uint32_t VariantNode::FieldId(uint32_t i) const { return ReadUnsigned(ids_, size_t{i} * id_size_, id_size_); }

int64_t ReadVariantInteger(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  const int unused = static_cast<int>(64 - 8 * bytes.size());
  return bytes.empty() ? 0 : static_cast<int64_t>(value << unused) >> unused;
}

}  // namespace bactrian
