#include "bactrian/meta/required_columns.h"

#include <arrow/array/array_nested.h>
#include <arrow/record_batch.h>

namespace bactrian {
namespace {

arrow::Status Check(const arrow::Array& array, const Field& field, std::string_view path) {
  // Children of a null struct are null too; those of a nullable one are looked at where they are read.
  if (field.type->nullable()) return arrow::Status::OK();
  if (array.null_count() > 0) return Corrupt(path, ": column ", field.name, " is missing or null");
  if (field.type->root() != TypeRoot::kRow) return arrow::Status::OK();
  const auto& row = static_cast<const arrow::StructArray&>(array);
  for (size_t i = 0; i < field.type->fields().size(); ++i) {
    ARROW_RETURN_NOT_OK(Check(*row.field(static_cast<int>(i)), field.type->fields()[i], path));
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status CheckRequiredColumns(const arrow::RecordBatch& batch, const std::vector<Field>& fields, std::string_view path) {
  for (size_t i = 0; i < fields.size(); ++i) {
    ARROW_RETURN_NOT_OK(Check(*batch.column(static_cast<int>(i)), fields[i], path));
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
