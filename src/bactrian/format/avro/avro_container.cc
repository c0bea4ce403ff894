#include "bactrian/format/avro/avro_container.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace bactrian {
namespace {

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr int64_t kHeadBytes = 64 << 10;
constexpr int64_t kMaxBlockHeadBytes = 20;  // two numbers of at most ten bytes

struct Header {
  std::map<std::string, std::string, std::less<>> metadata;
  std::string sync;
  int64_t size = 0;
};

arrow::Result<Header> ParseHeader(std::string_view bytes) {
  Header header;
  AvroCursor in(bytes);
  std::string_view raw;
  ARROW_RETURN_NOT_OK(in.ReadRaw(static_cast<int64_t>(kMagic.size()), &raw));
  for (;;) {
    int64_t count = 0, block_bytes = 0;
    ARROW_RETURN_NOT_OK(in.ReadItemCount(2, &count, &block_bytes));
    if (count == 0) break;
    for (int64_t i = 0; i < count; ++i) {
      std::string_view key, value;
      ARROW_RETURN_NOT_OK(in.ReadBytes(&key));
      ARROW_RETURN_NOT_OK(in.ReadBytes(&value));
      header.metadata.insert_or_assign(std::string(key), std::string(value));
    }
  }
  ARROW_RETURN_NOT_OK(in.ReadRaw(AvroContainer::kSyncBytes, &raw));
  header.sync = raw;
  header.size = static_cast<int64_t>(bytes.size()) - in.remaining();
  return header;
}

std::string_view ViewOf(const arrow::Buffer& buffer) { return std::string_view(buffer); }

/// The same error with the file's name in front.
arrow::Status Named(const std::string& path, const arrow::Status& status) {
  return status.WithMessage(path, ": ", status.message());
}

}  // namespace

arrow::Result<std::shared_ptr<const AvroContainer>> AvroContainer::Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                                        std::string path, int64_t length) {
  std::shared_ptr<AvroContainer> container(new AvroContainer());
  std::optional<Header> header;
  for (int64_t size = kHeadBytes; !header.has_value(); size *= 4) {
    ARROW_ASSIGN_OR_RAISE(container->head_, file->ReadAt(0, std::min(size, length)));
    const std::string_view head = ViewOf(*container->head_);
    if (!head.starts_with(kMagic)) return Corrupt(path, ": not an Avro container file");
    auto parsed = ParseHeader(head);
    if (parsed.ok()) {
      header = *std::move(parsed);
    } else if (size >= length) {  // else the header may go on
      return Named(path, parsed.status().WithMessage("Avro header: ", parsed.status().message()));
    }
  }
  const auto schema = header->metadata.find("avro.schema");
  if (schema == header->metadata.end()) return Corrupt(path, ": the Avro header has no schema");
  auto node = ParseAvroSchema(schema->second);
  if (!node.ok()) return Named(path, node.status());
  container->schema_ = *std::move(node);
  auto root = ResolveNullable(*container->schema_);
  if (!root.ok()) return Named(path, root.status());
  if (root->value == nullptr || root->value->kind != AvroKind::kRecord) return Corrupt(path, ": the Avro schema is no record");
  container->root_ = *root;
  const auto codec = header->metadata.find("avro.codec");
  if (codec != header->metadata.end()) container->codec_ = codec->second;
  if (auto known = AvroCodec::Make(container->codec_); !known.ok()) return Named(path, known.status());
  container->file_ = std::move(file);
  container->path_ = std::move(path);
  container->length_ = length;
  container->sync_ = std::move(header->sync);
  container->data_offset_ = header->size;
  return container;
}

int64_t AvroContainer::memory_bytes() const { return static_cast<int64_t>(sizeof(*this)) + head_->size() + 20 * data_offset_; }

AvroBlockReader::AvroBlockReader(std::shared_ptr<const AvroContainer> container, std::unique_ptr<AvroCodec> codec,
                                 int64_t read_ahead)
    : container_(std::move(container)),
      codec_(std::move(codec)),
      read_ahead_(read_ahead),
      window_(container_->head_),
      next_offset_(container_->data_offset_) {}

arrow::Result<AvroBlockReader> AvroBlockReader::Make(std::shared_ptr<const AvroContainer> container, int64_t read_ahead) {
  ARROW_ASSIGN_OR_RAISE(auto codec, AvroCodec::Make(container->codec()));
  return AvroBlockReader(std::move(container), std::move(codec), read_ahead);
}

arrow::Status AvroBlockReader::Error(const arrow::Status& status, int64_t offset) const {
  return status.WithMessage(container_->path_, ": block at byte ", offset, ": ", status.message());
}

arrow::Result<std::string_view> AvroBlockReader::Peek(int64_t offset, int64_t size) {
  const int64_t end = std::min(offset + size, container_->length_);
  if (offset < window_offset_ || end > window_offset_ + window_->size()) {
    const int64_t wanted = std::max(end - offset, std::min(read_ahead_, container_->length_ - offset));
    ARROW_ASSIGN_OR_RAISE(window_, container_->file_->ReadAt(offset, wanted));
    window_offset_ = offset;
    if (window_->size() < end - offset) return Error(Corrupt("the file ends within it"), offset);
  }
  return ViewOf(*window_).substr(static_cast<size_t>(offset - window_offset_));
}

arrow::Result<bool> AvroBlockReader::Next() {
  if (next_offset_ >= container_->length_) return false;
  offset_ = next_offset_;
  ARROW_ASSIGN_OR_RAISE(const std::string_view head, Peek(offset_, kMaxBlockHeadBytes));
  AvroCursor in(head);
  arrow::Status status = in.ReadLong(&num_records_);
  if (status.ok()) status = in.ReadLong(&data_bytes_);
  data_offset_ = offset_ + static_cast<int64_t>(head.size()) - in.remaining();
  const int64_t bytes_left = container_->length_ - data_offset_ - AvroContainer::kSyncBytes;
  if (status.ok() && (num_records_ < 0 || data_bytes_ < 0 || data_bytes_ > bytes_left)) {
    status = Corrupt(num_records_, " records in ", data_bytes_, " bytes, where ", bytes_left, " are left");
  }
  if (!status.ok()) return Error(status, offset_);
  next_offset_ = data_offset_ + data_bytes_ + AvroContainer::kSyncBytes;
  return true;
}

arrow::Result<std::string_view> AvroBlockReader::ReadData() {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, Peek(data_offset_, data_bytes_ + AvroContainer::kSyncBytes));
  if (bytes.substr(static_cast<size_t>(data_bytes_), AvroContainer::kSyncBytes) != container_->sync_) {
    return Error(Corrupt("no sync marker at its end"), offset_);
  }
  auto data = codec_->Decompress(bytes.substr(0, static_cast<size_t>(data_bytes_)));
  if (!data.ok()) return Error(data.status(), offset_);
  const int64_t record_bytes = std::max<int64_t>(container_->record().min_bytes, 1);
  if (num_records_ > static_cast<int64_t>(data->size()) / record_bytes) {
    return Error(Corrupt(num_records_, " records in ", data->size(), " bytes"), offset_);
  }
  return data;
}

arrow::Result<int64_t> CountAvroRows(const std::shared_ptr<const AvroContainer>& container) {
  constexpr int64_t kReadAhead = 4 << 10;
  ARROW_ASSIGN_OR_RAISE(auto blocks, AvroBlockReader::Make(container, kReadAhead));
  int64_t total = 0;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(const bool more, blocks.Next());
    if (!more) return total;
    if (__builtin_add_overflow(total, blocks.num_records(), &total)) {
      return Corrupt(container->path(), ": a block of ", blocks.num_records(), " records");
    }
  }
}

}  // namespace bactrian
