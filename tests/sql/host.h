#pragma once

#include <memory>
#include <string>
#include <vector>

namespace bactrian::sql_test {

/// A DuckDB with the extension `paimon` in which the statements of a script run. Throws cli::Failure with DuckDB's message.
class Host {
 public:
  virtual ~Host() = default;

  /// The rows of the last statement: columns joined by tabs, rows by newlines, NULL and the empty string spelled out.
  virtual std::string Query(const std::string& sql) = 0;
};

/// How to get a host; `warehouse` is attached as `lake`.
struct HostOptions {
  std::vector<std::string> command;  ///< a program that speaks the protocol of tests/sql/*_host.py; empty: DuckDB in here
  std::string extension;             ///< what the program's DuckDB has to LOAD
};

std::unique_ptr<Host> OpenHost(const HostOptions& options, const std::string& warehouse);

}  // namespace bactrian::sql_test
