/// Arrow batches made row by row, a row value by value.
///
///   ARROW_ASSIGN_OR_RAISE(BatchBuilder rows, BatchBuilder::Make(fields, pool));
///   StructAppender row = rows.NewRow();
///   ARROW_RETURN_NOT_OK(row.Long(7));
///   ARROW_RETURN_NOT_OK(row.Bytes("text"));
///   ARROW_ASSIGN_OR_RAISE(auto batch, rows.Finish());
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

/// Appends one struct value: every call is the next field, whose type must be the one that the call says. Cheap to copy.
class StructAppender {
 public:
  explicit StructAppender(arrow::StructBuilder* builder) : builder_(builder) {}

  arrow::Status Int(std::optional<int32_t> value);
  arrow::Status Bool(std::optional<bool> value);
  arrow::Status Tiny(std::optional<int8_t> value);
  arrow::Status Long(std::optional<int64_t> value);
  arrow::Status Timestamp(std::optional<int64_t> value);  ///< in the unit of the column's type
  arrow::Status Bytes(std::string_view value);            ///< STRING and BYTES
  arrow::Status OptionalBytes(const std::optional<std::string>& value);
  arrow::Status Strings(const std::vector<std::string>& values);
  arrow::Status Strings(const std::optional<std::vector<std::string>>& values);
  arrow::Status Ints(const std::optional<std::vector<int32_t>>& values);
  arrow::Status Longs(const std::optional<std::vector<int64_t>>& values);
  arrow::Status OptionalLongs(const std::vector<std::optional<int64_t>>& values);
  StructAppender Struct();     ///< a non-null nested struct, to be filled at once
  arrow::Status NullStruct();  ///< a null nested struct
  /// A list of structs: `append_element` is called once for each of `size` elements; nullopt is a null list.
  arrow::Status Structs(std::optional<size_t> size, const std::function<arrow::Status(size_t, StructAppender)>& append_element);

 private:
  template <typename Builder>
  Builder* Next();
  arrow::StructBuilder* builder_;
  int position_ = 0;
};

/// Rows of one schema. Movable, not thread-safe.
class BatchBuilder {
 public:
  /// nullptr: the default pool.
  static arrow::Result<BatchBuilder> Make(const std::vector<Field>& fields, arrow::MemoryPool* pool = nullptr);
  ~BatchBuilder();
  BatchBuilder(BatchBuilder&&) noexcept;
  BatchBuilder& operator=(BatchBuilder&&) noexcept;

  StructAppender NewRow();
  int64_t num_rows() const;
  /// The rows so far, with the schema ToArrowSchema(fields); the builder is empty afterwards.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  BatchBuilder();
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<arrow::StructBuilder> rows_;
};

}  // namespace bactrian
