#include "alter_command.h"

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bactrian/bactrian.h"
#include "command_options.h"
#include "failure.h"

namespace bactrian::cli {

namespace {

struct Arguments {
  std::string warehouse, table;
  std::vector<SchemaChange> changes;  ///< in the order of the command line
};

/// The two sides of the first `separator`; both must have something.
std::pair<std::string, std::string> Cut(const std::string& text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    throw CLI::ValidationError("\"" + text + "\"", std::string("two parts with '") + separator + "' between them are wanted");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

/// "a.b" as the way to a field of a ROW.
ColumnPath Path(const std::string& text) {
  ColumnPath path{""};
  for (const char c : text) {
    if (c == '.') {
      path.emplace_back();
    } else {
      path.back() += c;
    }
  }
  return path;
}

TypePtr ParseType(const std::string& text) {
  arrow::Result<TypePtr> type = ParseSqlType(text);
  if (!type.ok()) throw CLI::ValidationError("\"" + text + "\"", type.status().message());
  return *type;
}

/// An option that adds one change to the list every time it is given.
void AddChange(CLI::App& command, const std::shared_ptr<Arguments>& arguments, const std::string& name,
               const std::string& value, const std::string& help, std::function<SchemaChange(const std::string&)> parse) {
  command
      .add_option_function<std::string>(
          name, [arguments, parse = std::move(parse)](const std::string& text) { arguments->changes.push_back(parse(text)); },
          help)
      ->type_name(value)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->trigger_on_parse();
}

std::optional<std::string> TextOrNone(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

}  // namespace

void AddAlter(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("alter", "Change a table's schema: all changes, in the order given, as one new schema");
  AddWarehouse(*command, arguments->warehouse)->required();
  command->add_option("table", arguments->table, "DATABASE.TABLE")->required();
  const auto add = [&](const std::string& name, const std::string& value, const std::string& help,
                       std::function<SchemaChange(const std::string&)> parse) {
    AddChange(*command, arguments, name, value, help, std::move(parse));
  };
  add("--set", "KEY=VALUE", "set an option", [](const std::string& text) {
    const auto [key, value] = Cut(text, '=');
    return SetOption{key, value};
  });
  add("--unset", "KEY", "remove an option", [](const std::string& text) { return RemoveOption{text}; });
  add("--add", "COLUMN=TYPE", "add a column, e.g. note=VARCHAR(10) or address.zip=STRING", [](const std::string& text) {
    const auto [column, type] = Cut(text, '=');
    return AddColumn{.path = Path(column), .type = ParseType(type)};
  });
  add("--drop", "COLUMN", "drop a column", [](const std::string& text) { return DropColumn{Path(text)}; });
  add("--rename", "COLUMN=NAME", "rename a column", [](const std::string& text) {
    const auto [column, name] = Cut(text, '=');
    return RenameColumn{Path(column), name};
  });
  add("--type", "COLUMN=TYPE", "give a column another type", [](const std::string& text) {
    const auto [column, type] = Cut(text, '=');
    return SetColumnType{Path(column), ParseType(type), /*keep_nullability=*/true};
  });
  add("--nullable", "COLUMN", "take NOT NULL off a column", [](const std::string& text) {
    return SetColumnNullability{Path(text), true};
  });
  add("--not-null", "COLUMN", "make a column NOT NULL", [](const std::string& text) {
    return SetColumnNullability{Path(text), false};
  });
  add("--default", "COLUMN=VALUE", "the value of rows that give none", [](const std::string& text) {
    const auto [column, value] = Cut(text, '=');
    return SetColumnDefault{Path(column), value};
  });
  add("--no-default", "COLUMN", "take the default off a column", [](const std::string& text) {
    return SetColumnDefault{Path(text), {}};
  });
  add("--first", "COLUMN", "move a column to the front", [](const std::string& text) {
    return MoveColumn{text, ColumnPosition::First()};
  });
  add("--after", "COLUMN=OTHER", "move a column behind another", [](const std::string& text) {
    const auto [column, other] = Cut(text, '=');
    return MoveColumn{column, ColumnPosition::After(other)};
  });
  add("--column-comment", "COLUMN=TEXT", "comment on a column", [](const std::string& text) {
    const auto [column, comment] = Cut(text, '=');
    return SetColumnComment{Path(column), comment};
  });
  add("--comment", "TEXT", "comment on the table; empty for none",
      [](const std::string& text) { return SetTableComment{TextOrNone(text)}; });
  command->callback([arguments] {
    if (arguments->changes.empty()) throw CLI::RequiredError("a change");
    const auto session = ValueOrFail(Session::Make({}));
    const auto catalog =
        ValueOrFail(session->OpenCatalog({.warehouse = arguments->warehouse, .options = {}, .read_only = false}));
    const Identifier identifier = ValueOrFail(Identifier::Parse(arguments->table));
    CheckOk(catalog->AlterTable(identifier, arguments->changes));
    std::cout << arguments->table << ": schema " << ValueOrFail(catalog->GetTable(identifier))->schema()->id << '\n';
  });
}

}  // namespace bactrian::cli
