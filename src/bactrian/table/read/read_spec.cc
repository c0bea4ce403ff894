#include "bactrian/table/read/read_spec.h"

#include <arrow/type.h>

#include <set>
#include <string>

#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

std::shared_ptr<arrow::Field> WithStringView(const std::shared_ptr<arrow::Field>& field) {
  if (field->type()->id() == arrow::Type::STRING) return field->WithType(arrow::utf8_view());
  if (field->type()->id() == arrow::Type::BINARY) return field->WithType(arrow::binary_view());
  return field;
}

Field SystemField(int32_t id, std::string_view name, TypeRoot root) {
  Field field;
  field.id = id;
  field.name = name;
  field.type = DataType::Make(root, /*nullable=*/false);
  return field;
}

}  // namespace

Field ValueKindField() { return SystemField(kValueKindFieldId, kValueKindColumn, TypeRoot::kTinyint); }

Field SequenceNumberField() { return SystemField(kSequenceNumberFieldId, kSequenceNumberColumn, TypeRoot::kBigint); }

Field RowIdField() { return SystemField(kRowIdFieldId, kRowIdColumn, TypeRoot::kBigint); }

arrow::Status SelectFields(const std::optional<std::vector<std::string>>& columns, ReadSpec* spec) {
  const TableSchema& schema = *spec->context.schema;
  ARROW_ASSIGN_OR_RAISE(const bool tracks_rows, CoreOptions(schema.options).GetBool("row-tracking.enabled", false));
  spec->fields.clear();
  if (!columns) {
    spec->fields = schema.fields;
  } else {
    std::set<std::string_view> seen;
    for (const std::string& name : *columns) {
      if (!seen.insert(name).second) return Invalid("column ", name, " is selected twice");
      if (const Field* field = schema.FindField(name)) {
        spec->fields.push_back(*field);
      } else if (name == kValueKindColumn) {
        spec->fields.push_back(ValueKindField());
      } else if (name == kSequenceNumberColumn && (tracks_rows || schema.is_primary_key_table())) {
        spec->fields.push_back(SequenceNumberField());
      } else if (name == kRowIdColumn && tracks_rows) {
        spec->fields.push_back(RowIdField());
      } else {
        return Invalid("table ", spec->context.paths.root, " has no column '", name, "'");
      }
    }
  }
  ARROW_ASSIGN_OR_RAISE(spec->schema, BatchSchema(spec->fields, spec->string_views));
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Schema>> BatchSchema(std::span<const Field> fields, bool string_views) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Schema> schema, ToArrowSchema({fields.begin(), fields.end()}));
  if (!string_views) return schema;
  arrow::FieldVector viewed;
  for (const auto& field : schema->fields()) viewed.push_back(WithStringView(field));
  return arrow::schema(std::move(viewed));
}

}  // namespace bactrian
