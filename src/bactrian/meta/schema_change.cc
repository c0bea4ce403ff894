#include "bactrian/meta/schema_change.h"

#include <algorithm>
#include <functional>

#include "bactrian/expr/cast.h"
#include "bactrian/meta/comment_directive.h"
#include "bactrian/meta/option_change.h"
#include "bactrian/meta/schema_validation.h"
#include "bactrian/types/core_options.h"
#include "bactrian/types/field_ids.h"

namespace bactrian {
namespace {

using Fields = std::vector<Field>;
using Steps = std::span<const std::string>;

std::string PathText(const ColumnPath& path) {
  std::string text;
  for (const std::string& step : path) text += (text.empty() ? "" : ".") + step;
  return text;
}

Fields::iterator FindByName(Fields& fields, std::string_view name) {
  return std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
}

arrow::Result<Fields::iterator> RequireField(Fields& fields, std::string_view name) {
  auto found = FindByName(fields, name);
  if (found == fields.end()) return NotFound("column \"", name, "\" does not exist");
  return found;
}

/// `type` with what lies at the end of `steps` replaced by what `change` makes of it.
arrow::Result<TypePtr> ChangeTypeAt(const TypePtr& type, Steps steps,
                                    const std::function<arrow::Result<TypePtr>(const TypePtr&)>& change) {
  if (steps.empty()) return change(type);
  const std::string& step = steps[0];
  const Steps rest = steps.subspan(1);
  switch (type->root()) {
    case TypeRoot::kRow: {
      Fields fields = type->fields();
      ARROW_ASSIGN_OR_RAISE(const Fields::iterator field, RequireField(fields, step));
      ARROW_ASSIGN_OR_RAISE(field->type, ChangeTypeAt(field->type, rest, change));
      return DataType::Row(std::move(fields), type->nullable());
    }
    case TypeRoot::kArray:
    case TypeRoot::kMultiset: {
      if (step != "element") break;
      ARROW_ASSIGN_OR_RAISE(TypePtr element, ChangeTypeAt(type->children()[0], rest, change));
      return type->root() == TypeRoot::kArray ? DataType::Array(std::move(element), type->nullable())
                                              : DataType::Multiset(std::move(element), type->nullable());
    }
    case TypeRoot::kMap: {
      if (step == "key") return Invalid("keys of a MAP cannot change");
      if (step != "value") break;
      ARROW_ASSIGN_OR_RAISE(TypePtr value, ChangeTypeAt(type->children()[1], rest, change));
      return DataType::Map(type->children()[0], std::move(value), type->nullable());
    }
    default:
      break;
  }
  return NotFound("\"", step, "\" is not in a column of type ", type->ToSqlString());
}

/// Applies changes one after the other to a schema of its own.
class SchemaEditor {
 public:
  SchemaEditor(TableSchema schema, const SchemaChangeContext& context) : schema_(std::move(schema)), context_(context) {}
  TableSchema& schema() { return schema_; }

  arrow::Status operator()(const SetOption& change) {
    ARROW_RETURN_NOT_OK(CheckOptionChange(schema_.options, change.key, change.value, context_.has_snapshot));
    schema_.options[change.key] = change.value;
    return arrow::Status::OK();
  }
  arrow::Status operator()(const RemoveOption& change) {
    ARROW_RETURN_NOT_OK(CheckOptionChange(schema_.options, change.key, std::nullopt, context_.has_snapshot));
    schema_.options.erase(change.key);
    return arrow::Status::OK();
  }
  arrow::Status operator()(const SetTableComment& change) {
    schema_.comment = change.comment;
    return arrow::Status::OK();
  }
  arrow::Status operator()(const AddColumn& change);
  arrow::Status operator()(const RenameColumn& change);
  arrow::Status operator()(const DropColumn& change);
  arrow::Status operator()(const SetColumnType& change);
  arrow::Status operator()(const SetColumnNullability& change);
  arrow::Status operator()(const SetColumnComment& change) {
    return ChangeField(change.path, [&](Field* field) {
      field->description = change.comment;
      return arrow::Status::OK();
    });
  }
  arrow::Status operator()(const SetColumnDefault& change) {
    return ChangeField(change.path, [&](Field* field) {
      field->default_value = change.default_value;  // validated with the whole
      return arrow::Status::OK();
    });
  }
  arrow::Status operator()(const MoveColumn& change);
  arrow::Status operator()(const DropPrimaryKey&) {
    if (context_.has_snapshot) return Invalid("the primary key can only be dropped while the table has no snapshot");
    schema_.primary_keys.clear();
    return arrow::Status::OK();
  }

 private:
  bool IsPartitionKey(const std::string& name) const { return Contains(schema_.partition_keys, name); }
  bool IsPrimaryKey(const std::string& name) const { return Contains(schema_.primary_keys, name); }
  static bool Contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  /// The last step of a path in the list of fields that holds it.
  arrow::Status ChangeSiblings(const ColumnPath& path, const std::function<arrow::Status(Fields*)>& change);
  arrow::Status ChangeField(const ColumnPath& path, const std::function<arrow::Status(Field*)>& change);
  arrow::Status ChangeType(const ColumnPath& path, const std::function<arrow::Result<TypePtr>(const TypePtr&)>& change);
  /// Rows that are there may hold nulls.
  arrow::Status CheckNullability(const ColumnPath& path, bool before, bool after) const;
  arrow::Result<Fields::iterator> PlaceFor(Fields& fields, const ColumnPosition& position, const std::string& column) const;
  arrow::Result<ColumnPosition> DefaultPosition(const ColumnPath& path) const;

  TableSchema schema_;
  const SchemaChangeContext& context_;
};

arrow::Status SchemaEditor::ChangeType(const ColumnPath& path,
                                       const std::function<arrow::Result<TypePtr>(const TypePtr&)>& change) {
  if (path.empty()) return Invalid("a schema change names no column");
  ARROW_ASSIGN_OR_RAISE(const TypePtr row, ChangeTypeAt(DataType::Row(schema_.fields), path, change));
  schema_.fields = row->fields();
  return arrow::Status::OK();
}

arrow::Status SchemaEditor::ChangeSiblings(const ColumnPath& path, const std::function<arrow::Status(Fields*)>& change) {
  if (path.empty()) return Invalid("a schema change names no column");
  if (path.size() == 1) return change(&schema_.fields);
  const ColumnPath parent(path.begin(), path.end() - 1);
  return ChangeType(parent, [&](const TypePtr& type) -> arrow::Result<TypePtr> {
    if (type->root() != TypeRoot::kRow) return Invalid("\"", PathText(parent), "\" is not a ROW");
    Fields fields = type->fields();
    ARROW_RETURN_NOT_OK(change(&fields));
    return DataType::Row(std::move(fields), type->nullable());
  });
}

arrow::Status SchemaEditor::ChangeField(const ColumnPath& path, const std::function<arrow::Status(Field*)>& change) {
  return ChangeSiblings(path, [&](Fields* siblings) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const Fields::iterator field, RequireField(*siblings, path.back()));
    return change(&*field);
  });
}

arrow::Status SchemaEditor::CheckNullability(const ColumnPath& path, bool before, bool after) const {
  if (path.size() == 1 && IsPrimaryKey(path[0]) && after != before) {
    return Invalid("nullability of primary key column \"", path[0], "\" cannot change");
  }
  if (!before || after) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const bool disabled,
                        CoreOptions(schema_.options).GetBool("alter-column-null-to-not-null.disabled", true));
  if (!disabled) return arrow::Status::OK();
  return Invalid("column \"", PathText(path),
                 "\" cannot become NOT NULL unless option 'alter-column-null-to-not-null.disabled' is 'false'");
}

arrow::Result<Fields::iterator> SchemaEditor::PlaceFor(Fields& fields, const ColumnPosition& position,
                                                       const std::string& column) const {
  switch (position.kind) {
    case ColumnPosition::Kind::kFirst:
      return fields.begin();
    case ColumnPosition::Kind::kLast:
      return fields.end();
    case ColumnPosition::Kind::kBefore:
    case ColumnPosition::Kind::kAfter:
      break;
  }
  if (position.reference == column) return Invalid("column \"", column, "\" cannot be placed next to itself");
  ARROW_ASSIGN_OR_RAISE(const Fields::iterator reference, RequireField(fields, position.reference));
  return position.kind == ColumnPosition::Kind::kBefore ? reference : reference + 1;
}

arrow::Result<ColumnPosition> SchemaEditor::DefaultPosition(const ColumnPath& path) const {
  ARROW_ASSIGN_OR_RAISE(const bool before_partition,
                        CoreOptions(schema_.options).GetBool("add-column-before-partition", false));
  if (!before_partition || path.size() > 1) return ColumnPosition::Last();
  for (const Field& field : schema_.fields) {
    if (IsPartitionKey(field.name)) return ColumnPosition::Before(field.name);
  }
  return ColumnPosition::Last();
}

arrow::Status SchemaEditor::operator()(const AddColumn& change) {
  if (change.path.empty() || change.type == nullptr) return Invalid("a column to add needs a name and a type");
  const std::string& name = change.path.back();
  if (!change.type->nullable()) return Invalid("column \"", PathText(change.path), "\" cannot be added as NOT NULL");
  ARROW_ASSIGN_OR_RAISE(DirectedColumn directed, ApplyCommentDirective(change.type, change.comment));
  if (directed.option && change.path.size() > 1) return Invalid("comment directives are for top-level columns");
  Field field = WithNewFieldIds({-1, name, directed.type, directed.comment, change.default_value}, &schema_.highest_field_id);
  ColumnPosition position;
  if (change.position) {
    position = *change.position;
  } else {
    ARROW_ASSIGN_OR_RAISE(position, DefaultPosition(change.path));
  }
  ARROW_RETURN_NOT_OK(ChangeSiblings(change.path, [&](Fields* siblings) -> arrow::Status {
    if (FindByName(*siblings, name) != siblings->end()) return AlreadyExists("column \"", PathText(change.path), "\" exists");
    ARROW_ASSIGN_OR_RAISE(const Fields::iterator place, PlaceFor(*siblings, position, name));
    siblings->insert(place, std::move(field));
    return arrow::Status::OK();
  }));
  if (directed.option) {
    std::vector<std::string> names = SplitColumnList(schema_.options[*directed.option]);
    names.push_back(name);
    schema_.options[*directed.option] = JoinColumnList(names);
  }
  return arrow::Status::OK();
}

arrow::Status SchemaEditor::operator()(const RenameColumn& change) {
  const bool top_level = change.path.size() == 1;
  if (top_level && IsPartitionKey(change.path[0])) return Invalid("partition key \"", change.path[0], "\" cannot be renamed");
  ARROW_RETURN_NOT_OK(ChangeSiblings(change.path, [&](Fields* siblings) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const Fields::iterator field, RequireField(*siblings, change.path.back()));
    if (field->type->root() == TypeRoot::kBlob) return Invalid("BLOB column \"", field->name, "\" cannot be renamed");
    auto same_name = FindByName(*siblings, change.new_name);
    if (same_name != siblings->end() && same_name != field) return AlreadyExists("column \"", change.new_name, "\" exists");
    field->name = change.new_name;
    return arrow::Status::OK();
  }));
  if (!top_level) return arrow::Status::OK();
  std::replace(schema_.primary_keys.begin(), schema_.primary_keys.end(), change.path[0], change.new_name);
  schema_.options = RenameColumnInOptions(schema_.options, change.path[0], change.new_name);
  return arrow::Status::OK();
}

arrow::Status SchemaEditor::operator()(const DropColumn& change) {
  if (change.path.size() == 1 && (IsPartitionKey(change.path[0]) || IsPrimaryKey(change.path[0]))) {
    return Invalid("key column \"", change.path[0], "\" cannot be dropped");
  }
  return ChangeSiblings(change.path, [&](Fields* siblings) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const Fields::iterator field, RequireField(*siblings, change.path.back()));
    if (siblings->size() == 1) return Invalid("\"", PathText(change.path), "\" is the last one and cannot be dropped");
    siblings->erase(field);
    return arrow::Status::OK();
  });
}

arrow::Status SchemaEditor::operator()(const SetColumnType& change) {
  if (change.type == nullptr) return Invalid("column \"", PathText(change.path), "\" is given no type");
  if (change.path.size() == 1 && (IsPartitionKey(change.path[0]) || IsPrimaryKey(change.path[0]))) {
    return Invalid("the type of key column \"", change.path[0], "\" cannot change");
  }
  ARROW_ASSIGN_OR_RAISE(const bool implicit_only, CoreOptions(schema_.options).GetBool("disable-explicit-type-casting", false));
  return ChangeType(change.path, [&](const TypePtr& before) -> arrow::Result<TypePtr> {
    const TypePtr after = change.keep_nullability ? change.type->WithNullable(before->nullable()) : change.type;
    ARROW_RETURN_NOT_OK(CheckNullability(change.path, before->nullable(), after->nullable()));
    if (before->EqualsIgnoreNullable(*after)) return before->WithNullable(after->nullable());
    const bool blob = before->root() == TypeRoot::kBlob || after->root() == TypeRoot::kBlob;
    if (blob || !SupportsCast(*before, *after, !implicit_only) || !Cast::Make(before, after).ok()) {
      return Invalid("column \"", PathText(change.path), "\" of type ", before->ToSqlString(), " cannot become ",
                     after->ToSqlString());
    }
    return ReassignFieldIds(after, &schema_.highest_field_id);
  });
}

arrow::Status SchemaEditor::operator()(const SetColumnNullability& change) {
  return ChangeType(change.path, [&](const TypePtr& before) -> arrow::Result<TypePtr> {
    ARROW_RETURN_NOT_OK(CheckNullability(change.path, before->nullable(), change.nullable));
    return before->WithNullable(change.nullable);
  });
}

arrow::Status SchemaEditor::operator()(const MoveColumn& change) {
  Fields& fields = schema_.fields;
  ARROW_ASSIGN_OR_RAISE(const Fields::iterator field, RequireField(fields, change.column));
  const Field moved = *field;
  fields.erase(field);
  ARROW_ASSIGN_OR_RAISE(const Fields::iterator place, PlaceFor(fields, change.position, change.column));
  fields.insert(place, moved);
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<TableSchema> ApplySchemaChanges(const TableSchema& schema, std::span<const SchemaChange> changes,
                                              const SchemaChangeContext& context) {
  SchemaEditor editor(schema, context);
  for (const SchemaChange& change : changes) ARROW_RETURN_NOT_OK(std::visit(editor, change));
  TableSchema next = std::move(editor.schema());
  next.version = TableSchema::kCurrentVersion;
  next.id = schema.id + 1;
  next.time_millis = context.now_millis;
  ARROW_RETURN_NOT_OK(ValidateTableSchema(next));
  return next;
}

}  // namespace bactrian
