#pragma once

#include <functional>
#include <string>

#include "duckdb.hpp"

namespace bactrian::cli {

/// The name under which the warehouse of the command line is attached.
inline constexpr char kCatalogName[] = "lake";

/// An embedded DuckDB with the extension `paimon`, and a warehouse attached to it.
class Engine {
 public:
  struct Options {
    std::string warehouse;  ///< empty: none is attached
    bool read_only = false;
    int threads = 0;                   ///< 0: one a core
    int memory_limit_gib = 0;          ///< 0: DuckDB's default, four fifths of the machine's
    std::string spill_directory = {};  ///< empty: DuckDB's default
  };

  /// Throws Failure.
  explicit Engine(const Options& options);

  duckdb::Connection& connection() { return *connection_; }

  /// Runs the statements of `sql` in order and hands each result to `print`. Throws Failure at the first that fails.
  void Run(const std::string& sql, const std::function<void(duckdb::QueryResult&)>& print);

 private:
  duckdb::unique_ptr<duckdb::DuckDB> database_;
  duckdb::unique_ptr<duckdb::Connection> connection_;
};

/// "name" with its quotes, for SQL text.
std::string QuoteIdentifier(const std::string& name);
/// 'text' with its quotes.
std::string QuoteText(const std::string& text);
/// `lake`."db"."object" for "db.object"; the object may be a system table or branch. Throws Failure for anything else.
std::string QualifiedTable(const std::string& identifier, const std::string& suffix = "");

}  // namespace bactrian::cli
