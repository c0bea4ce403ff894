#include "bactrian/base/roaring.h"

#include <roaring/roaring.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "bactrian/base/roaring_layout.h"

namespace bactrian {
namespace {

struct FreeBitmap {
  void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
};
using Bitmap32 = std::unique_ptr<roaring_bitmap_t, FreeBitmap>;

uint32_t HighOf(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

arrow::Result<Bitmap32> ParseBitmap32(std::string_view bytes, size_t* size) {
  ARROW_ASSIGN_OR_RAISE(*size, CheckRb32(bytes));
  Bitmap32 bitmap(roaring_bitmap_portable_deserialize_safe(bytes.data(), *size));
  if (bitmap == nullptr) return Corrupt("roaring bitmap: unreadable");
  return bitmap;
}

void AppendSerialized(const Bitmap32& bitmap, std::string* out) {
  Bitmap32 optimized(roaring_bitmap_copy(bitmap.get()));
  roaring_bitmap_run_optimize(optimized.get());
  const size_t begin = out->size();
  out->resize(begin + roaring_bitmap_portable_size_in_bytes(optimized.get()));
  roaring_bitmap_portable_serialize(optimized.get(), out->data() + begin);
}

template <typename T>
void AppendInteger(T value, std::string* out) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}

}  // namespace

/// Bitmaps of the low 32 bits by the high ones; none is empty.
struct RoaringBitmap::State {
  std::map<uint32_t, Bitmap32> bitmaps;

  roaring_bitmap_t* Get(uint32_t high) {
    Bitmap32& bitmap = bitmaps[high];
    if (bitmap == nullptr) bitmap.reset(roaring_bitmap_create());
    return bitmap.get();
  }
};

RoaringBitmap::RoaringBitmap() : state_(std::make_unique<State>()) {}
RoaringBitmap::~RoaringBitmap() = default;
RoaringBitmap::RoaringBitmap(RoaringBitmap&&) noexcept = default;
RoaringBitmap& RoaringBitmap::operator=(RoaringBitmap&&) noexcept = default;

arrow::Result<RoaringBitmap> RoaringBitmap::ParseRb32(std::string_view bytes, size_t* consumed) {
  size_t size = 0;
  ARROW_ASSIGN_OR_RAISE(Bitmap32 bitmap, ParseBitmap32(bytes, &size));
  if (consumed != nullptr) *consumed = size;
  RoaringBitmap result;
  if (!roaring_bitmap_is_empty(bitmap.get())) result.state_->bitmaps.emplace(0, std::move(bitmap));
  return result;
}

arrow::Result<RoaringBitmap> RoaringBitmap::ParseRb64Portable(std::string_view bytes, size_t* consumed) {
  RoaringBitmap result;
  uint64_t count = 0;
  if (bytes.size() < sizeof(count)) return Corrupt("64-bit roaring bitmap: cut off");
  std::memcpy(&count, bytes.data(), sizeof(count));
  size_t position = sizeof(count);
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t high = 0;
    if (bytes.size() - position < sizeof(high)) return Corrupt("64-bit roaring bitmap: cut off in map ", i, " of ", count);
    std::memcpy(&high, bytes.data() + position, sizeof(high));
    position += sizeof(high);
    auto& bitmaps = result.state_->bitmaps;
    if (!bitmaps.empty() && high <= bitmaps.rbegin()->first) return Corrupt("64-bit roaring bitmap: keys do not ascend");
    size_t size = 0;
    ARROW_ASSIGN_OR_RAISE(Bitmap32 bitmap, ParseBitmap32(bytes.substr(position), &size));
    position += size;
    if (!roaring_bitmap_is_empty(bitmap.get())) bitmaps.emplace_hint(bitmaps.end(), high, std::move(bitmap));
  }
  if (consumed != nullptr) *consumed = position;
  return result;
}

arrow::Result<std::string> RoaringBitmap::ToRb32() const {
  std::string bytes;
  if (state_->bitmaps.empty()) {
    AppendSerialized(Bitmap32(roaring_bitmap_create()), &bytes);
    return bytes;
  }
  if (state_->bitmaps.rbegin()->first != 0) return Invalid("a 32-bit roaring bitmap cannot hold values of 2^32 and more");
  AppendSerialized(state_->bitmaps.begin()->second, &bytes);
  return bytes;
}

std::string RoaringBitmap::ToRb64Portable() const {
  std::string bytes;
  AppendInteger<uint64_t>(state_->bitmaps.size(), &bytes);
  for (const auto& [high, bitmap] : state_->bitmaps) {
    AppendInteger(high, &bytes);
    AppendSerialized(bitmap, &bytes);
  }
  return bytes;
}

void RoaringBitmap::Add(uint64_t value) { roaring_bitmap_add(state_->Get(HighOf(value)), static_cast<uint32_t>(value)); }

void RoaringBitmap::AddRange(uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  const uint64_t last = end - 1;
  for (uint64_t high = HighOf(begin); high <= HighOf(last); ++high) {
    const uint32_t low_first = high == HighOf(begin) ? static_cast<uint32_t>(begin) : 0;
    const uint32_t low_last = high == HighOf(last) ? static_cast<uint32_t>(last) : UINT32_MAX;
    roaring_bitmap_add_range_closed(state_->Get(static_cast<uint32_t>(high)), low_first, low_last);
  }
}

bool RoaringBitmap::Contains(uint64_t value) const {
  auto found = state_->bitmaps.find(HighOf(value));
  return found != state_->bitmaps.end() && roaring_bitmap_contains(found->second.get(), static_cast<uint32_t>(value));
}

uint64_t RoaringBitmap::Cardinality() const {
  uint64_t total = 0;
  for (const auto& [high, bitmap] : state_->bitmaps) total += roaring_bitmap_get_cardinality(bitmap.get());
  return total;
}

void RoaringBitmap::UnionWith(const RoaringBitmap& other) {
  for (const auto& [high, bitmap] : other.state_->bitmaps) roaring_bitmap_or_inplace(state_->Get(high), bitmap.get());
}

void RoaringBitmap::IntersectWith(const RoaringBitmap& other) {
  std::erase_if(state_->bitmaps, [&](auto& entry) {
    auto found = other.state_->bitmaps.find(entry.first);
    if (found == other.state_->bitmaps.end()) return true;
    roaring_bitmap_and_inplace(entry.second.get(), found->second.get());
    return roaring_bitmap_is_empty(entry.second.get());
  });
}

RowRanges RoaringBitmap::ToRanges(int64_t num_rows) const {
  RowRanges ranges;
  std::array<uint32_t, 1024> values;
  for (const auto& [high, bitmap] : state_->bitmaps) {
    const auto base = static_cast<int64_t>(uint64_t{high} << 32);
    if (high >= 0x80000000u || base >= num_rows) break;
    roaring_uint32_iterator_t iterator;
    roaring_init_iterator(bitmap.get(), &iterator);
    while (const uint32_t count = roaring_read_uint32_iterator(&iterator, values.data(), values.size())) {
      for (uint32_t i = 0; i < count; ++i) {
        const int64_t position = base + values[i];
        if (position >= num_rows) return ranges;
        ranges.Append({position, position + 1});
      }
    }
  }
  return ranges;
}

}  // namespace bactrian
