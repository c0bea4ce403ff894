#include "maintenance_commands.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "bactrian/bactrian.h"
#include "command_options.h"
#include "engine.h"
#include "failure.h"
#include "progress.h"

namespace bactrian::cli {

namespace {

/// A command that is a CALL of the procedure of SQL: what it prints is the procedure's result.
struct TableCommand {
  std::string warehouse, table;
  OutputFormat format = DefaultFormat();
  bool dry_run = false;

  /// `arguments` follow the table, each with a leading ", ".
  void Call(const std::string& procedure, const std::string& arguments) const {
    const Identifier identifier = ValueOrFail(Identifier::Parse(table));
    const std::string name = QuoteIdentifier(identifier.database) + "." + QuoteIdentifier(identifier.object);
    PrintSql(warehouse, /*read_only=*/false,
             "CALL " + std::string(kCatalogName) + ".sys." + procedure + "(" + QuoteText(name) + arguments +
                 (dry_run ? ", dry_run => true" : "") + ")",
             format);
  }
};

std::string TextArgument(const char* name, const std::string& value) {
  return value.empty() ? "" : std::string(", ") + name + " => " + QuoteText(value);
}

std::string NumberArgument(const char* name, const std::optional<int64_t>& value) {
  return value ? std::string(", ") + name + " => " + std::to_string(*value) : "";
}

/// The subcommand with what all of them take; `dry_run` if it has one.
CLI::App* AddTableCommand(CLI::App& app, const std::string& name, const std::string& help, TableCommand& command,
                          bool has_dry_run) {
  CLI::App* subcommand = app.add_subcommand(name, help);
  AddWarehouse(*subcommand, command.warehouse)->required();
  subcommand->add_option("table", command.table, "DATABASE.TABLE")->required();
  AddFormat(*subcommand, command.format);
  if (has_dry_run) subcommand->add_flag("--dry-run", command.dry_run, "say what would be done, change nothing");
  return subcommand;
}

void AddTruncate(CLI::App& app) {
  auto command = std::make_shared<TableCommand>();
  AddTableCommand(app, "truncate", "Remove all rows of a table", *command, true)->callback([command] {
    command->Call("truncate_table", "");
  });
}

void AddDropPartition(CLI::App& app) {
  struct Arguments : TableCommand {
    std::vector<std::string> partitions;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = AddTableCommand(app, "drop-partition", "Remove all rows of partitions", *arguments, true);
  command->add_option("partition", arguments->partitions, "KEY=VALUE[,KEY=VALUE…]; may be repeated")->required();
  command->callback([arguments] {
    std::string joined;
    for (const std::string& partition : arguments->partitions) joined += (joined.empty() ? "" : ";") + partition;
    arguments->Call("drop_partition", TextArgument("partitions", joined));
  });
}

void AddExpire(CLI::App& app) {
  struct Arguments : TableCommand {
    std::optional<int64_t> retain_max, retain_min, limit;
    std::string older_than;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = AddTableCommand(app, "expire", "Remove old snapshots and the files that only they use", *arguments, true);
  command->add_option("--retain-max", arguments->retain_max, "keep at most so many snapshots")->check(CLI::PositiveNumber);
  command->add_option("--retain-min", arguments->retain_min, "keep at least so many snapshots")->check(CLI::PositiveNumber);
  command->add_option("--older-than", arguments->older_than, "only snapshots before this time, e.g. \"2024-06-01 12:00:00\"");
  command->add_option("--limit", arguments->limit, "remove at most so many snapshots")->check(CLI::PositiveNumber);
  command->callback([arguments] {
    arguments->Call("expire_snapshots",
                    NumberArgument("retain_max", arguments->retain_max) + NumberArgument("retain_min", arguments->retain_min) +
                        TextArgument("older_than", arguments->older_than) + NumberArgument("max_deletes", arguments->limit));
  });
}

void AddRemoveOrphans(CLI::App& app) {
  struct Arguments : TableCommand {
    std::string older_than;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = AddTableCommand(app, "remove-orphans", "Remove files that nothing refers to", *arguments, true);
  command->add_option("--older-than", arguments->older_than, "only files before this time (default: a day ago)");
  command->callback([arguments] { arguments->Call("remove_orphan_files", TextArgument("older_than", arguments->older_than)); });
}

void AddOverwrite(CLI::App& app) {
  struct Arguments : TableCommand {
    std::string query, file, partition;
    bool dynamic = false, whole = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = AddTableCommand(app, "overwrite", "Replace rows by those of a query", *arguments, false);
  auto* query = command->add_option("-c,--command", arguments->query, "the query, over the catalog \"lake\"");
  command->add_option("-f,--file", arguments->file, "a file with the query")->check(CLI::ExistingFile)->excludes(query);
  command->add_option("--partition", arguments->partition,
                      "KEY=VALUE[,…]: only this partition, whose keys the query leaves out");
  auto* dynamic = command->add_flag("--dynamic", arguments->dynamic, "only partitions that the query has rows for");
  command->add_flag("--static", arguments->whole, "the whole table or --partition, whatever the query has")->excludes(dynamic);
  command->callback([arguments] {
    if (arguments->query.empty() && arguments->file.empty()) throw CLI::RequiredError("--command or --file");
    if (!arguments->file.empty()) {
      std::ifstream in(arguments->file);
      arguments->query.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    std::string mode;
    if (arguments->dynamic || arguments->whole) mode = std::string(", dynamic => ") + (arguments->dynamic ? "true" : "false");
    arguments->Call("overwrite", ", " + QuoteText(arguments->query) + TextArgument("partition", arguments->partition) + mode);
  });
}

/// Through the library, which tells how far it is.
void AddCompact(CLI::App& app) {
  struct Arguments : TableCommand {
    std::string partition;
    bool full = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = AddTableCommand(app, "compact", "Merge small files and drop deleted rows", *arguments, true);
  command->add_option("--partition", arguments->partition, "KEY=VALUE[,…]: only in this partition");
  command->add_flag("--full", arguments->full, "rewrite every file that is not of the target size");
  command->callback([arguments] {
    if (arguments->dry_run || !arguments->partition.empty()) {
      arguments->Call("compact", TextArgument("partitions", arguments->partition) +
                                     TextArgument("compact_strategy", arguments->full ? "full" : "minor"));
      return;
    }
    const auto session = ValueOrFail(Session::Make({}));
    const auto catalog =
        ValueOrFail(session->OpenCatalog({.warehouse = arguments->warehouse, .options = {}, .read_only = false}));
    const auto table = ValueOrFail(catalog->GetTable(ValueOrFail(Identifier::Parse(arguments->table))));
    std::optional<Progress> progress;
    const CompactionOptions options{.full = arguments->full, .progress = [&](int64_t bytes, int64_t total) {
                                      if (!progress) progress.emplace(arguments->table, total, "bytes");
                                      progress->Add(bytes);
                                    }};
    const CompactResult result = ValueOrFail(Compact(table, options));
    progress.reset();
    std::cout << arguments->table << ": ";
    if (!result.snapshot_id) {
      std::cout << "nothing to compact\n";
    } else {
      std::cout << result.files_before << " files became " << result.files_after << " in snapshot " << *result.snapshot_id
                << '\n';
    }
  });
}

/// `tag` and `branch`: create, delete and list names.
void AddTag(CLI::App& app) {
  struct Arguments : TableCommand {
    std::string name, retain;
    std::optional<int64_t> snapshot;
    bool replace = false;
  };
  CLI::App* tag = app.add_subcommand("tag", "Names for snapshots, which keep their files");
  tag->require_subcommand(1);
  auto create = std::make_shared<Arguments>();
  CLI::App* command = AddTableCommand(*tag, "create", "Name a snapshot", *create, false);
  command->add_option("name", create->name)->required();
  command->add_option("--snapshot", create->snapshot, "its id (default: the newest)");
  command->add_option("--retain", create->retain, "for how long, e.g. \"30 days\" (default: for good)");
  command->add_flag("--replace", create->replace, "take the place of a tag of this name");
  command->callback([create] {
    create->Call(create->replace ? "replace_tag" : "create_tag", TextArgument("tag", create->name) +
                                                                     NumberArgument("snapshot", create->snapshot) +
                                                                     TextArgument("time_retained", create->retain));
  });
  auto remove = std::make_shared<Arguments>();
  command = AddTableCommand(*tag, "delete", "Delete a tag", *remove, false);
  command->add_option("name", remove->name)->required();
  command->callback([remove] { remove->Call("delete_tag", TextArgument("tag", remove->name)); });
  auto list = std::make_shared<TableCommand>();
  AddTableCommand(*tag, "list", "List the tags", *list, false)->callback([list] {
    PrintSql(list->warehouse, /*read_only=*/true,
             "SELECT tag_name, snapshot_id, commit_time, record_count FROM " + QualifiedTable(list->table, "$tags"),
             list->format);
  });
}

void AddBranch(CLI::App& app) {
  struct Arguments : TableCommand {
    std::string name, tag;
  };
  CLI::App* branch = app.add_subcommand("branch", "Lines of history beside a table's own");
  branch->require_subcommand(1);
  auto create = std::make_shared<Arguments>();
  CLI::App* command = AddTableCommand(*branch, "create", "Make a branch", *create, false);
  command->add_option("name", create->name)->required();
  command->add_option("--tag", create->tag, "with the rows of this tag (default: without rows)");
  command->callback(
      [create] { create->Call("create_branch", TextArgument("branch", create->name) + TextArgument("tag", create->tag)); });
  auto remove = std::make_shared<Arguments>();
  command = AddTableCommand(*branch, "delete", "Delete a branch", *remove, false);
  command->add_option("name", remove->name)->required();
  command->callback([remove] { remove->Call("delete_branch", TextArgument("branch", remove->name)); });
  auto list = std::make_shared<TableCommand>();
  AddTableCommand(*branch, "list", "List the branches", *list, false)->callback([list] {
    PrintSql(list->warehouse, /*read_only=*/true,
             "SELECT branch_name, create_time FROM " + QualifiedTable(list->table, "$branches"), list->format);
  });
}

void AddRollback(CLI::App& app) {
  struct Arguments : TableCommand {
    std::optional<int64_t> snapshot;
    std::string tag;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = AddTableCommand(
      app, "rollback", "Go back to a snapshot: later ones are deleted. Nobody may write meanwhile", *arguments, false);
  auto* snapshot = command->add_option("--snapshot", arguments->snapshot, "its id");
  command->add_option("--tag", arguments->tag, "the snapshot of this tag")->excludes(snapshot);
  command->callback([arguments] {
    if (!arguments->snapshot && arguments->tag.empty()) throw CLI::RequiredError("--snapshot or --tag");
    arguments->Call("rollback_to", NumberArgument("snapshot_id", arguments->snapshot) + TextArgument("tag", arguments->tag));
  });
}

}  // namespace

void AddMaintenance(CLI::App& app) {
  AddOverwrite(app);
  AddTruncate(app);
  AddDropPartition(app);
  AddCompact(app);
  AddExpire(app);
  AddRemoveOrphans(app);
  AddTag(app);
  AddBranch(app);
  AddRollback(app);
}

}  // namespace bactrian::cli
