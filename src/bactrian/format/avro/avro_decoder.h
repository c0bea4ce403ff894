#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/data_type.h"
#include "bactrian/format/avro/avro_schema.h"

namespace bactrian {

/// Decodes values of one node of the writer's schema into Arrow builders of one wanted type: the compiled pair of both, with
/// the column under construction. Not thread-safe.
class AvroDecoder {
 public:
  virtual ~AvroDecoder() = default;

  /// `string_views` makes the strings and bytes of this value (not those nested in it) views. kCorrupt where the wanted type
  /// cannot be read from what was written, kUnsupported where nothing of the type can be in an Avro file.
  static arrow::Result<std::unique_ptr<AvroDecoder>> Make(const AvroNode& writer, const DataType& type, bool string_views,
                                                          arrow::MemoryPool* pool);

  /// Decodes a value and appends it; null is read from the union with null if the writer has one. After an error the
  /// decoder must not be used again.
  arrow::Status Decode(AvroCursor& in) {
    if (value_branch_ >= 0 || null_branch_ >= 0) {
      int64_t branch = 0;
      ARROW_RETURN_NOT_OK(in.ReadLong(&branch));
      if (branch == null_branch_) return AppendNulls(1);
      if (branch != value_branch_) return Corrupt("a union's branch ", branch);
    }
    return DecodeValue(in);
  }
  virtual arrow::Status AppendNulls(int64_t count) = 0;
  /// What was appended, with the type ToArrowType() gives; the decoder starts anew.
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Finish() = 0;
  /// Bytes of memory that even a null takes (vectors are of fixed size).
  virtual int64_t null_bytes() const { return 0; }

 protected:
  virtual arrow::Status DecodeValue(AvroCursor& in) = 0;

 private:
  int null_branch_ = -1, value_branch_ = -1;
};

/// Decodes records into columns: fields found by name, others skipped, missing ones null. Not thread-safe.
class AvroRecordDecoder {
 public:
  static arrow::Result<std::unique_ptr<AvroRecordDecoder>> Make(const AvroNode& record, const std::vector<Field>& fields,
                                                                bool string_views, arrow::MemoryPool* pool);

  /// Decodes one record (without a union around it).
  arrow::Status Decode(AvroCursor& in);
  arrow::Status AppendNulls(int64_t count);
  /// One array a field, in their order.
  arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> Finish();
  int64_t null_bytes() const;

 private:
  /// One field of the writer: decoded where `decoder` is set, else passed over.
  struct Step {
    AvroDecoder* decoder;
    const AvroNode* skip;
    std::string_view name;
  };
  std::vector<std::unique_ptr<AvroDecoder>> decoders_;
  std::vector<size_t> decoder_of_field_;  ///< a field that is wanted twice is decoded once
  std::vector<AvroDecoder*> missing_;
  std::vector<Step> steps_;
};

}  // namespace bactrian
