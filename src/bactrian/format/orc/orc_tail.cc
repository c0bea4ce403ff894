#include "bactrian/format/orc/orc_tail.h"

#include <arrow/util/compression.h>

#include "bactrian/format/avro/avro_codec.h"

namespace bactrian {
namespace {

/// A Protocol Buffers message, field by field.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view bytes) : rest_(bytes) {}

  /// False at the end and at malformed bytes; ok() tells which.
  bool Next() {
    if (rest_.empty() || !ok_) return false;
    const uint64_t key = Varint();
    field_ = static_cast<uint32_t>(key >> 3);
    switch (key & 7) {
      case 0:
        number_ = Varint();
        break;
      case 1:
        Skip(8);
        break;
      case 2: {
        const uint64_t length = Varint();
        if (length > rest_.size()) return ok_ = false;
        bytes_ = rest_.substr(0, length);
        rest_.remove_prefix(length);
        break;
      }
      case 5:
        Skip(4);
        break;
      default:
        ok_ = false;
    }
    return ok_;
  }
  bool ok() const { return ok_; }
  uint32_t field() const { return field_; }
  uint64_t number() const { return number_; }
  std::string_view bytes() const { return bytes_; }

  /// A packed repeated field, or one value of an unpacked one.
  void AppendNumbers(std::vector<uint32_t>* numbers) {
    if (bytes_.data() == nullptr) return numbers->push_back(static_cast<uint32_t>(number_));
    ProtoReader packed(bytes_);
    while (!packed.rest_.empty() && packed.ok_) numbers->push_back(static_cast<uint32_t>(packed.Varint()));
    ok_ = ok_ && packed.ok_;
  }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  void Skip(size_t n) {
    if (rest_.size() < n) {
      ok_ = false;
    } else {
      rest_.remove_prefix(n);
    }
  }

  std::string_view rest_;
  bool ok_ = true;
  uint32_t field_ = 0;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

bool ParseStripe(std::string_view bytes, OrcStripe* stripe) {
  ProtoReader reader(bytes);
  while (reader.Next()) {
    uint64_t* const members[] = {&stripe->offset, &stripe->index_length, &stripe->data_length, &stripe->footer_length,
                                 &stripe->num_rows};
    if (reader.field() >= 1 && reader.field() <= 5) *members[reader.field() - 1] = reader.number();
  }
  return reader.ok();
}

bool ParseType(std::string_view bytes, OrcType* type) {
  ProtoReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) type->kind = static_cast<uint32_t>(reader.number());
    if (reader.field() == 2) reader.AppendNumbers(&type->subtypes);
  }
  return reader.ok();
}

bool ParsePostScript(std::string_view bytes, OrcTail* tail) {
  ProtoReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 2) tail->compression = static_cast<uint32_t>(reader.number());
    if (reader.field() == 3) tail->block_size = reader.number();
  }
  return reader.ok();
}

bool ParseFooter(std::string_view bytes, OrcTail* tail) {
  ProtoReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 3 && !ParseStripe(reader.bytes(), &tail->stripes.emplace_back())) return false;
    if (reader.field() == 4 && !ParseType(reader.bytes(), &tail->types.emplace_back())) return false;
  }
  return reader.ok();
}

}  // namespace

std::optional<OrcTail> OrcTail::Parse(std::string_view serialized) {
  OrcTail tail;
  ProtoReader reader(serialized);
  while (reader.Next()) {
    if (reader.field() == 1 && !ParsePostScript(reader.bytes(), &tail)) return std::nullopt;
    if (reader.field() == 2 && !ParseFooter(reader.bytes(), &tail)) return std::nullopt;
  }
  if (!reader.ok()) return std::nullopt;
  return tail;
}

std::optional<OrcStripeFooter> OrcStripeFooter::Parse(std::string_view bytes) {
  OrcStripeFooter footer;
  ProtoReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 3) footer.writer_timezone = std::string(reader.bytes());
    if (reader.field() != 1 && reader.field() != 2) continue;
    const bool is_stream = reader.field() == 1;
    ProtoReader part(reader.bytes());
    OrcStream stream;
    uint32_t encoding = 0;
    while (part.Next()) {
      if (part.field() == 1) stream.kind = encoding = static_cast<uint32_t>(part.number());
      if (part.field() == 2) stream.column = static_cast<uint32_t>(part.number());
      if (part.field() == 3) stream.length = part.number();
    }
    if (!part.ok()) return std::nullopt;
    if (is_stream) {
      footer.streams.push_back(stream);
    } else {
      footer.encodings.push_back(encoding);
    }
  }
  if (!reader.ok()) return std::nullopt;
  return footer;
}

arrow::Result<std::string> OrcDecompress(std::string_view bytes, uint32_t compression, uint64_t block_size) {
  constexpr uint64_t kMaxBlock = 1 << 23;  // the length of a chunk has 23 bits
  if (static_cast<OrcCompression>(compression) == OrcCompression::kNone) return std::string(bytes);
  std::unique_ptr<AvroCodec> stream;  // the sizes of chunks are not recorded
  std::unique_ptr<arrow::util::Codec> codec;
  switch (static_cast<OrcCompression>(compression)) {
    case OrcCompression::kZlib: {
      ARROW_ASSIGN_OR_RAISE(stream, AvroCodec::Make("deflate"));
      break;
    }
    case OrcCompression::kSnappy: {
      ARROW_ASSIGN_OR_RAISE(codec, arrow::util::Codec::Create(arrow::Compression::SNAPPY));
      break;
    }
    case OrcCompression::kLz4: {
      ARROW_ASSIGN_OR_RAISE(codec, arrow::util::Codec::Create(arrow::Compression::LZ4));
      break;
    }
    case OrcCompression::kZstd: {
      ARROW_ASSIGN_OR_RAISE(stream, AvroCodec::Make("zstandard"));
      break;
    }
    default:
      return Unsupported("ORC compression ", compression);
  }
  if (block_size == 0 || block_size > kMaxBlock) return Corrupt("an ORC block size of ", block_size);
  std::string out;
  while (!bytes.empty()) {
    if (bytes.size() < 3) return Corrupt("an ORC chunk without its header");
    const auto* head = reinterpret_cast<const uint8_t*>(bytes.data());
    const uint32_t header = head[0] | head[1] << 8 | head[2] << 16;
    bytes.remove_prefix(3);
    if (header >> 1 > bytes.size()) return Corrupt("an ORC chunk of ", header >> 1, " bytes in ", bytes.size());
    const std::string_view chunk = bytes.substr(0, header >> 1);
    bytes.remove_prefix(chunk.size());
    if (header & 1) {  // stored as it is
      out.append(chunk);
    } else if (stream) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view plain, stream->Decompress(chunk));
      out.append(plain);
    } else {
      const size_t begin = out.size();
      out.resize(begin + block_size);
      ARROW_ASSIGN_OR_RAISE(
          const int64_t size,
          codec->Decompress(static_cast<int64_t>(chunk.size()), reinterpret_cast<const uint8_t*>(chunk.data()),
                            static_cast<int64_t>(block_size), reinterpret_cast<uint8_t*>(out.data() + begin)));
      out.resize(begin + size);
    }
  }
  return out;
}

}  // namespace bactrian
