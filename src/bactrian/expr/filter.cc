#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include <algorithm>

#include "bactrian/expr/evaluate.h"

namespace bactrian {
namespace {

/// The rows of a view array, which Arrow's kernels do not take. The text itself stays where it is.
arrow::Result<std::shared_ptr<arrow::Array>> TakeViews(const arrow::Array& array, const arrow::Int64Array& rows,
                                                       arrow::MemoryPool* pool) {
  using View = arrow::BinaryViewType::c_type;
  const int64_t length = rows.length();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> views,
                        arrow::AllocateBuffer(length * static_cast<int64_t>(sizeof(View)), pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity, arrow::AllocateEmptyBitmap(length, pool));
  const auto* from = array.data()->GetValues<View>(1);
  auto* to = views->mutable_data_as<View>();
  for (int64_t i = 0; i < length; ++i) {
    to[i] = from[rows.Value(i)];
    arrow::bit_util::SetBitTo(validity->mutable_data(), i, array.IsValid(rows.Value(i)));
  }
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = array.data()->buffers;
  buffers[0] = std::move(validity);
  buffers[1] = std::move(views);
  return arrow::MakeArray(arrow::ArrayData::Make(array.type(), length, std::move(buffers)));
}

arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(const std::shared_ptr<arrow::Array>& array,
                                                      const std::shared_ptr<arrow::Int64Array>& rows, arrow::MemoryPool* pool) {
  if (arrow::is_binary_view_like(array->type_id())) return TakeViews(*array, *rows, pool);
  arrow::compute::ExecContext context(pool);
  ARROW_ASSIGN_OR_RAISE(arrow::Datum taken,
                        arrow::compute::Take(array, rows, arrow::compute::TakeOptions::NoBoundsCheck(), &context));
  return taken.make_array();
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatch>> FilterByMask(const std::shared_ptr<arrow::RecordBatch>& batch,
                                                                const uint8_t* mask, arrow::MemoryPool* pool) {
  const uint8_t* end = mask + batch->num_rows();
  const uint8_t* first = std::find(mask, end, 1);
  if (first == end) return batch->Slice(0, 0);
  const int64_t start = first - mask, count = std::count(first, end, 1);
  if (count == batch->num_rows()) return batch;
  if (std::find(first, end, 0) == first + count) return batch->Slice(start, count);  // one run of rows needs no copy
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> rows,
                        arrow::AllocateBuffer(count * static_cast<int64_t>(sizeof(int64_t)), pool));
  auto* row = rows->mutable_data_as<int64_t>();
  for (const uint8_t* byte = first; byte != end; ++byte) {
    if (*byte != 0) *row++ = byte - mask;
  }
  const auto indices = std::make_shared<arrow::Int64Array>(count, std::move(rows));
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const std::shared_ptr<arrow::Array>& column : batch->columns()) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), TakeRows(column, indices, pool));
  }
  return arrow::RecordBatch::Make(batch->schema(), count, std::move(columns));
}

}  // namespace bactrian
