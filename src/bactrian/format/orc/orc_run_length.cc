#include "bactrian/format/orc/orc_run_length.h"

#include <array>

namespace bactrian {
namespace {

int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

/// Bits, most significant first.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return position_ == bytes_.size(); }

  uint8_t Byte() {
    if (position_ == bytes_.size()) {
      ok_ = false;
      return 0;
    }
    return static_cast<uint8_t>(bytes_[position_++]);
  }
  uint64_t BigEndian(int num_bytes) {
    uint64_t value = 0;
    for (int i = 0; i < num_bytes; ++i) value = value << 8 | Byte();
    return value;
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && ok_; shift += 7) {
      const uint8_t byte = Byte();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  uint64_t Bits(int width) {
    uint64_t value = 0;
    for (; width > 0;) {
      if (left_ == 0) {
        current_ = Byte();
        left_ = 8;
      }
      const int take = width < left_ ? width : left_;
      value = value << take | (current_ >> (left_ - take) & ((1u << take) - 1));
      left_ -= take;
      width -= take;
    }
    return value;
  }
  void AlignToByte() { left_ = 0; }

 private:
  std::string_view bytes_;
  size_t position_ = 0;
  uint8_t current_ = 0;
  int left_ = 0;
  bool ok_ = true;
};

int WidthOf(int code) {
  static constexpr std::array<int, 8> kWide = {26, 28, 30, 32, 40, 48, 56, 64};
  return code < 24 ? code + 1 : kWide[code - 24];
}

/// The width that patches are packed in.
int ClosestWidth(int width) {
  for (int code = 0; code < 32; ++code) {
    if (WidthOf(code) >= width) return WidthOf(code);
  }
  return 64;
}

class IntegerDecoder {
 public:
  IntegerDecoder(std::string_view bytes, bool is_signed, std::vector<int64_t>* out)
      : reader_(bytes), is_signed_(is_signed), out_(out) {}

  bool Run() {
    const uint8_t first = reader_.Byte();
    switch (first >> 6) {
      case 0:
        ShortRepeat(first);
        break;
      case 1:
        Direct(first);
        break;
      case 2:
        PatchedBase(first);
        break;
      default:
        Delta(first);
    }
    return reader_.ok();
  }

 private:
  int64_t Value(uint64_t bits) const { return is_signed_ ? UnZigZag(bits) : static_cast<int64_t>(bits); }

  void ShortRepeat(uint8_t first) {
    const uint64_t bits = reader_.BigEndian((first >> 3 & 7) + 1);
    out_->insert(out_->end(), (first & 7) + 3, Value(bits));
  }

  int Length(uint8_t first) { return ((first & 1) << 8 | reader_.Byte()) + 1; }

  void Direct(uint8_t first) {
    const int width = WidthOf(first >> 1 & 31), length = Length(first);
    for (int i = 0; i < length && reader_.ok(); ++i) out_->push_back(Value(reader_.Bits(width)));
    reader_.AlignToByte();
  }

  void PatchedBase(uint8_t first) {
    const int width = WidthOf(first >> 1 & 31), length = Length(first);
    const uint8_t third = reader_.Byte(), fourth = reader_.Byte();
    const int base_bytes = (third >> 5) + 1, patch_width = WidthOf(third & 31);
    const int gap_width = (fourth >> 5) + 1, num_patches = fourth & 31;
    const uint64_t base_bits = reader_.BigEndian(base_bytes), sign = uint64_t{1} << (base_bytes * 8 - 1);
    // The base's highest bit is its sign; the rest is its magnitude.
    const int64_t base = base_bits & sign ? -static_cast<int64_t>(base_bits & (sign - 1)) : static_cast<int64_t>(base_bits);
    std::vector<uint64_t> values(length);
    for (int i = 0; i < length && reader_.ok(); ++i) values[i] = reader_.Bits(width);
    reader_.AlignToByte();
    const int packed_width = ClosestWidth(gap_width + patch_width);
    size_t at = 0;
    for (int i = 0; i < num_patches && reader_.ok(); ++i) {
      const uint64_t packed = reader_.Bits(packed_width);
      const uint64_t patch = patch_width == 64 ? packed : packed & ((uint64_t{1} << patch_width) - 1);
      at += patch_width == 64 ? 0 : packed >> patch_width;
      if (at < values.size() && width < 64) values[at] |= patch << width;
    }
    reader_.AlignToByte();
    for (const uint64_t value : values) {
      out_->push_back(static_cast<int64_t>(static_cast<uint64_t>(base) + value));
    }
  }

  void Delta(uint8_t first) {
    const int code = first >> 1 & 31, width = code == 0 ? 0 : WidthOf(code), length = Length(first);
    uint64_t value = static_cast<uint64_t>(Value(reader_.Varint()));
    const int64_t first_delta = UnZigZag(reader_.Varint());
    out_->push_back(static_cast<int64_t>(value));
    for (int i = 1; i < length && reader_.ok(); ++i) {
      const uint64_t step = i == 1 || width == 0 ? static_cast<uint64_t>(first_delta) : reader_.Bits(width);
      value += first_delta < 0 && i > 1 && width > 0 ? -step : step;
      out_->push_back(static_cast<int64_t>(value));
    }
    reader_.AlignToByte();
  }

  BitReader reader_;
  const bool is_signed_;
  std::vector<int64_t>* out_;
};

}  // namespace

bool DecodeOrcIntegers(std::string_view bytes, bool is_signed, int64_t count, std::vector<int64_t>* out) {
  out->clear();
  IntegerDecoder decoder(bytes, is_signed, out);
  while (static_cast<int64_t>(out->size()) < count) {
    if (!decoder.Run()) return false;
  }
  out->resize(count);
  return true;
}

bool DecodeOrcBooleans(std::string_view bytes, int64_t count, std::vector<uint8_t>* out) {
  out->clear();
  BitReader reader(bytes);
  const auto append = [&](uint8_t byte) {
    for (int bit = 7; bit >= 0; --bit) out->push_back(byte >> bit & 1);
  };
  while (static_cast<int64_t>(out->size()) < count) {
    const auto control = static_cast<int8_t>(reader.Byte());
    if (control >= 0) {  // a run
      const uint8_t byte = reader.Byte();
      for (int i = 0; i < control + 3; ++i) append(byte);
    } else {
      for (int i = 0; i < -control; ++i) append(reader.Byte());
    }
    if (!reader.ok()) return false;
  }
  out->resize(count);
  return true;
}

}  // namespace bactrian
