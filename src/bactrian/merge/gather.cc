#include "bactrian/merge/gather.h"

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <cstring>
#include <limits>
#include <vector>

namespace bactrian {
namespace {

using Sources = std::span<const std::shared_ptr<arrow::Array>>;
using Segments = std::span<const Segment>;

/// The validity bitmap, or null when no source has nulls.
arrow::Result<std::shared_ptr<arrow::Buffer>> GatherValidity(Sources sources, Segments segments, int64_t num_rows,
                                                             arrow::MemoryPool* pool) {
  bool any = false;
  for (const auto& source : sources) any |= source->null_count() > 0;
  if (!any) return nullptr;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bitmap, arrow::AllocateEmptyBitmap(num_rows, pool));
  uint8_t* out = bitmap->mutable_data();
  int64_t position = 0;
  for (const Segment& s : segments) {
    const arrow::ArrayData& data = *sources[s.source]->data();
    const uint8_t* valid = sources[s.source]->null_count() > 0 ? data.buffers[0]->data() : nullptr;
    if (valid == nullptr) {
      arrow::bit_util::SetBitsTo(out, position, s.length, true);
    } else if (s.length == 1) {
      arrow::bit_util::SetBitTo(out, position, arrow::bit_util::GetBit(valid, data.offset + s.start));
    } else {
      arrow::internal::CopyBitmap(valid, data.offset + s.start, s.length, out, position);
    }
    position += s.length;
  }
  return bitmap;
}

template <int kWidth>
void CopyFixed(Sources sources, Segments segments, uint8_t* out) {
  std::vector<const uint8_t*> values(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const arrow::ArrayData& data = *sources[i]->data();
    values[i] = data.buffers[1] == nullptr ? nullptr : data.buffers[1]->data() + data.offset * kWidth;
  }
  for (const Segment& s : segments) {
    const uint8_t* from = values[s.source] + static_cast<size_t>(s.start) * kWidth;
    if (s.length == 1) {
      std::memcpy(out, from, kWidth);
    } else {
      std::memcpy(out, from, static_cast<size_t>(s.length) * kWidth);
    }
    out += static_cast<size_t>(s.length) * kWidth;
  }
}

arrow::Result<std::shared_ptr<arrow::Buffer>> GatherFixed(int width, Sources sources, Segments segments, int64_t num_rows,
                                                          arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(num_rows * width, pool));
  uint8_t* out = buffer->mutable_data();
  switch (width) {
    case 1:
      CopyFixed<1>(sources, segments, out);
      break;
    case 2:
      CopyFixed<2>(sources, segments, out);
      break;
    case 4:
      CopyFixed<4>(sources, segments, out);
      break;
    case 8:
      CopyFixed<8>(sources, segments, out);
      break;
    default:
      CopyFixed<16>(sources, segments, out);
      break;
  }
  return buffer;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> GatherBits(Sources sources, Segments segments, int64_t num_rows,
                                                         arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateEmptyBitmap(num_rows, pool));
  int64_t position = 0;
  for (const Segment& s : segments) {
    const arrow::ArrayData& data = *sources[s.source]->data();
    arrow::internal::CopyBitmap(data.buffers[1]->data(), data.offset + s.start, s.length, buffer->mutable_data(), position);
    position += s.length;
  }
  return buffer;
}

arrow::Status GatherText(Sources sources, Segments segments, int64_t num_rows, arrow::MemoryPool* pool,
                         std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  struct Text {
    const int32_t* offsets;
    const uint8_t* bytes;
  };
  std::vector<Text> texts(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const arrow::ArrayData& data = *sources[i]->data();
    texts[i] = {data.GetValues<int32_t>(1), data.buffers[2] == nullptr ? nullptr : data.buffers[2]->data()};
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets, arrow::AllocateBuffer((num_rows + 1) * 4, pool));
  auto* out = reinterpret_cast<int32_t*>(offsets->mutable_data());
  int64_t total = 0;
  *out++ = 0;
  for (const Segment& s : segments) {
    const int32_t* from = texts[s.source].offsets + s.start;
    const int64_t shift = total - from[0];
    for (uint32_t r = 1; r <= s.length; ++r) *out++ = static_cast<int32_t>(from[r] + shift);
    total += from[s.length] - from[0];
    if (total > std::numeric_limits<int32_t>::max()) {
      return arrow::Status::CapacityError(
          "a merged batch holds more than 2 GiB of text in one column: ask for fewer rows a batch");
    }
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes, arrow::AllocateBuffer(total, pool));
  uint8_t* to = bytes->mutable_data();
  for (const Segment& s : segments) {
    const int32_t* from = texts[s.source].offsets + s.start;
    const int32_t length = from[s.length] - from[0];
    if (length > 0) std::memcpy(to, texts[s.source].bytes + from[0], length);
    to += length;
  }
  buffers->push_back(std::move(offsets));
  buffers->push_back(std::move(bytes));
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> GatherNested(const std::shared_ptr<arrow::DataType>& type, Sources sources,
                                                          Segments segments, int64_t num_rows, arrow::MemoryPool* pool) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(pool, type, &builder));
  ARROW_RETURN_NOT_OK(builder->Reserve(num_rows));
  for (const Segment& s : segments) {
    ARROW_RETURN_NOT_OK(builder->AppendArraySlice(arrow::ArraySpan(*sources[s.source]->data()), s.start, s.length));
  }
  return builder->Finish();
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> Gather(const std::shared_ptr<arrow::DataType>& type, Sources sources,
                                                    Segments segments, int64_t num_rows, arrow::MemoryPool* pool) {
  if (segments.size() == 1) return sources[segments[0].source]->Slice(segments[0].start, segments[0].length);
  const arrow::Type::type id = type->id();
  const bool text = id == arrow::Type::STRING || id == arrow::Type::BINARY;
  const bool fixed = arrow::is_primitive(id) || id == arrow::Type::DECIMAL128;
  if (!text && !fixed) return GatherNested(type, sources, segments, num_rows, pool);
  std::vector<std::shared_ptr<arrow::Buffer>> buffers(1);
  ARROW_ASSIGN_OR_RAISE(buffers[0], GatherValidity(sources, segments, num_rows, pool));
  if (text) {
    ARROW_RETURN_NOT_OK(GatherText(sources, segments, num_rows, pool, &buffers));
  } else if (id == arrow::Type::BOOL) {
    ARROW_ASSIGN_OR_RAISE(buffers.emplace_back(), GatherBits(sources, segments, num_rows, pool));
  } else {
    ARROW_ASSIGN_OR_RAISE(buffers.emplace_back(), GatherFixed(type->byte_width(), sources, segments, num_rows, pool));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(type, num_rows, std::move(buffers)));
}

}  // namespace bactrian
