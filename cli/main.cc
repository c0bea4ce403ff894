// The command line. Results go to standard output, messages to standard error as "bactrian: …"; exit status 0, 1 for a failure,
// 2 for a usage that makes no sense.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "alter_command.h"
#include "bactrian/bactrian.h"
#include "command_options.h"
#include "engine.h"
#include "failure.h"
#include "load.h"
#include "maintenance_commands.h"
#include "result_printer.h"
#include "shell.h"
#include "tpcds_commands.h"

namespace bactrian::cli {

namespace {

const std::map<std::string, OutputFormat> kScanFormats{
    {"table", OutputFormat::kBox}, {"csv", OutputFormat::kCsv}, {"json", OutputFormat::kJson}, {"arrow", OutputFormat::kArrow}};

std::string ReadText(std::istream& in) { return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}; }

void AddSql(CLI::App& app) {
  struct Arguments {
    Engine::Options engine;
    std::vector<std::string> statements;
    std::string file;
    OutputFormat format = DefaultFormat();
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("sql", "Run SQL; without -c and -f a shell, or the statements on standard input");
  AddWarehouse(*command, arguments->engine.warehouse)->description("attached as the catalog \"lake\"");
  command->add_flag("--read-only", arguments->engine.read_only, "refuse to change the warehouse");
  command->add_option("--threads", arguments->engine.threads, "default: one a core")->check(CLI::PositiveNumber);
  auto* statement = command->add_option("-c,--command", arguments->statements, "statements to run; may be repeated");
  command->add_option("-f,--file", arguments->file, "a file of statements")->check(CLI::ExistingFile)->excludes(statement);
  AddFormat(*command, arguments->format);
  command->callback([arguments] {
    Engine engine(arguments->engine);
    const auto print = [&](duckdb::QueryResult& result) {
      PrintResult(*engine.connection().context, result, arguments->format, std::cout);
    };
    if (!arguments->statements.empty()) {
      for (const std::string& sql : arguments->statements) engine.Run(sql, print);
    } else if (!arguments->file.empty()) {
      std::ifstream in(arguments->file);
      engine.Run(ReadText(in), print);
    } else if (isatty(STDIN_FILENO)) {
      RunShell(engine, arguments->format);
    } else {
      engine.Run(ReadText(std::cin), print);
    }
  });
}

void AddLoad(CLI::App& app) {
  static const std::map<std::string, IfExists> kIfExists{
      {"error", IfExists::kError}, {"skip", IfExists::kSkip}, {"overwrite", IfExists::kOverwrite}};
  auto request = std::make_shared<LoadRequest>();
  CLI::App* command = app.add_subcommand("load", "Copy Parquet files into a table, made from their schema");
  AddWarehouse(*command, request->warehouse)->required();
  command->add_option("table", request->table, "DATABASE.TABLE")->required();
  command->add_option("source", request->sources, "Parquet files, or folders of *.parquet")->required();
  command->add_option("--if-exists", request->if_exists, "error (default), skip or overwrite")
      ->transform(CLI::Transformer(kIfExists))
      ->type_name("WHAT");
  command->add_option("--partition-by", request->partition_keys, "partition keys of a new table")->delimiter(',');
  const auto is_assignment = [](const std::string& text) {
    return text.find('=') != std::string::npos ? std::string() : "KEY=VALUE is wanted, not " + text;
  };
  command
      ->add_option_function<std::vector<std::string>>(
          "--option",
          [request](const std::vector<std::string>& assignments) {
            for (const std::string& text : assignments) {
              request->options[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
            }
          },
          "KEY=VALUE of a new table; may be repeated")
      ->check(is_assignment)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--threads", request->threads, "default: one a core")->check(CLI::PositiveNumber);
  command->add_flag("--link", request->link, "make the files themselves data files (hard links) instead of writing their rows");
  command->callback([request] {
    const LoadReport report = Load(*request);
    std::cout << request->table << ' ' << report.status << ' ' << report.rows << " rows " << report.milliseconds << " ms\n";
  });
}

void AddScan(CLI::App& app) {
  struct Arguments {
    std::string warehouse, table, filter, tag;
    std::vector<std::string> columns;
    std::optional<int64_t> limit, snapshot;
    OutputFormat format = DefaultFormat();
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("scan", "Print rows of a table");
  AddWarehouse(*command, arguments->warehouse)->required();
  command->add_option("table", arguments->table, "DATABASE.TABLE, with $branch_b or $system table if wanted")->required();
  command->add_option("--select", arguments->columns, "columns, separated by commas (default: all)")->delimiter(',');
  command->add_option("--filter", arguments->filter, "an SQL condition, e.g. \"price > 10 AND name LIKE 'a%'\"");
  command->add_option("--limit", arguments->limit, "at most so many rows")->check(CLI::NonNegativeNumber);
  auto* snapshot = command->add_option("--snapshot", arguments->snapshot, "the rows of this snapshot id");
  command->add_option("--tag", arguments->tag, "the rows of this tag")->excludes(snapshot);
  AddFormat(*command, arguments->format, kScanFormats);
  command->callback([arguments] {
    std::string sql;
    for (const std::string& column : arguments->columns) sql += (sql.empty() ? "" : ", ") + QuoteIdentifier(column);
    sql = "SELECT " + (sql.empty() ? "*" : sql) + " FROM " + QualifiedTable(arguments->table);
    if (arguments->snapshot) sql += " AT (VERSION => " + std::to_string(*arguments->snapshot) + ")";
    if (!arguments->tag.empty()) sql += " AT (VERSION => " + QuoteText(arguments->tag) + ")";
    if (!arguments->filter.empty()) sql += " WHERE (" + arguments->filter + "\n)";
    if (arguments->limit) sql += " LIMIT " + std::to_string(*arguments->limit);
    PrintSql(arguments->warehouse, /*read_only=*/true, sql, arguments->format);
  });
}

void AddTables(CLI::App& app) {
  struct Arguments {
    std::string warehouse, database;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("tables", "List the tables, one DATABASE.TABLE a line");
  AddWarehouse(*command, arguments->warehouse)->required();
  command->add_option("database", arguments->database, "only those of this database");
  command->callback([arguments] {
    const auto session = ValueOrFail(Session::Make({}));
    const auto catalog =
        ValueOrFail(session->OpenCatalog({.warehouse = arguments->warehouse, .options = {}, .read_only = true}));
    std::vector<std::string> databases{arguments->database};
    if (arguments->database.empty()) databases = ValueOrFail(catalog->ListDatabases());
    for (const std::string& database : databases) {
      for (const std::string& table : ValueOrFail(catalog->ListTables(database))) std::cout << database << '.' << table << '\n';
    }
  });
}

std::string Join(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

void PrintDescription(const Table& table) {
  const TableSchema& schema = *table.schema();
  std::cout << "table           " << table.identifier().ToString() << "\npath            " << table.path()
            << "\nschema id       " << schema.id << '\n';
  if (schema.comment) std::cout << "comment         " << *schema.comment << '\n';
  if (!schema.partition_keys.empty()) std::cout << "partition keys  " << Join(schema.partition_keys) << '\n';
  if (!schema.primary_keys.empty()) std::cout << "primary key     " << Join(schema.primary_keys) << '\n';
  std::cout << "columns\n";
  for (const Field& field : schema.fields) {
    std::cout << "  " << field.name << "  " << field.type->ToSqlString();
    if (field.default_value) std::cout << "  DEFAULT " << *field.default_value;
    if (field.description) std::cout << "  -- " << *field.description;
    std::cout << '\n';
  }
  if (!schema.options.empty()) std::cout << "options\n";
  for (const auto& [key, value] : schema.options) std::cout << "  " << key << " = " << value << '\n';
}

void AddDescribe(CLI::App& app) {
  struct Arguments {
    std::string warehouse, table;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("describe", "Show a table's columns, keys and options");
  AddWarehouse(*command, arguments->warehouse)->required();
  command->add_option("table", arguments->table, "DATABASE.TABLE")->required();
  command->add_flag("--json", arguments->json, "the schema as Paimon's JSON");
  command->callback([arguments] {
    const auto session = ValueOrFail(Session::Make({}));
    const auto catalog =
        ValueOrFail(session->OpenCatalog({.warehouse = arguments->warehouse, .options = {}, .read_only = true}));
    const auto table = ValueOrFail(catalog->GetTable(ValueOrFail(Identifier::Parse(arguments->table))));
    if (arguments->json) {
      std::cout << table->schema()->ToJson() << '\n';
    } else {
      PrintDescription(*table);
    }
  });
}

/// A command that prints a system table.
void AddSystemTable(CLI::App& app, const std::string& name, const std::string& help, const std::string& columns) {
  struct Arguments {
    std::string warehouse, table;
    OutputFormat format = DefaultFormat();
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(name, help);
  AddWarehouse(*command, arguments->warehouse)->required();
  command->add_option("table", arguments->table, "DATABASE.TABLE")->required();
  AddFormat(*command, arguments->format);
  command->callback([arguments, name, columns] {
    PrintSql(arguments->warehouse, /*read_only=*/true,
             "SELECT " + columns + " FROM " + QualifiedTable(arguments->table, "$" + name), arguments->format);
  });
}

int Main(int argc, char** argv) {
  CLI::App app("Bactrian: Apache Paimon tables from the command line.", "bactrian");
  app.set_help_all_flag("--help-all", "help of all commands");
  app.require_subcommand(1);
  AddSql(app);
  AddLoad(app);
  AddScan(app);
  AddTables(app);
  AddDescribe(app);
  AddAlter(app);
  AddMaintenance(app);
  AddTpcds(app);
  AddSystemTable(app, "snapshots", "List a table's snapshots",
                 "snapshot_id, commit_time, commit_kind, commit_user, schema_id, total_record_count, delta_record_count");
  AddSystemTable(app, "files", "List the data files of a table's newest snapshot",
                 "\"partition\", bucket, file_path, file_format, level, record_count, file_size_in_bytes, creation_time");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    std::cerr << "bactrian: " << error.what() << "\nbactrian: --help shows the usage\n";
    return kExitUsage;
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << "bactrian: " << error.what() << '\n';
    return kExitFailure;
  }
  return 0;
}

}  // namespace

}  // namespace bactrian::cli

int main(int argc, char** argv) { return bactrian::cli::Main(argc, argv); }
