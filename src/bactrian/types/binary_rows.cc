#include "bactrian/types/binary_rows.h"

#include <arrow/builder.h>
#include <arrow/type_traits.h>

#include "bactrian/types/binary_array.h"
#include "bactrian/types/binary_cells.h"

namespace bactrian {
namespace {

arrow::Status CheckColumns(std::span<const TypePtr> types, std::span<const std::shared_ptr<arrow::Array>> columns,
                           int64_t num_rows) {
  if (types.size() != columns.size()) return Invalid(columns.size(), " columns for ", types.size(), " types");
  for (size_t c = 0; c < types.size(); ++c) {
    ARROW_RETURN_NOT_OK(CheckArrowType(*types[c], *columns[c]->type()));
    if (columns[c]->length() != num_rows) return Invalid("a column of ", columns[c]->length(), " rows instead of ", num_rows);
  }
  return arrow::Status::OK();
}

bool HasVariableBytes(const DataType& type, const arrow::Array& column) {
  if (type.root() == TypeRoot::kDecimal || type.is_timestamp()) return ReservedBytes(type) > 0;
  return !arrow::is_primitive(column.type_id());
}

/// Each row's size, then their sums.
arrow::Status SetOffsets(std::span<const TypePtr> types, std::span<const std::shared_ptr<arrow::Array>> columns,
                         int64_t num_rows, EncodedRows* rows) {
  rows->offsets.assign(static_cast<size_t>(num_rows) + 1, RowFixedBytes(types.size()));
  rows->offsets[0] = 0;
  for (size_t c = 0; c < types.size(); ++c) {
    if (!HasVariableBytes(*types[c], *columns[c])) continue;
    for (int64_t i = 0; i < num_rows; ++i) {
      rows->offsets[static_cast<size_t>(i) + 1] += VariableBytes(*types[c], *columns[c], i, 1, Container::kRow);
    }
  }
  for (size_t i = 1; i < rows->offsets.size(); ++i) {
    if (rows->offsets[i] > kMaxRowBytes) return Invalid("a row of ", rows->offsets[i], " bytes");
    rows->offsets[i] += rows->offsets[i - 1];
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status EncodeBinaryRows(std::span<const TypePtr> types, std::span<const std::shared_ptr<arrow::Array>> columns,
                               int64_t num_rows, EncodedRows* rows) {
  ARROW_RETURN_NOT_OK(CheckColumns(types, columns, num_rows));
  ARROW_RETURN_NOT_OK(SetOffsets(types, columns, num_rows, rows));
  rows->bytes.assign(rows->offsets.back(), '\0');
  const size_t null_bytes = RowNullBytes(types.size());
  std::vector<size_t> ends(static_cast<size_t>(num_rows), RowFixedBytes(types.size()));
  for (size_t c = 0; c < types.size(); ++c) {
    const arrow::Array& column = *columns[c];
    const size_t reserved = ReservedBytes(*types[c]);
    WithCellWriter(*types[c], column, Container::kRow, [&](const auto& write_cell) {
      for (int64_t i = 0; i < num_rows; ++i) {
        char* row = rows->bytes.data() + rows->offsets[static_cast<size_t>(i)];
        char* slot = row + null_bytes + kSlotBytes * c;
        SlotWriter writer(row, ends[static_cast<size_t>(i)]);
        if (column.IsNull(i)) {
          SetRowBit(row, c);
          writer.PutReserved(slot, reserved);
        } else {
          write_cell(i, slot, &writer);
        }
        ends[static_cast<size_t>(i)] = writer.end();
      }
    });
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> DecodeBinaryRows(std::span<const std::string_view> rows,
                                                                           std::span<const TypePtr> types,
                                                                           arrow::MemoryPool* pool) {
  std::vector<BinaryRowView> views;
  views.reserve(rows.size());
  for (const std::string_view row : rows) {
    ARROW_ASSIGN_OR_RAISE(views.emplace_back(), BinaryRowView::Make(row, static_cast<int>(types.size())));
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (size_t c = 0; c < types.size(); ++c) {
    ARROW_ASSIGN_OR_RAISE(const auto arrow_type, ToArrowType(*types[c]));
    ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(arrow_type, pool));
    for (const BinaryRowView& view : views) {
      ARROW_RETURN_NOT_OK(AppendRowField(view, static_cast<int>(c), *types[c], builder.get()));
    }
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder->Finish());
  }
  return columns;
}

}  // namespace bactrian
