#include "bactrian/format/orc/orc_timestamps.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/interfaces.h>

#include "bactrian/format/orc/orc_run_length.h"
#include "bactrian/types/timestamp.h"

namespace bactrian {
namespace {

constexpr int64_t kEpochSeconds = 1420070400;  // ORC counts from 2015-01-01 00:00:00
constexpr int64_t kNanosPerSecond = 1000000000;
constexpr uint32_t kDirectV2 = 2;

class TimestampDecoder {
 public:
  TimestampDecoder(arrow::io::RandomAccessFile& file, const std::string& path, int64_t file_length, const OrcTail& tail)
      : file_(file), path_(path), file_length_(file_length), tail_(tail) {}

  arrow::Result<std::shared_ptr<arrow::Array>> Decode(const OrcStripe& stripe, uint32_t id,
                                                      const std::shared_ptr<arrow::DataType>& target,
                                                      arrow::MemoryPool* pool) const {
    const uint64_t footer_at = stripe.offset + stripe.index_length + stripe.data_length;
    ARROW_ASSIGN_OR_RAISE(const std::string footer_bytes, Read(footer_at, stripe.footer_length));
    const auto footer = OrcStripeFooter::Parse(footer_bytes);
    if (!footer || id >= footer->encodings.size()) return Malformed("stripe footer");
    const std::string& zone = footer->writer_timezone;
    const bool is_instant = tail_.types[id].kind == static_cast<uint32_t>(OrcTypeKind::kTimestampInstant);
    if (footer->encodings[id] != kDirectV2) return nullptr;
    if (!is_instant && !zone.empty() && zone != "UTC" && zone != "GMT" && zone != "Etc/UTC") return nullptr;

    std::string present, data, secondary;
    bool has_present = false;
    uint64_t at = stripe.offset;
    for (const OrcStream& stream : footer->streams) {
      if (stream.column == id) {
        const auto kind = static_cast<OrcStreamKind>(stream.kind);
        std::string* const into = kind == OrcStreamKind::kPresent     ? &present
                                  : kind == OrcStreamKind::kData      ? &data
                                  : kind == OrcStreamKind::kSecondary ? &secondary
                                                                      : nullptr;
        has_present |= into == &present;
        if (into) {
          ARROW_ASSIGN_OR_RAISE(*into, Read(at, stream.length));
        }
      }
      if (__builtin_add_overflow(at, stream.length, &at)) return Malformed("stream length");
    }
    const auto num_rows = static_cast<int64_t>(stripe.num_rows);
    if (num_rows < 0) return Malformed("row count");
    std::vector<uint8_t> is_valid;
    if (has_present && !DecodeOrcBooleans(present, num_rows, &is_valid)) return Malformed("present stream");
    int64_t num_values = num_rows;
    if (has_present) {
      num_values = 0;
      for (const uint8_t valid : is_valid) num_values += valid;
    }
    std::vector<int64_t> seconds, nanos;
    if (!DecodeOrcIntegers(data, true, num_values, &seconds) || !DecodeOrcIntegers(secondary, false, num_values, &nanos)) {
      return Malformed("timestamp stream");
    }
    return Build(is_valid, num_rows, seconds, nanos, target, pool);
  }

 private:
  arrow::Status Malformed(const char* what) const { return Corrupt("orc file ", path_, ": malformed ", what); }

  arrow::Result<std::string> Read(uint64_t offset, uint64_t length) const {
    const auto file_length = static_cast<uint64_t>(file_length_);
    if (offset > file_length || length > file_length - offset) return Malformed("stream position");
    ARROW_ASSIGN_OR_RAISE(const auto buffer, file_.ReadAt(static_cast<int64_t>(offset), static_cast<int64_t>(length)));
    if (buffer->size() != static_cast<int64_t>(length)) return Malformed("stream length");
    auto plain = OrcDecompress(std::string_view(*buffer), tail_.compression, tail_.block_size);
    if (plain.ok()) return plain;
    return Corrupt("orc file ", path_, ": ", plain.status().message());
  }

  /// The low three bits say how many zeros were cut off, less one.
  static int64_t Nanos(int64_t encoded) {
    int64_t nanos = encoded >> 3;  // Arrow's own writer has negative ones before 1970
    if ((encoded & 7) == 0 || nanos <= -kNanosPerSecond || nanos >= kNanosPerSecond) return nanos;
    for (int64_t i = 0; i <= (encoded & 7); ++i) nanos *= 10;
    return nanos;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Build(const std::vector<uint8_t>& is_valid, int64_t num_rows,
                                                     const std::vector<int64_t>& seconds, const std::vector<int64_t>& nanos,
                                                     const std::shared_ptr<arrow::DataType>& target,
                                                     arrow::MemoryPool* pool) const {
    const int64_t per_milli = UnitsPerMilli(static_cast<const arrow::TimestampType&>(*target).unit());
    arrow::TimestampBuilder builder(target, pool);
    ARROW_RETURN_NOT_OK(builder.Reserve(num_rows));
    size_t next = 0;
    for (int64_t row = 0; row < num_rows; ++row) {
      if (!is_valid.empty() && !is_valid[row]) {
        builder.UnsafeAppendNull();
        continue;
      }
      __int128 second = static_cast<__int128>(seconds[next]) + kEpochSeconds;
      const int64_t nano = Nanos(nanos[next++]);
      if (nano <= -kNanosPerSecond || nano >= kNanosPerSecond) return Malformed("nanoseconds");
      if (second < 0 && nano > 999999) second -= 1;  // the writers round toward zero
      const __int128 total = second * kNanosPerSecond + nano;
      const int64_t nanos_per_unit = kNanosPerMilli / per_milli;
      const __int128 units = total / nanos_per_unit - (total % nanos_per_unit < 0 ? 1 : 0);
      const auto stored = static_cast<int64_t>(units);
      if (stored != units) {
        return Unsupported("orc file ", path_, ": a timestamp at second ", static_cast<int64_t>(second), " does not fit ",
                           target->ToString());
      }
      builder.UnsafeAppend(stored);
    }
    return builder.Finish();
  }

  arrow::io::RandomAccessFile& file_;
  const std::string& path_;
  const int64_t file_length_;
  const OrcTail& tail_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> ReadOrcTimestamps(arrow::io::RandomAccessFile& file, const std::string& path,
                                                               int64_t file_length, const OrcTail& tail, int64_t stripe,
                                                               int column, const std::shared_ptr<arrow::DataType>& target,
                                                               arrow::MemoryPool* pool) {
  if (tail.types.empty() || static_cast<size_t>(stripe) >= tail.stripes.size()) return nullptr;
  const std::vector<uint32_t>& columns = tail.types[0].subtypes;
  if (static_cast<size_t>(column) >= columns.size() || columns[column] >= tail.types.size()) return nullptr;
  const uint32_t id = columns[column], kind = tail.types[id].kind;
  if (kind != static_cast<uint32_t>(OrcTypeKind::kTimestamp) && kind != static_cast<uint32_t>(OrcTypeKind::kTimestampInstant)) {
    return nullptr;
  }
  return TimestampDecoder(file, path, file_length, tail).Decode(tail.stripes[stripe], id, target, pool);
}

}  // namespace bactrian
