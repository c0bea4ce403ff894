#include "bactrian/expr/bound_leaf.h"

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace bactrian {
namespace {

/// Eight bits, the lowest first, as eight bytes of 0 or 1.
constexpr auto kBytesOfBits = [] {
  std::array<uint64_t, 256> table{};
  for (size_t bits = 0; bits < table.size(); ++bits) {
    for (size_t i = 0; i < 8; ++i) table[bits] |= static_cast<uint64_t>((bits >> i) & 1) << (8 * i);
  }
  return table;
}();

/// The eight bits from position `start` on.
uint8_t EightBits(const uint8_t* bits, int64_t start) {
  const uint8_t* byte = bits + start / 8;
  const int shift = static_cast<int>(start % 8);
  return static_cast<uint8_t>(shift == 0 ? byte[0] : (byte[0] >> shift) | (byte[1] << (8 - shift)));
}

template <typename Index>
void Gather(const arrow::ArrayData& indices, const uint8_t* by_entry, uint8_t* mask) {
  const Index* index = indices.GetValues<Index>(1);
  if (indices.GetNullCount() == 0) {
    for (int64_t i = 0; i < indices.length; ++i) mask[i] = by_entry[index[i]];
    return;
  }
  // The index of a null row may be anything.
  const uint8_t* validity = indices.GetValues<uint8_t>(0, 0);
  for (int64_t i = 0; i < indices.length; ++i) {
    mask[i] = arrow::bit_util::GetBit(validity, indices.offset + i) ? by_entry[index[i]] : 0;
  }
}

}  // namespace

void ClearNulls(const arrow::Array& values, uint8_t* mask) {
  const int64_t length = values.length();
  if (values.type_id() == arrow::Type::NA) {
    std::memset(mask, 0, static_cast<size_t>(length));
    return;
  }
  const uint8_t* validity = values.null_bitmap_data();
  if (validity == nullptr || values.null_count() == 0) return;
  const int64_t offset = values.offset();
  int64_t i = 0;
  for (; i + 8 <= length; i += 8) {
    uint64_t rows;
    std::memcpy(&rows, mask + i, sizeof(rows));
    rows &= kBytesOfBits[EightBits(validity, offset + i)];
    std::memcpy(mask + i, &rows, sizeof(rows));
  }
  for (; i < length; ++i) mask[i] &= static_cast<uint8_t>(arrow::bit_util::GetBit(validity, offset + i));
}

arrow::Status BoundLeaf::Evaluate(const arrow::RecordBatch& batch, uint8_t* mask) const {
  if (position_ >= batch.num_columns()) {
    return Invalid("a filter on column '", column_, "' got a batch of ", batch.num_columns(), " columns");
  }
  const std::shared_ptr<arrow::Array> values = batch.column(position_);
  if (values->type_id() == arrow::Type::DICTIONARY) {
    return EvaluateDictionary(static_cast<const arrow::DictionaryArray&>(*values), mask);
  }
  return EvaluateArray(*values, mask);
}

arrow::Status BoundLeaf::EvaluateArray(const arrow::Array& values, uint8_t* mask) const {
  if (values.type_id() != arrow::Type::NA) {
    if (!Accepts(*values.type())) {
      return Invalid("a filter on column '", column_, "' got a batch with ", values.type()->ToString(), " there");
    }
    Fill(values, mask);
  }
  ClearNulls(values, mask);
  return arrow::Status::OK();
}

arrow::Status BoundLeaf::EvaluateDictionary(const arrow::DictionaryArray& values, uint8_t* mask) const {
  const arrow::Array& dictionary = *values.dictionary();
  const bool can_take = !arrow::is_binary_view_like(dictionary.type_id());
  if (can_take && dictionary.length() > 2 * values.length()) {  // most entries are not asked for
    ARROW_ASSIGN_OR_RAISE(arrow::Datum taken, arrow::compute::Take(values.dictionary(), values.indices()));
    return EvaluateArray(*taken.make_array(), mask);
  }
  std::vector<uint8_t> by_entry(static_cast<size_t>(std::max<int64_t>(dictionary.length(), 1)));
  ARROW_RETURN_NOT_OK(EvaluateArray(dictionary, by_entry.data()));
  const arrow::ArrayData& indices = *values.indices()->data();
  switch (indices.type->id()) {
    case arrow::Type::INT8:
      Gather<int8_t>(indices, by_entry.data(), mask);
      break;
    case arrow::Type::UINT8:
      Gather<uint8_t>(indices, by_entry.data(), mask);
      break;
    case arrow::Type::INT16:
      Gather<int16_t>(indices, by_entry.data(), mask);
      break;
    case arrow::Type::UINT16:
      Gather<uint16_t>(indices, by_entry.data(), mask);
      break;
    case arrow::Type::INT32:
      Gather<int32_t>(indices, by_entry.data(), mask);
      break;
    case arrow::Type::UINT32:
      Gather<uint32_t>(indices, by_entry.data(), mask);
      break;
    default:
      Gather<int64_t>(indices, by_entry.data(), mask);
      break;
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
