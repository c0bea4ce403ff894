#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <cstring>

#include "bactrian/expr/evaluate.h"

namespace bactrian {

arrow::Result<std::shared_ptr<arrow::RecordBatch>> FilterByMask(const std::shared_ptr<arrow::RecordBatch>& batch,
                                                                const uint8_t* mask, arrow::MemoryPool* pool) {
  const int64_t length = batch->num_rows();
  const uint8_t* first = std::find(mask, mask + length, 1);
  if (first == mask + length) return batch->Slice(0, 0);
  const int64_t start = first - mask;
  const int64_t count = std::count(first, mask + length, 1);
  // One run of rows needs no copy: also where all rows pass.
  if (count == length) return batch;
  if (std::memchr(first, 0, static_cast<size_t>(length - start)) == first + count || start + count == length) {
    return batch->Slice(start, count);
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits, arrow::AllocateEmptyBitmap(length, pool));
  for (int64_t i = start; i < length; ++i) {
    if (mask[i] != 0) arrow::bit_util::SetBit(bits->mutable_data(), i);
  }
  const auto filter = std::make_shared<arrow::BooleanArray>(length, std::move(bits), nullptr, 0);
  arrow::compute::ExecContext context(pool);
  ARROW_ASSIGN_OR_RAISE(arrow::Datum filtered,
                        arrow::compute::Filter(batch, filter, arrow::compute::FilterOptions::Defaults(), &context));
  return filtered.record_batch();
}

}  // namespace bactrian
