#include "bactrian/table/write/commit_message.h"

#include <cstring>
#include <type_traits>

namespace bactrian {

namespace {

constexpr std::string_view kMagic = "BCMT";
constexpr int32_t kVersion = 1;

/// Appends values as little-endian numbers, strings with their length, and lists with their count.
class Encoder {
 public:
  static constexpr bool kReads = false;

  template <typename T>
  requires std::is_arithmetic_v<T>
  void operator()(T& value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  void operator()(std::string& value) {
    Count(value.size());
    bytes_ += value;
  }
  void Count(uint64_t count) { (*this)(count); }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what Encoder wrote from bytes that nobody vouched for; after the first failure everything reads as empty.
class Decoder {
 public:
  static constexpr bool kReads = true;

  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  requires std::is_arithmetic_v<T>
  void operator()(T& value) {
    if (!Has(sizeof(T))) return;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
  }
  void operator()(std::string& value) {
    const uint64_t size = Count();
    if (!Has(size)) return;
    value.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  /// A count of elements of at least one byte each, hence never more than the bytes that are left.
  uint64_t Count() {
    uint64_t count = 0;
    (*this)(count);
    return Has(count) ? count : 0;
  }
  void Fail() { failed_ = true; }
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

 private:
  bool Has(uint64_t size) {
    failed_ = failed_ || size > rest_.size();
    return !failed_;
  }

  std::string_view rest_;
  bool failed_ = false;
};

// One description of the layout serves both directions: Archive is Encoder or Decoder.

template <typename Archive, typename T>
void Visit(Archive& archive, T& value);

template <typename Archive, typename T>
void VisitOptional(Archive& archive, std::optional<T>& value) {
  uint8_t present = value.has_value();
  archive(present);
  if constexpr (Archive::kReads) {
    if (present > 1) archive.Fail();
    if (present == 1 && !archive.failed()) value.emplace();
  }
  if (value) Visit(archive, *value);
}

template <typename Archive, typename T>
void VisitList(Archive& archive, std::vector<T>& values) {
  if constexpr (Archive::kReads) {
    const uint64_t count = archive.Count();
    for (uint64_t i = 0; i < count && !archive.failed(); ++i) Visit(archive, values.emplace_back());
  } else {
    archive.Count(values.size());
    for (T& value : values) Visit(archive, value);
  }
}

template <typename Archive, typename T>
void Visit(Archive& archive, std::optional<T>& value) {
  VisitOptional(archive, value);
}

template <typename Archive, typename T>
void Visit(Archive& archive, std::vector<T>& values) {
  VisitList(archive, values);
}

template <typename Archive>
void Visit(Archive& archive, FileSource& value) {
  auto raw = static_cast<int8_t>(value);
  archive(raw);
  if constexpr (Archive::kReads) {
    if (raw < 0 || raw > static_cast<int8_t>(FileSource::kCompact)) archive.Fail();
  }
  value = static_cast<FileSource>(raw);
}

template <typename Archive, typename... Members>
void VisitAll(Archive& archive, Members&... members) {
  (Visit(archive, members), ...);
}

template <typename Archive>
void Visit(Archive& archive, SimpleStats& stats) {
  VisitAll(archive, stats.min_values, stats.max_values, stats.null_counts);
}

template <typename Archive>
void Visit(Archive& archive, DataFileMeta& file) {
  VisitAll(archive, file.file_name, file.file_size, file.row_count, file.min_key, file.max_key, file.key_stats,
           file.value_stats, file.min_sequence_number, file.max_sequence_number, file.schema_id, file.level, file.extra_files,
           file.creation_time_millis, file.delete_row_count, file.embedded_index, file.file_source, file.value_stats_cols,
           file.external_path, file.first_row_id, file.write_cols, file.write_cols_sequences);
}

template <typename Archive>
void Visit(Archive& archive, DeletionVectorRange& range) {
  VisitAll(archive, range.data_file, range.offset, range.length, range.cardinality);
}

template <typename Archive>
void Visit(Archive& archive, GlobalIndexMeta& index) {
  VisitAll(archive, index.row_range_start, index.row_range_end, index.index_field_id, index.extra_field_ids, index.index_meta,
           index.source_meta);
}

template <typename Archive>
void Visit(Archive& archive, IndexFileEntry& entry) {
  VisitAll(archive, entry.partition, entry.bucket, entry.index_type, entry.file_name, entry.file_size, entry.row_count,
           entry.deletion_vectors, entry.external_path, entry.global_index);
}

template <typename Archive>
void Visit(Archive& archive, CommitMessage& message) {
  VisitAll(archive, message.partition, message.bucket, message.total_buckets, message.new_files, message.deleted_files,
           message.changelog_files, message.new_index_files, message.deleted_index_files, message.compact_before,
           message.compact_after, message.compact_changelog, message.compact_new_index_files,
           message.compact_deleted_index_files);
}

template <typename Archive, typename T>
void Visit(Archive& archive, T& value) {
  archive(value);
}

}  // namespace

std::string SerializeCommitMessage(const CommitMessage& message) {
  Encoder encoder;
  int32_t version = kVersion;
  encoder(version);
  CommitMessage copy = message;  // an Encoder changes nothing, but the layout is described once, for both directions
  Visit(encoder, copy);
  return std::string(kMagic) + encoder.Take();
}

arrow::Result<CommitMessagePtr> ParseCommitMessage(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Corrupt("these bytes are no commit message");
  Decoder decoder(bytes.substr(kMagic.size()));
  int32_t version = 0;
  decoder(version);
  if (decoder.failed() || version < 1) return Corrupt("commit message: truncated");
  if (version > kVersion) return Unsupported("commit message of version ", version, "; this build reads up to ", kVersion);
  auto message = std::make_shared<CommitMessage>();
  Visit(decoder, *message);
  if (decoder.failed() || !decoder.at_end()) return Corrupt("commit message: truncated or forged");
  return message;
}

}  // namespace bactrian
