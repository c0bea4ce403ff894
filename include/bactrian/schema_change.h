/// Changes of a table's schema (format reference: schema.md §5).
///
///   std::vector<SchemaChange> changes = {
///       AddColumn{.path = {"note"}, .type = DataType::String(), .comment = "free text", .position = ColumnPosition::First()},
///       RenameColumn{.path = {"address", "zip"}, .new_name = "postcode"},
///       SetOption{.key = "snapshot.num-retained.max", .value = "20"}};
///
/// A path names a column or, with more steps, something inside it: fields of a ROW by name, `element` of an ARRAY or MULTISET,
/// `value` of a MAP. All changes of one call make one new schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

using ColumnPath = std::vector<std::string>;

/// Where a column goes among its siblings.
struct ColumnPosition {
  enum class Kind : uint8_t { kFirst, kLast, kBefore, kAfter };
  Kind kind = Kind::kLast;
  std::string reference;  ///< the sibling of kBefore and kAfter

  static ColumnPosition First() { return {Kind::kFirst, {}}; }
  static ColumnPosition Last() { return {Kind::kLast, {}}; }
  static ColumnPosition Before(std::string sibling) { return {Kind::kBefore, std::move(sibling)}; }
  static ColumnPosition After(std::string sibling) { return {Kind::kAfter, std::move(sibling)}; }
};

struct SetOption {
  std::string key, value;
};
struct RemoveOption {
  std::string key;
};
struct SetTableComment {
  std::optional<std::string> comment;  ///< nullopt removes it
};
/// The type must be nullable: rows that are there have no value.
struct AddColumn {
  ColumnPath path;
  TypePtr type;
  std::optional<std::string> comment = std::nullopt;
  std::optional<ColumnPosition> position = std::nullopt;    ///< default: last, or as option add-column-before-partition says
  std::optional<std::string> default_value = std::nullopt;  ///< for rows written from now on
};
struct RenameColumn {
  ColumnPath path;
  std::string new_name;
};
struct DropColumn {
  ColumnPath path;
};
struct SetColumnType {
  ColumnPath path;
  TypePtr type;
  bool keep_nullability = false;  ///< take the type's nullability, or leave the column's as it is
};
struct SetColumnNullability {
  ColumnPath path;
  bool nullable = true;
};
struct SetColumnComment {
  ColumnPath path;
  std::optional<std::string> comment;
};
struct SetColumnDefault {
  ColumnPath path;
  std::optional<std::string> default_value;  ///< text, cast to the column's type
};
struct MoveColumn {
  std::string column;  ///< top level only
  ColumnPosition position;
};
struct DropPrimaryKey {};

using SchemaChange = std::variant<SetOption, RemoveOption, SetTableComment, AddColumn, RenameColumn, DropColumn, SetColumnType,
                                  SetColumnNullability, SetColumnComment, SetColumnDefault, MoveColumn, DropPrimaryKey>;

}  // namespace bactrian
