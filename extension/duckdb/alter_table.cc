#include "alter_table.h"

#include "bactrian/table.h"
#include "constant_text.h"
#include "duckdb/parser/expression/cast_expression.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/parsed_data/alter_table_info.hpp"
#include "duckdb/parser/parsed_data/comment_on_column_info.hpp"
#include "errors.h"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

const Field* FindField(const std::vector<Field>& fields, const std::string& name) {
  const Field* match = nullptr;
  for (const Field& field : fields) {
    if (field.name == name) return &field;
    if (match == nullptr && duckdb::StringUtil::CIEquals(field.name, name)) match = &field;
  }
  return match;
}

[[noreturn]] void ThrowNoColumn(const std::string& name) {
  throw duckdb::CatalogException("Table has no column or field \"%s\"", name);
}

/// A table's columns under the names that SQL has for them.
class Columns {
 public:
  explicit Columns(const ScanSource& source) : source_(source) {}

  const Field* Find(const std::string& name) const {
    for (size_t i = 0; i < source_.columns.size(); ++i) {
      if (duckdb::StringUtil::CIEquals(source_.columns[i].name, name)) return &source_.fields()[i];
    }
    return nullptr;
  }
  const Field& Get(const std::string& name) const {
    const Field* field = Find(name);
    if (field == nullptr) ThrowNoColumn(name);
    return *field;
  }

  /// `names` as the schema spells them, up to the first that it does not know: steps into a MAP or an ARRAY, or a mistake that
  /// the library names.
  ColumnPath Path(const duckdb::vector<SqlName>& names) const {
    ColumnPath path{Get(NameText(names[0])).name};
    const DataType* type = Get(NameText(names[0])).type.get();
    for (size_t i = 1; i < names.size(); ++i) {
      const Field* field = type->root() == TypeRoot::kRow ? FindField(type->fields(), NameText(names[i])) : nullptr;
      path.push_back(field != nullptr ? field->name : NameText(names[i]));
      type = field != nullptr ? field->type.get() : ElementOf(*type);
    }
    return path;
  }

  /// Whether the ROW at the end of `path` has the field.
  bool HasField(const ColumnPath& path, const std::string& name) const {
    const DataType* type = source_.table->schema()->FindField(path[0])->type.get();
    for (size_t i = 1; i < path.size(); ++i) {
      const Field* field = type->root() == TypeRoot::kRow ? FindField(type->fields(), path[i]) : nullptr;
      type = field != nullptr ? field->type.get() : ElementOf(*type);
    }
    return type->root() == TypeRoot::kRow && FindField(type->fields(), name) != nullptr;
  }

 private:
  /// What a step into a type that is no ROW leads to: the element of an ARRAY, the value of a MAP, else the type itself.
  static const DataType* ElementOf(const DataType& type) {
    return type.children().empty() ? &type : type.children().back().get();
  }

  const ScanSource& source_;
};

TypePtr ColumnType(const std::string& column, const duckdb::LogicalType& type) {
  arrow::Result<TypePtr> result = FromLogicalType(type, /*nullable=*/true);
  if (!result.ok()) throw duckdb::NotImplementedException("column \"" + column + "\": " + result.status().message());
  return *result;
}

AddColumn ToAddColumn(duckdb::ClientContext& context, ColumnPath path, const duckdb::ColumnDefinition& column) {
  AddColumn add{.path = std::move(path), .type = ColumnType(NameText(column.Name()), column.Type())};
  if (!column.HasDefaultValue()) return add;
  // DuckDB makes three statements of a default that is no plain constant: the first adds the column with DEFAULT NULL, the
  // second updates all rows.
  const duckdb::ParsedExpression& value = column.DefaultValue();
  add.default_value = DefaultText(context, NameText(column.Name()), *add.type, value);
  if (!add.default_value) {
    throw duckdb::NotImplementedException(
        "column \"%s\": ADD COLUMN takes a plain constant as default; for others add the column, then ALTER COLUMN … SET "
        "DEFAULT",
        NameText(column.Name()));
  }
  return add;
}

/// USING would rewrite all rows; without it the parser has put the plain cast there.
void CheckPlainCast(const duckdb::ChangeColumnTypeInfo& change) {
  if (change.expression->GetExpressionClass() == duckdb::ExpressionClass::CAST) {
    const auto& child = ChildOf(change.expression->Cast<duckdb::CastExpression>());
    if (child.GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF) return;
  }
  throw duckdb::NotImplementedException("column \"%s\": SET DATA TYPE … USING is not supported for Paimon tables",
                                        ColumnNameOf(change));
}

std::optional<std::string> CommentText(const duckdb::Value& comment) {
  return comment.IsNull() ? std::nullopt : std::optional<std::string>(comment.ToString());
}

std::vector<SchemaChange> AlterTableChanges(duckdb::ClientContext& context, const Columns& columns,
                                            const duckdb::AlterTableInfo& info) {
  using duckdb::AlterTableType;
  switch (info.alter_table_type) {
    case AlterTableType::ADD_COLUMN: {
      const auto& change = info.Cast<duckdb::AddColumnInfo>();
      const std::string& name = NameText(change.new_column.Name());
      if (columns.Find(name) != nullptr) {
        if (change.if_column_not_exists) return {};
        throw duckdb::CatalogException("Column with name \"%s\" already exists!", name);
      }
      return {ToAddColumn(context, {name}, change.new_column)};
    }
    case AlterTableType::ADD_FIELD: {
      const auto& change = info.Cast<duckdb::AddFieldInfo>();
      ColumnPath path = columns.Path(change.column_path);
      if (columns.HasField(path, NameText(change.new_field.Name()))) {
        if (change.if_field_not_exists) return {};
        throw duckdb::CatalogException("Field with name \"%s\" already exists!", NameText(change.new_field.Name()));
      }
      path.push_back(NameText(change.new_field.Name()));
      return {ToAddColumn(context, std::move(path), change.new_field)};
    }
    case AlterTableType::REMOVE_COLUMN: {
      const auto& change = info.Cast<duckdb::RemoveColumnInfo>();
      if (change.if_column_exists && columns.Find(NameText(change.removed_column)) == nullptr) return {};
      return {DropColumn{{columns.Get(NameText(change.removed_column)).name}}};
    }
    case AlterTableType::REMOVE_FIELD: {
      const auto& change = info.Cast<duckdb::RemoveFieldInfo>();
      ColumnPath path = columns.Path(change.column_path);
      if (change.if_column_exists && !columns.HasField({path.begin(), path.end() - 1}, path.back())) return {};
      return {DropColumn{std::move(path)}};
    }
    case AlterTableType::RENAME_COLUMN: {
      const auto& change = info.Cast<duckdb::RenameColumnInfo>();
      const Field& column = columns.Get(NameText(change.old_name));
      const Field* taken = columns.Find(NameText(change.new_name));
      if (taken != nullptr && taken != &column) {
        throw duckdb::CatalogException("Column with name \"%s\" already exists!", NameText(change.new_name));
      }
      return {RenameColumn{{column.name}, NameText(change.new_name)}};
    }
    case AlterTableType::RENAME_FIELD: {
      const auto& change = info.Cast<duckdb::RenameFieldInfo>();
      return {RenameColumn{columns.Path(change.column_path), NameText(change.new_name)}};
    }
    case AlterTableType::ALTER_COLUMN_TYPE: {
      const auto& change = info.Cast<duckdb::ChangeColumnTypeInfo>();
      const Field& column = columns.Get(ColumnNameOf(change));
      CheckPlainCast(change);
      return {SetColumnType{{column.name}, ColumnType(column.name, change.target_type), /*keep_nullability=*/true}};
    }
    case AlterTableType::SET_DEFAULT: {
      const auto& change = info.Cast<duckdb::SetDefaultInfo>();
      const Field& column = columns.Get(ColumnNameOf(change));
      if (!change.expression) return {SetColumnDefault{{column.name}, std::nullopt}};
      return {SetColumnDefault{{column.name}, DefaultText(context, column.name, *column.type, *change.expression)}};
    }
    case AlterTableType::SET_NOT_NULL:
      return {SetColumnNullability{{columns.Get(ColumnNameOf(info.Cast<duckdb::SetNotNullInfo>())).name}, false}};
    case AlterTableType::DROP_NOT_NULL:
      return {SetColumnNullability{{columns.Get(ColumnNameOf(info.Cast<duckdb::DropNotNullInfo>())).name}, true}};
    case AlterTableType::SET_TABLE_OPTIONS: {
      std::vector<SchemaChange> changes;
      for (const auto& [option, value] : info.Cast<duckdb::SetTableOptionsInfo>().table_options) {
        std::string text = OptionText(option, *value);
        if (const std::optional<std::string> column = ColumnOfTypeOption(option)) {
          const std::string& name = columns.Get(*column).name;
          changes.push_back(SetColumnType{{name}, ParseColumnType(name, text), /*keep_nullability=*/true});
        } else {
          changes.push_back(SetOption{option, std::move(text)});
        }
      }
      return changes;
    }
    case AlterTableType::RESET_TABLE_OPTIONS: {
      std::vector<SchemaChange> changes;
      for (const auto& option : info.Cast<duckdb::ResetTableOptionsInfo>().table_options)
        changes.push_back(RemoveOption{NameText(option)});
      return changes;
    }
    default:
      throw duckdb::NotImplementedException("a Paimon table cannot be changed by: %s", info.ToString());
  }
}

}  // namespace

std::vector<SchemaChange> ToSchemaChanges(duckdb::ClientContext& context, const ScanSource& source,
                                          const duckdb::AlterInfo& info) {
  const Columns columns(source);
  switch (info.type) {
    case duckdb::AlterType::ALTER_TABLE:
      return AlterTableChanges(context, columns, info.Cast<duckdb::AlterTableInfo>());
    case duckdb::AlterType::SET_COMMENT:
      return {SetTableComment{CommentText(info.Cast<duckdb::SetCommentInfo>().comment_value)}};
    case duckdb::AlterType::SET_COLUMN_COMMENT: {
      const auto& change = info.Cast<duckdb::SetColumnCommentInfo>();
      return {SetColumnComment{{columns.Get(NameText(change.column_name)).name}, CommentText(change.comment_value)}};
    }
    default:
      throw duckdb::NotImplementedException("a Paimon table cannot be changed by: %s", info.ToString());
  }
}

std::optional<std::string> NewTableName(const duckdb::AlterInfo& info) {
  if (info.type != duckdb::AlterType::ALTER_TABLE) return std::nullopt;
  const auto& change = info.Cast<duckdb::AlterTableInfo>();
  if (change.alter_table_type != duckdb::AlterTableType::RENAME_TABLE) return std::nullopt;
  return NameText(change.Cast<duckdb::RenameTableInfo>().new_table_name);
}

}  // namespace bactrian::sql
