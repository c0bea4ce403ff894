#include "shell.h"

#include <editline/readline.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "failure.h"
#include "statement_reader.h"

namespace bactrian::cli {

namespace {

constexpr char kHelp[] =
    ".help            this text\n"
    ".tables          tables of all catalogs\n"
    ".format FORMAT   box, csv or json\n"
    ".quit            leave (also Ctrl-D)\n"
    "Anything else is SQL and ends with a semicolon. The warehouse is the catalog \"lake\":\n"
    "  SELECT * FROM lake.db.t;  SELECT * FROM lake.db.\"t$snapshots\";  USE lake.db;\n";

/// libedit's callbacks carry no pointer: the one shell of the process.
duckdb::Connection* running_connection = nullptr;
std::vector<std::string> completions;

void Interrupt(int) {
  if (running_connection != nullptr) running_connection->Interrupt();
}

/// Words to complete to, asked for anew at every prompt: tables come and go.
void CollectCompletions(Engine& engine) {
  std::set<std::string> words{".help", ".tables", ".format", ".quit"};
  const auto collect = [&](duckdb::QueryResult& result) {
    while (const auto chunk = result.Fetch()) {
      for (duckdb::idx_t row = 0; row < chunk->size(); ++row) words.insert(chunk->GetValue(0, row).ToString());
    }
  };
  try {
    engine.Run(
        "SELECT upper(keyword_name) FROM duckdb_keywords() UNION SELECT schema_name FROM duckdb_schemas() UNION "
        "SELECT table_name FROM duckdb_tables() UNION SELECT column_name FROM duckdb_columns() WHERE NOT internal",
        collect);
  } catch (const Failure&) {  // a transaction that has failed: complete nothing
  }
  completions.assign(words.begin(), words.end());
}

char* NextCompletion(const char* text, int state) {
  static size_t next;
  if (state == 0) next = 0;
  const size_t length = std::strlen(text);
  while (next < completions.size()) {
    const std::string& word = completions[next++];
    if (duckdb::StringUtil::CIEquals(word.substr(0, length), text)) return strdup(word.c_str());
  }
  return nullptr;
}

char** Complete(const char* text, int, int) {
  rl_attempted_completion_over = 1;  // no file names
  return rl_completion_matches(text, NextCompletion);
}

std::string HistoryFile() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string() : std::string(home) + "/.bactrian_history";
}

/// False ends the shell.
bool RunDotCommand(Engine& engine, const std::string& line, OutputFormat& format) {
  const size_t space = line.find(' ');
  const std::string command = line.substr(0, space);
  const std::string argument = space == std::string::npos ? std::string() : line.substr(space + 1);
  if (command == ".quit" || command == ".exit") return false;
  if (command == ".tables") {
    engine.Run("SELECT database_name, schema_name, table_name FROM duckdb_tables() ORDER BY ALL",
               [&](duckdb::QueryResult& result) { PrintResult(*engine.connection().context, result, format, std::cout); });
  } else if (command == ".format" && (argument == "box" || argument == "csv" || argument == "json")) {
    format = argument == "box" ? OutputFormat::kBox : argument == "csv" ? OutputFormat::kCsv : OutputFormat::kJson;
  } else {
    std::cout << kHelp;
  }
  return true;
}

}  // namespace

void RunShell(Engine& engine, OutputFormat format) {
  rl_readline_name = const_cast<char*>("bactrian");
  rl_attempted_completion_function = Complete;
  using_history();
  const std::string history_file = HistoryFile();
  if (!history_file.empty()) read_history(history_file.c_str());
  running_connection = &engine.connection();
  std::signal(SIGINT, Interrupt);

  std::cout << "Bactrian: SQL over Paimon tables. .help for help.\n";
  std::string text;
  bool more = true;
  while (more) {
    if (text.empty()) CollectCompletions(engine);
    char* line = readline(text.empty() ? "bactrian> " : "      ..> ");
    if (line == nullptr) break;
    text += text.empty() ? line : std::string("\n") + line;
    std::free(line);
    const bool dot_command = text[0] == '.';
    if (text.find_first_not_of(" \t\n;") == std::string::npos) {
      text.clear();
    } else if (dot_command || EndsWithStatement(text)) {
      add_history(text.c_str());
      try {
        if (dot_command) {
          more = RunDotCommand(engine, text, format);
        } else {
          engine.Run(
              text, [&](duckdb::QueryResult& result) { PrintResult(*engine.connection().context, result, format, std::cout); });
        }
      } catch (const Failure& failure) {
        std::cerr << failure.what() << '\n';
      }
      std::cout.flush();
      text.clear();
    }
  }
  std::signal(SIGINT, SIG_DFL);
  running_connection = nullptr;
  if (!history_file.empty()) write_history(history_file.c_str());
}

}  // namespace bactrian::cli
