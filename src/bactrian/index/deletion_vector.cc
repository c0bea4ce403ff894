#include "bactrian/index/deletion_vector.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bactrian/base/byte_order.h"
#include "bactrian/base/crc32.h"
#include "bactrian/io/read_ranges.h"

namespace bactrian {
namespace {

constexpr char kVersion = 1;               // the first byte of an index file
constexpr uint32_t kMagic32 = 1581511376;  // big-endian
constexpr uint32_t kMagic64 = 1681511377;  // little-endian
constexpr int64_t kFieldBytes = 4;         // of the size before a vector, of its magic, and of the checksum after it

/// The checked parts of a serialised vector.
struct Blob {
  uint32_t magic;           ///< as big-endian
  std::string_view bitmap;  ///< what follows the magic
};

/// `bytes` start with the vector's size; they may go on after its checksum. The 32-bit length of an index manifest is the size
/// of magic and bitmap, the 64-bit one counts the size and the checksum too.
arrow::Result<Blob> ParseBlob(std::string_view bytes, int64_t recorded_length) {
  if (bytes.size() < 2 * kFieldBytes) return Corrupt("it is cut off");
  const int64_t size = LoadBigEndian<uint32_t>(bytes);
  const std::string_view rest = bytes.substr(kFieldBytes);
  if (size < kFieldBytes || size + kFieldBytes > static_cast<int64_t>(rest.size())) return Corrupt("it is cut off");
  const std::string_view checked = rest.substr(0, static_cast<size_t>(size));
  const uint32_t magic = LoadBigEndian<uint32_t>(checked);
  if (magic != kMagic32 && magic != ReverseBytes(kMagic64)) return Corrupt("unknown magic number ", magic);
  const int64_t length = magic == kMagic32 ? size : size + 2 * kFieldBytes;
  if (length != recorded_length) return Corrupt("it is ", length, " bytes long, not ", recorded_length);
  if (LoadBigEndian<uint32_t>(rest.substr(static_cast<size_t>(size))) != Crc32(checked))
    return Corrupt("the checksum is wrong");
  return Blob{magic, checked.substr(kFieldBytes)};
}

arrow::Result<RoaringBitmap> ParseVector(std::string_view bytes, const DeletionVectorRange& range) {
  ARROW_ASSIGN_OR_RAISE(const Blob blob, ParseBlob(bytes, range.length));
  size_t consumed = 0;
  ARROW_ASSIGN_OR_RAISE(RoaringBitmap bitmap, blob.magic == kMagic32
                                                  ? RoaringBitmap::ParseRb32(blob.bitmap, &consumed)
                                                  : RoaringBitmap::ParseRb64Portable(blob.bitmap, &consumed));
  if (consumed != blob.bitmap.size()) return Corrupt(blob.bitmap.size() - consumed, " bytes after the bitmap");
  if (range.cardinality.has_value() && *range.cardinality != static_cast<int64_t>(bitmap.Cardinality())) {
    return Corrupt("it deletes ", bitmap.Cardinality(), " rows, not ", *range.cardinality);
  }
  return bitmap;
}

arrow::Result<RoaringBitmap> ReadVector(FileStore& store, const std::string& path, const DeletionVectorRange& range) {
  ARROW_ASSIGN_OR_RAISE(const auto file, store.OpenInput(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t file_size, file->GetSize());
  if (range.offset < 1 || range.length < kFieldBytes || range.offset > file_size) return Corrupt("it is outside of the file");
  const int64_t size = std::min<int64_t>(int64_t{range.length} + 2 * kFieldBytes, file_size - range.offset);
  const std::array<arrow::io::ReadRange, 2> parts = {{{0, 1}, {range.offset, size}}};
  ARROW_ASSIGN_OR_RAISE(const auto buffers, ReadRanges(*file, parts, file_size, path));
  if (std::string_view(*buffers[0])[0] != kVersion) return Corrupt("unknown version of the index file");
  return ParseVector(std::string_view(*buffers[1]), range);
}

/// The size, magic, bitmap and checksum of a vector.
arrow::Result<std::string> SerializeVector(const RoaringBitmap& vector, bool bitmap64) {
  ARROW_ASSIGN_OR_RAISE(const std::string rb32, vector.ToRb32());
  std::string checked;
  if (bitmap64) {
    // One 32-bit map a high half, from 0 on without gaps; no data file has so many rows that there would be a second one.
    const bool empty = vector.Cardinality() == 0;
    AppendLittleEndian(kMagic64, &checked);
    AppendLittleEndian(uint64_t{empty ? 0u : 1u}, &checked);
    if (!empty) AppendLittleEndian(uint32_t{0}, &checked);
    if (!empty) checked += rb32;
  } else {
    AppendBigEndian(kMagic32, &checked);
    checked += rb32;
  }
  std::string bytes;
  AppendBigEndian(static_cast<uint32_t>(checked.size()), &bytes);
  bytes += checked;
  AppendBigEndian(Crc32(checked), &bytes);
  return bytes;
}

}  // namespace

arrow::Result<std::shared_ptr<const RoaringBitmap>> ReadDeletionVector(FileStore& store, const std::string& path,
                                                                       const DeletionVectorRange& range) {
  auto vector = ReadVector(store, path, range);
  if (vector.ok()) return std::make_shared<const RoaringBitmap>(*std::move(vector));
  const arrow::Status& status = vector.status();
  const std::string message = arrow::internal::JoinToString("deletion vector of ", range.data_file, " at byte ", range.offset,
                                                            " of ", path, ": ", status.message());
  // A file that is gone is as bad as a damaged one; other errors (of the disk, of memory) stay what they are.
  return KindOf(status) == ErrorKind::kNotFound ? Corrupt(message) : status.WithMessage(message);
}

arrow::Result<WrittenDeletionVectors> WriteDeletionVectors(
    FileStore& store, const std::string& directory, const std::string& file_name,
    const std::vector<std::pair<std::string, const RoaringBitmap*>>& vectors, bool bitmap64) {
  WrittenDeletionVectors written;
  std::string bytes(1, kVersion);
  for (const auto& [data_file, vector] : vectors) {
    auto blob = SerializeVector(*vector, bitmap64);
    if (!blob.ok()) return blob.status().WithMessage("deletion vector of ", data_file, ": ", blob.status().message());
    if (bytes.size() + blob->size() > INT32_MAX) return Invalid("deletion vectors of more than 2 GiB in ", file_name);
    DeletionVectorRange& range = written.ranges.emplace_back();
    range.data_file = data_file;
    range.offset = static_cast<int32_t>(bytes.size());
    range.length = static_cast<int32_t>(blob->size() - (bitmap64 ? 0 : 2 * kFieldBytes));
    range.cardinality = static_cast<int64_t>(vector->Cardinality());
    bytes += *blob;
  }
  ARROW_ASSIGN_OR_RAISE(const auto sink, store.OpenOutput(JoinPath(directory, file_name)));
  ARROW_RETURN_NOT_OK(sink->Write(bytes));
  ARROW_RETURN_NOT_OK(sink->Close());
  written.file = {file_name, static_cast<int64_t>(bytes.size())};
  return written;
}

}  // namespace bactrian
