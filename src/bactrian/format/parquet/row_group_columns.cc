#include "bactrian/format/parquet/row_group_columns.h"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/util/bit_util.h>
#include <parquet/level_conversion.h>

#include <algorithm>

#include "bactrian/format/parquet/shredded_variant.h"

namespace bactrian {
namespace {

using Kind = ColumnPlan::Kind;

const ColumnPlan* FindLeafPlan(const std::vector<ColumnPlan>& plans, int column) {
  for (const ColumnPlan& plan : plans) {
    if (plan.kind == Kind::kLeaf && plan.leaf == column) return &plan;
    if (const ColumnPlan* found = FindLeafPlan(plan.children, column)) return found;
  }
  return nullptr;
}

}  // namespace

arrow::Result<std::unique_ptr<RowGroupColumns>> RowGroupColumns::Open(const ParquetFile& file, int row_group,
                                                                      const std::vector<ColumnPlan>& plans, bool by_page,
                                                                      int64_t read_ahead_bytes, ParquetPools pools) {
  std::unique_ptr<RowGroupColumns> columns(new RowGroupColumns(file, plans, pools));
  columns->columns_ = LeavesOf(plans);
  columns->leaves_.resize(file.metadata()->num_columns());
  std::vector<ChunkIndex> indexes(columns->columns_.size());
  const int64_t read_ahead = read_ahead_bytes / std::max<int64_t>(static_cast<int64_t>(columns->columns_.size()), 1);
  if (by_page) {
    ARROW_ASSIGN_OR_RAISE(indexes, file.PageIndexes(row_group, columns->columns_));
  }
  for (size_t i = 0; i < columns->columns_.size(); ++i) {
    const int column = columns->columns_[i];
    const ColumnPlan* plan = FindLeafPlan(plans, column);
    ARROW_ASSIGN_OR_RAISE(auto pages, ColumnPages::Make(file, row_group, column, indexes[i].offset, read_ahead, pools.pages));
    columns->leaves_[column] = std::make_unique<LeafReader>(file, column, std::move(pages),
                                                            plan ? LeafValueType(*plan) : arrow::binary(), pools.arrays);
  }
  return columns;
}

void RowGroupColumns::Want(const RowRanges& rows, std::vector<PendingRead>* reads) {
  for (int column : columns_) {
    leaf(column).pages().Want(rows);
    leaf(column).pages().AppendPendingReads(reads);
  }
}

arrow::Result<arrow::ArrayVector> RowGroupColumns::Read(const RowRanges& rows) {
  for (int column : columns_) ARROW_RETURN_NOT_OK(leaf(column).Read(rows));
  arrow::ArrayVector arrays;
  arrays.reserve(plans_.size());
  for (const ColumnPlan& plan : plans_) {
    ARROW_ASSIGN_OR_RAISE(auto array, Build(plan, rows.num_rows()));
    ARROW_RETURN_NOT_OK(CheckLength(plan, *array, rows.num_rows()));
    arrays.push_back(std::move(array));
  }
  for (int column : columns_) leaf(column).Reset();
  return arrays;
}

arrow::Result<std::shared_ptr<arrow::Array>> RowGroupColumns::Build(const ColumnPlan& plan, int64_t num_rows) {
  switch (plan.kind) {
    case Kind::kLeaf:
      return TakeLeafValues(leaf(plan.leaf), file_, plan, pools_.arrays);
    case Kind::kStruct:
      return BuildStruct(plan, num_rows);
    case Kind::kList:
    case Kind::kMap:
    case Kind::kVector:
      return BuildList(plan, num_rows);
    case Kind::kVariant:
      return BuildVariant(plan, num_rows);
    default:
      return arrow::MakeArrayOfNull(plan.arrow_type, num_rows, pools_.arrays);
  }
}

arrow::Status RowGroupColumns::CheckLength(const ColumnPlan& plan, const arrow::Array& array, int64_t length) const {
  if (array.length() == length) return arrow::Status::OK();
  return Corrupt("parquet file ", file_.path(), ": column ", plan.name, " has ", array.length(), " values where ", length,
                 " belong");
}

arrow::Result<RowGroupColumns::Validity> RowGroupColumns::StructValidity(const ColumnPlan& plan, int64_t num_rows) {
  LeafReader& levels = leaf(plan.leaf);
  if (levels.descr().max_definition_level() == 0) return Validity{.length = num_rows};
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bitmap, arrow::AllocateEmptyBitmap(levels.num_levels(), pools_.arrays));
  parquet::internal::ValidityBitmapInputOutput io;
  io.values_read_upper_bound = levels.num_levels();
  io.valid_bits = bitmap->mutable_data();
  if (plan.only_repeated_leaves) {
    DefRepLevelsToBitmap(levels.def_levels(), levels.rep_levels(), levels.num_levels(), plan.levels, &io);
  } else {
    DefLevelsToBitmap(levels.def_levels(), levels.num_levels(), plan.levels, &io);
  }
  return Validity{io.null_count > 0 ? std::move(bitmap) : nullptr, io.values_read, io.null_count};
}

arrow::Result<std::shared_ptr<arrow::Array>> RowGroupColumns::BuildStruct(const ColumnPlan& plan, int64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(const Validity validity, StructValidity(plan, num_rows));
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (const ColumnPlan& child : plan.children) {
    ARROW_ASSIGN_OR_RAISE(auto array, Build(child, validity.length));
    ARROW_RETURN_NOT_OK(CheckLength(child, *array, validity.length));
    children.push_back(array->data());
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(plan.arrow_type, validity.length, {validity.bitmap}, std::move(children), validity.null_count));
}

arrow::Result<std::shared_ptr<arrow::Array>> RowGroupColumns::BuildVariant(const ColumnPlan& plan, int64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(const auto shredded, Build(plan.children[0], num_rows));
  auto variants = AssembleVariants(static_cast<const arrow::StructArray&>(*shredded), *plan.children[0].type, pools_.arrays);
  if (variants.ok()) return variants;
  return variants.status().WithMessage("parquet file ", file_.path(), ": column ", plan.name, ": ",
                                       variants.status().message());
}

arrow::Result<std::shared_ptr<arrow::Array>> RowGroupColumns::BuildList(const ColumnPlan& plan, int64_t num_rows) {
  LeafReader& levels = leaf(plan.leaf);
  const int64_t num_levels = levels.num_levels();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bitmap, arrow::AllocateEmptyBitmap(num_levels, pools_.arrays));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets,
                        arrow::AllocateBuffer((num_levels + 1) * sizeof(int32_t), pools_.arrays));
  auto* offset_values = reinterpret_cast<int32_t*>(offsets->mutable_data());
  offset_values[0] = 0;
  parquet::internal::ValidityBitmapInputOutput io;
  io.values_read_upper_bound = num_levels;
  io.valid_bits = bitmap->mutable_data();
  DefRepLevelsToList(levels.def_levels(), levels.rep_levels(), num_levels, plan.levels, &io, offset_values);
  const Validity validity{io.null_count > 0 ? std::move(bitmap) : nullptr, io.values_read, io.null_count};
  const int64_t num_elements = offset_values[validity.length];

  std::vector<std::shared_ptr<arrow::Array>> children;
  for (const ColumnPlan& child : plan.children) {
    ARROW_ASSIGN_OR_RAISE(auto array, Build(child, num_elements));
    ARROW_RETURN_NOT_OK(CheckLength(child, *array, num_elements));
    children.push_back(std::move(array));
  }
  if (plan.kind == Kind::kVector) return BuildVector(plan, validity, offset_values, children[0]);
  std::shared_ptr<arrow::ArrayData> elements = children[0]->data();
  if (plan.kind == Kind::kMap) {
    elements = arrow::ArrayData::Make(static_cast<const arrow::MapType&>(*plan.arrow_type).value_type(), num_elements,
                                      {nullptr}, {children[0]->data(), children[1]->data()}, 0);
  }
  return arrow::MakeArray(arrow::ArrayData::Make(plan.arrow_type, validity.length, {validity.bitmap, std::move(offsets)},
                                                 {std::move(elements)}, validity.null_count));
}

arrow::Result<std::shared_ptr<arrow::Array>> RowGroupColumns::BuildVector(const ColumnPlan& plan, const Validity& validity,
                                                                          const int32_t* offsets,
                                                                          const std::shared_ptr<arrow::Array>& elements) {
  const int32_t size = static_cast<const arrow::FixedSizeListType&>(*plan.arrow_type).list_size();
  for (int64_t i = 0; i < validity.length; ++i) {
    const bool is_valid = !validity.bitmap || arrow::bit_util::GetBit(validity.bitmap->data(), i);
    if (offsets[i + 1] - offsets[i] != (is_valid ? size : 0)) {
      return Corrupt("parquet file ", file_.path(), ": column ", plan.name, " has a vector of ", offsets[i + 1] - offsets[i],
                     " elements where ", size, " belong");
    }
  }
  std::shared_ptr<arrow::Array> slots = elements;
  if (validity.null_count > 0) {  // a null vector has no elements in the file, but takes up its slots in memory
    arrow::Int32Builder indices(pools_.arrays);
    ARROW_RETURN_NOT_OK(indices.Reserve(validity.length * size));
    for (int64_t i = 0; i < validity.length; ++i) {
      const bool is_valid = arrow::bit_util::GetBit(validity.bitmap->data(), i);
      for (int32_t k = 0; k < size; ++k) {
        if (is_valid) {
          indices.UnsafeAppend(offsets[i] + k);
        } else {
          indices.UnsafeAppendNull();
        }
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto index_array, indices.Finish());
    ARROW_ASSIGN_OR_RAISE(slots, arrow::compute::Take(*elements, *index_array));
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(plan.arrow_type, validity.length, {validity.bitmap}, {slots->data()}, validity.null_count));
}

}  // namespace bactrian
