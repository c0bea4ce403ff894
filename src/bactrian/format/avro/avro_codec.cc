#include "bactrian/format/avro/avro_codec.h"

#include <arrow/buffer.h>
#include <arrow/util/compression.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "bactrian/base/crc32.h"

namespace bactrian {
namespace {

const uint8_t* BytesOf(std::string_view data) { return reinterpret_cast<const uint8_t*>(data.data()); }

/// A byte buffer that grows without keeping or clearing what was in it.
class Scratch {
 public:
  arrow::Result<uint8_t*> Reserve(int64_t size) {
    if (buffer_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(buffer_, arrow::AllocateResizableBuffer(size));
    } else if (buffer_->size() < size) {
      ARROW_RETURN_NOT_OK(buffer_->Resize(size, /*shrink_to_fit=*/false));
    }
    return buffer_->mutable_data();
  }
  int64_t size() const { return buffer_ == nullptr ? 0 : buffer_->size(); }
  std::string_view View(int64_t size) const {
    return {reinterpret_cast<const char*>(buffer_->data()), static_cast<size_t>(size)};
  }

 private:
  std::unique_ptr<arrow::ResizableBuffer> buffer_;
};

class NullCodec : public AvroCodec {
 public:
  arrow::Result<std::string_view> Decompress(std::string_view block) override { return block; }
  arrow::Result<std::string_view> Compress(std::string_view data) override { return data; }
};

/// deflate (raw, without a header) and zstandard: the expanded size is not told, so the output grows as data appears.
class StreamCodec : public AvroCodec {
 public:
  StreamCodec(std::string name, std::unique_ptr<arrow::util::Codec> codec) : name_(std::move(name)), codec_(std::move(codec)) {}

  arrow::Result<std::string_view> Decompress(std::string_view block) override {
    if (decompressor_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(decompressor_, codec_->MakeDecompressor());
    } else {
      ARROW_RETURN_NOT_OK(decompressor_->Reset());
    }
    const uint8_t* input = BytesOf(block);
    auto input_left = static_cast<int64_t>(block.size());
    ARROW_ASSIGN_OR_RAISE(uint8_t * output, scratch_.Reserve(std::max<int64_t>(4 * input_left, 4096)));
    int64_t written = 0;
    while (!decompressor_->IsFinished()) {
      auto step = decompressor_->Decompress(input_left, input, scratch_.size() - written, output + written);
      if (!step.ok()) return Corrupt(name_, " block: ", step.status().message());
      input += step->bytes_read;
      input_left -= step->bytes_read;
      written += step->bytes_written;
      if (decompressor_->IsFinished()) break;
      if (written == scratch_.size()) {
        if (written >= kMaxBlockBytes) return Unsupported(name_, " block of more than ", kMaxBlockBytes, " bytes");
        ARROW_ASSIGN_OR_RAISE(output, scratch_.Reserve(std::min(2 * written, kMaxBlockBytes)));
      } else if (step->bytes_read == 0 && step->bytes_written == 0) {
        return Corrupt(name_, " block: cut off");
      }
    }
    // Some writers make deflate blocks by cutting a zlib stream short and leave three bytes of its checksum.
    if (input_left != 0 && name_ != "deflate") return Corrupt(name_, " block: ", input_left, " bytes after its end");
    return scratch_.View(written);
  }

  arrow::Result<std::string_view> Compress(std::string_view data) override {
    const auto size = static_cast<int64_t>(data.size());
    const int64_t limit = codec_->MaxCompressedLen(size, BytesOf(data));
    ARROW_ASSIGN_OR_RAISE(uint8_t * output, scratch_.Reserve(limit));
    ARROW_ASSIGN_OR_RAISE(const int64_t written, codec_->Compress(size, BytesOf(data), limit, output));
    return scratch_.View(written);
  }

 private:
  const std::string name_;
  const std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::util::Decompressor> decompressor_;
  Scratch scratch_;
};

/// snappy, then the CRC-32 of the expanded bytes, big-endian.
class SnappyCodec : public AvroCodec {
 public:
  explicit SnappyCodec(std::unique_ptr<arrow::util::Codec> codec) : codec_(std::move(codec)) {}

  arrow::Result<std::string_view> Decompress(std::string_view block) override {
    if (block.size() < kChecksumBytes) return Corrupt("snappy block: cut off");
    const std::string_view data = block.substr(0, block.size() - kChecksumBytes);
    ARROW_ASSIGN_OR_RAISE(const int64_t size, ExpandedSize(data));
    ARROW_ASSIGN_OR_RAISE(uint8_t * output, scratch_.Reserve(size));
    auto written = codec_->Decompress(static_cast<int64_t>(data.size()), BytesOf(data), size, output);
    if (!written.ok()) return Corrupt("snappy block: ", written.status().message());
    const std::string_view expanded = scratch_.View(size);
    if (*written != size || Checksum(expanded) != block.substr(data.size()))
      return Corrupt("snappy block: the checksum is wrong");
    return expanded;
  }

  arrow::Result<std::string_view> Compress(std::string_view data) override {
    const auto size = static_cast<int64_t>(data.size());
    const int64_t limit = codec_->MaxCompressedLen(size, BytesOf(data));
    ARROW_ASSIGN_OR_RAISE(uint8_t * output, scratch_.Reserve(limit + kChecksumBytes));
    ARROW_ASSIGN_OR_RAISE(const int64_t written, codec_->Compress(size, BytesOf(data), limit, output));
    std::memcpy(output + written, Checksum(data).data(), kChecksumBytes);
    return scratch_.View(written + kChecksumBytes);
  }

 private:
  static constexpr int64_t kChecksumBytes = 4;
  static constexpr int64_t kMaxExpansion = 64;  // a copy of up to 64 bytes takes at least 2; a literal more than its length

  /// The size that the block claims, in its first bytes, to expand to.
  static arrow::Result<int64_t> ExpandedSize(std::string_view data) {
    uint64_t size = 0;
    for (size_t i = 0; i < data.size() && i < 5; ++i) {
      const auto byte = static_cast<uint8_t>(data[i]);
      size |= uint64_t{byte & 0x7fu} << (7 * i);
      if (byte < 0x80) {
        if (size > data.size() * kMaxExpansion || size > kMaxBlockBytes)
          return Corrupt("snappy block: ", size, " bytes expanded");
        return static_cast<int64_t>(size);
      }
    }
    return Corrupt("snappy block: cut off");
  }

  static std::string Checksum(std::string_view data) {
    const uint32_t crc = Crc32(data);
    return {static_cast<char>(crc >> 24), static_cast<char>(crc >> 16), static_cast<char>(crc >> 8), static_cast<char>(crc)};
  }

  const std::unique_ptr<arrow::util::Codec> codec_;
  Scratch scratch_;
};

}  // namespace

arrow::Result<std::unique_ptr<AvroCodec>> AvroCodec::Make(std::string_view name, int32_t zstd_level) {
  using arrow::util::Codec;
  std::unique_ptr<Codec> codec;
  if (name == "null" || name.empty()) return std::make_unique<NullCodec>();
  if (name == "zstandard") {
    ARROW_ASSIGN_OR_RAISE(codec, Codec::Create(arrow::Compression::ZSTD, zstd_level));
  } else if (name == "deflate") {
    arrow::util::GZipCodecOptions options;
    options.gzip_format = arrow::util::GZipFormat::DEFLATE;
    ARROW_ASSIGN_OR_RAISE(codec, Codec::Create(arrow::Compression::GZIP, options));
  } else if (name == "snappy") {
    ARROW_ASSIGN_OR_RAISE(codec, Codec::Create(arrow::Compression::SNAPPY));
    return std::make_unique<SnappyCodec>(std::move(codec));
  } else {
    return Unsupported("the Avro codec '", name, "'");
  }
  return std::make_unique<StreamCodec>(std::string(name), std::move(codec));
}

}  // namespace bactrian
