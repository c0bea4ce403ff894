#include "bactrian/base/roaring_layout.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace bactrian {
namespace {

constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kCookieWithRuns = 12347;  // low 16 bits; the high ones are the number of containers less one
constexpr uint32_t kMaxContainers = 1 << 16;
constexpr uint32_t kMinContainersForOffsets = 4;  // of a bitmap with runs; one without always has them
constexpr uint32_t kMaxArrayCardinality = 4096;
constexpr size_t kBitsetBytes = 8192;

/// Takes little-endian fields off the front; `ok` turns false, and stays so, when the bytes run out.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  size_t remaining() const { return bytes_.size(); }

  std::string_view Take(size_t size) {
    if (size > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  uint32_t TakeUint32() { return TakeInteger<uint32_t>(); }
  uint32_t TakeUint16() { return TakeInteger<uint16_t>(); }

 private:
  template <typename T>
  T TakeInteger() {
    const std::string_view field = Take(sizeof(T));
    T value = 0;
    if (ok_) std::memcpy(&value, field.data(), sizeof(T));
    return value;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

bool CheckArray(Fields* fields, uint32_t cardinality) {
  Fields values(fields->Take(size_t{2} * cardinality));
  int64_t previous = -1;
  for (uint32_t i = 0; i < cardinality; ++i) {
    const int64_t value = values.TakeUint16();
    if (value <= previous) return false;
    previous = value;
  }
  return true;
}

bool CheckBitset(Fields* fields, uint32_t cardinality) {
  const std::string_view bitset = fields->Take(kBitsetBytes);
  uint32_t bits = 0;
  for (size_t i = 0; i + sizeof(uint64_t) <= bitset.size(); i += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bitset.data() + i, sizeof(word));
    bits += static_cast<uint32_t>(std::popcount(word));
  }
  return bits == cardinality;
}

bool CheckRuns(Fields* fields, uint32_t cardinality) {
  const uint32_t num_runs = fields->TakeUint16();
  Fields runs(fields->Take(size_t{4} * num_runs));
  uint32_t next = 0, total = 0;  // `next`: the least value that a run may start with
  for (uint32_t i = 0; i < num_runs; ++i) {
    const uint32_t start = runs.TakeUint16();
    const uint32_t length = runs.TakeUint16() + 1;
    if (start < next || start + length > 65536) return false;
    next = start + length;
    total += length;
  }
  return total == cardinality;
}

}  // namespace

arrow::Result<size_t> CheckRb32(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  Fields fields(bytes);
  const uint32_t cookie = fields.TakeUint32();
  const bool has_runs = (cookie & 0xffff) == kCookieWithRuns;
  if (!has_runs && cookie != kCookieWithoutRuns) return Corrupt("roaring bitmap: unknown cookie ", cookie);
  const uint32_t num_containers = has_runs ? (cookie >> 16) + 1 : fields.TakeUint32();
  if (num_containers > kMaxContainers) return Corrupt("roaring bitmap: ", num_containers, " containers");
  const std::string_view run_flags = has_runs ? fields.Take((num_containers + 7) / 8) : std::string_view();
  Fields descriptions(fields.Take(size_t{4} * num_containers));
  if (!has_runs || num_containers >= kMinContainersForOffsets) fields.Take(size_t{4} * num_containers);
  if (!fields.ok()) return Corrupt("roaring bitmap: cut off in the header");

  int64_t previous_key = -1;
  for (uint32_t i = 0; i < num_containers; ++i) {
    const int64_t key = descriptions.TakeUint16();
    const uint32_t cardinality = descriptions.TakeUint16() + 1;
    if (key <= previous_key) return Corrupt("roaring bitmap: container keys do not ascend");
    previous_key = key;
    const bool is_run = has_runs && ((static_cast<uint8_t>(run_flags[i / 8]) >> (i % 8)) & 1) != 0;
    const bool valid = is_run                                ? CheckRuns(&fields, cardinality)
                       : cardinality <= kMaxArrayCardinality ? CheckArray(&fields, cardinality)
                                                             : CheckBitset(&fields, cardinality);
    if (!fields.ok()) return Corrupt("roaring bitmap: cut off in container ", i, " of ", num_containers);
    if (!valid) return Corrupt("roaring bitmap: container ", i, " contradicts its description");
  }
  return bytes.size() - fields.remaining();
}

}  // namespace bactrian
