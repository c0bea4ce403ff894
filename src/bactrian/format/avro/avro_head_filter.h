#pragma once

#include <string_view>
#include <vector>

#include "bactrian/format/avro/avro_file.h"
#include "bactrian/format/avro/avro_schema.h"

namespace bactrian {

/// An AvroHeadFilter compiled against a writer's record. Not thread-safe. A field that the writer lacks, or that is null,
/// counts as 0 and empty.
class CompiledHeadFilter {
 public:
  /// kUnsupported for a field that is neither a number nor bytes.
  static arrow::Result<CompiledHeadFilter> Make(const AvroNode& record, const AvroHeadFilter& filter);

  /// Reads the head of the record at `in`, whose copy it takes; whether the filter accepts. If not, `in` has been moved to the
  /// record's end, else it has not been moved.
  arrow::Result<bool> Accepts(AvroCursor& in);

 private:
  /// A leading field of the record: its value goes to `slot`, or it is passed over (-1).
  struct Step {
    const AvroNode* node;
    AvroNullable nullable;
    int slot;
  };
  arrow::Status ReadInto(const Step& step, AvroCursor& in);

  AvroHeadFilter filter_;
  std::vector<Step> head_;
  std::vector<const AvroNode*> rest_;
  std::vector<int64_t> ints_;
  std::vector<std::string_view> bytes_;
};

}  // namespace bactrian
