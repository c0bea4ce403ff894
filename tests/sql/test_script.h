#pragma once

#include <string>
#include <vector>

namespace bactrian::sql_test {

enum class CommandKind {
  kStatementOk,     ///< must succeed
  kStatementError,  ///< must fail with a message that holds `expected`
  kQuery,           ///< must give the lines of `expected`
  kFilesRead,       ///< EXPLAIN ANALYZE must show that `argument` files were read
  kRestart,         ///< a new database process: nothing but the warehouse stays
};

struct Command {
  CommandKind kind = CommandKind::kStatementOk;
  int line = 0;  ///< of the file, for messages
  bool sort_rows = false;
  int duckdb_major = 0;  ///< of `onlyif`: runs in this version of DuckDB alone; 0: in all
  std::string sql;
  std::string expected;
  std::string argument;
};

struct Script {
  std::vector<Command> commands;
  std::string requirement;  ///< of `require NAME`; empty: none
};

/// Parses a .test file (tests/sql/README.md) with loops unrolled. Throws std::runtime_error naming file and line.
Script ParseScript(const std::string& path);

}  // namespace bactrian::sql_test
