#pragma once

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "bactrian/status.h"

namespace bactrian {

/// The common half of all stores' input files: a position, bounds, and ReadAt() into fresh buffers. A store implements
/// ReadRange() only, which must be thread-safe. Reads past `length` are short; reads past `present`, the bytes that the store
/// knows to be there, are kCorrupt before anything is allocated for them.
class RangedInput : public arrow::io::RandomAccessFile {
 public:
  RangedInput(std::string path, int64_t length, int64_t present) : path_(std::move(path)), length_(length), present_(present) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    if (position < 0) return Invalid("seek to ", position);
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> GetSize() override { return length_; }

  arrow::Result<int64_t> Read(int64_t nbytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(int64_t read, ReadAt(position_, nbytes, out));
    position_ += read;
    return read;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t nbytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, nbytes));
    position_ += buffer->size();
    return buffer;
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t nbytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(int64_t available, Available(position, nbytes));
    if (available > 0) ARROW_RETURN_NOT_OK(ReadRange(position, available, static_cast<uint8_t*>(out)));
    return available;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t nbytes) override {
    ARROW_ASSIGN_OR_RAISE(int64_t available, Available(position, nbytes));
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(available));
    if (available > 0) ARROW_RETURN_NOT_OK(ReadRange(position, available, buffer->mutable_data()));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 protected:
  /// Reads exactly `nbytes` > 0 at `position`, all within the length.
  virtual arrow::Status ReadRange(int64_t position, int64_t nbytes, uint8_t* out) = 0;

  const std::string path_;

 private:
  arrow::Result<int64_t> Available(int64_t position, int64_t nbytes) const {
    if (closed_) return Invalid("read of a closed file");
    if (position < 0 || nbytes < 0) return Invalid("read of ", nbytes, " bytes at ", position);
    if (position >= length_) return 0;
    const int64_t available = std::min(nbytes, length_ - position);
    if (position + available > present_) {
      return Corrupt(path_, ": the file ends at byte ", present_, ", before its recorded length ", length_);
    }
    return available;
  }

  const int64_t length_;
  const int64_t present_;
  int64_t position_ = 0;
  std::atomic<bool> closed_{false};
};

}  // namespace bactrian
