#include "bactrian/merge/collections.h"

#include <arrow/array/util.h>
#include <arrow/buffer_builder.h>
#include <arrow/type.h>

#include <limits>

#include "bactrian/merge/gather.h"

namespace bactrian {

Collections::Collections(std::span<const std::shared_ptr<arrow::Array>> of) : sources(of) {
  for (const auto& source : sources) children.push_back(static_cast<const arrow::ListArray&>(*source).values());
}

std::optional<Elements> Collections::Read(RowRef ref) const {
  const auto& list = static_cast<const arrow::ListArray&>(*sources[ref.source]);
  if (list.IsNull(ref.row)) return std::nullopt;
  Elements elements;
  for (int32_t i = 0; i < list.value_length(ref.row); ++i) {
    elements.push_back({ref.source, static_cast<uint32_t>(list.value_offset(ref.row) + i)});
  }
  return elements;
}

bool Collections::EqualFields(RowRef a, RowRef b, const std::vector<int>& fields) const {
  return std::all_of(fields.begin(), fields.end(), [&](int f) { return Equal(*FieldOf(a, f), a.row, *FieldOf(b, f), b.row); });
}

arrow::Result<std::shared_ptr<arrow::Array>> WrapElements(const std::shared_ptr<arrow::DataType>& type,
                                                          std::span<const std::optional<int64_t>> lengths,
                                                          const std::shared_ptr<arrow::Array>& child, arrow::MemoryPool* pool) {
  arrow::TypedBufferBuilder<bool> valid(pool);
  arrow::TypedBufferBuilder<int32_t> offsets(pool);
  int64_t end = 0;
  ARROW_RETURN_NOT_OK(offsets.Append(0));
  for (const std::optional<int64_t>& length : lengths) {
    ARROW_RETURN_NOT_OK(valid.Append(length.has_value()));
    end += length.value_or(0);
    if (end > std::numeric_limits<int32_t>::max()) {
      return arrow::Status::CapacityError("a batch of merged collections has more elements than an array can hold");
    }
    ARROW_RETURN_NOT_OK(offsets.Append(static_cast<int32_t>(end)));
  }
  ARROW_ASSIGN_OR_RAISE(auto valid_buffer, valid.Finish());
  ARROW_ASSIGN_OR_RAISE(auto offset_buffer, offsets.Finish());
  const auto num_cells = static_cast<int64_t>(lengths.size());
  return arrow::MakeArray(arrow::ArrayData::Make(type, num_cells, {valid_buffer, offset_buffer}, {child->data()}));
}

arrow::Result<std::shared_ptr<arrow::Array>> BuildCollections(const std::shared_ptr<arrow::DataType>& type,
                                                              const std::vector<std::optional<Elements>>& cells,
                                                              const Collections& collections, arrow::MemoryPool* pool) {
  std::vector<Segment> segments;
  std::vector<std::optional<int64_t>> lengths;
  for (const std::optional<Elements>& cell : cells) {
    lengths.push_back(cell ? std::optional(static_cast<int64_t>(cell->size())) : std::nullopt);
    if (!cell) continue;
    for (RowRef element : *cell) segments.push_back({element.source, element.row, 1});
  }
  ARROW_ASSIGN_OR_RAISE(
      auto child, Gather(type->field(0)->type(), collections.children, segments, static_cast<int64_t>(segments.size()), pool));
  return WrapElements(type, lengths, child, pool);
}

arrow::Status WrongColumnType(std::string_view function, const Field& field) {
  return Invalid("aggregate function ", function, " does not take column ", field.name, " of type ", field.type->ToSqlString());
}

int NestedFieldIndex(const DataType& row, std::string_view name) {
  for (size_t i = 0; i < row.fields().size(); ++i) {
    if (row.fields()[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace bactrian
