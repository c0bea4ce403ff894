// Runs .test files (tests/sql/README.md): bactrian_sql_test [--corpus DIR] [--extension FILE --host PROGRAM ARGUMENT… --] FILE…
// Without a host, in the embedded engine.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include "failure.h"
#include "host.h"
#include "test_script.h"

namespace bactrian::sql_test {

namespace {

namespace fs = std::filesystem;

struct Counts {
  int commands = 0, failures = 0, files = 0, skipped = 0;
  int copies = 0;  ///< queries that ran over native copies too
};

/// A folder of a test's own, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "bactrian_sql_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

std::string SortLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  std::string sorted;
  for (const std::string& line : lines) sorted += (sorted.empty() ? "" : "\n") + line;
  return sorted;
}

/// A query's tables as native copies: what an engine without our scan says to the same query.
class NativeCopies {
 public:
  explicit NativeCopies(Host& host) : host_(host) {}
  ~NativeCopies() {
    if (attached_) host_.Query("DETACH copies");
  }

  /// The rows of `sql` with every table `lake.<schema>.<table> [AT (…)]` read in full beforehand. nullopt: it names none, or
  /// asks for what a native table has not (a virtual column, a row id).
  std::optional<std::string> Query(const std::string& sql) {
    static const std::regex pattern("\\blake\\.(?:\\w+|\"[^\"]+\")\\.(\\w+|\"[^\"]+\")(\\s+AT\\s*\\([^)]*\\))?",
                                    std::regex::icase);
    try {
      std::string copied, rest = sql;
      for (std::smatch name; std::regex_search(rest, name, pattern); rest = name.suffix().str()) {
        copied += name.prefix().str() + Copy(name.str(), name.str(1));
      }
      if (attached_) return host_.Query(copied + rest);
    } catch (const cli::Failure&) {
    }
    return std::nullopt;
  }

 private:
  std::string Copy(const std::string& source, const std::string& table) {
    if (!attached_) host_.Query("ATTACH ':memory:' AS copies");
    attached_ = true;
    const std::string schema = "copies.c" + std::to_string(tables_++);
    host_.Query("CREATE SCHEMA " + schema);
    host_.Query("CREATE TABLE " + schema + "." + table + " AS FROM " + source);
    return schema + "." + table;
  }

  Host& host_;
  bool attached_ = false;
  int tables_ = 0;
};

class ScriptRunner {
 public:
  ScriptRunner(std::string path, std::string corpus, const HostOptions& options)
      : path_(std::move(path)), corpus_(std::move(corpus)), options_(options) {
    Restart();
    duckdb_major_ = std::stoi(host_->Query("SELECT version()").substr(1));  // v1.5.6
  }

  void Run(const Script& script, Counts& counts) {
    for (const Command& command : script.commands) {
      if (command.duckdb_major != 0 && command.duckdb_major != duckdb_major_) continue;
      ++counts.commands;
      std::string failure = RunCommand(command);
      if (failure.empty() && command.kind == CommandKind::kQuery) failure = CompareWithCopies(command, counts);
      if (failure.empty()) continue;
      ++counts.failures;
      std::cout << path_ << ':' << command.line << ": " << failure << "\n  " << ReplaceAll(command.sql, "\n", "\n  ") << '\n';
    }
  }

 private:
  void Restart() {
    host_ = nullptr;  // the old one first: a process holds what it has open
    host_ = OpenHost(options_, folder_.path() + "/warehouse");
  }

  std::string Expand(const std::string& text) const {
    return ReplaceAll(ReplaceAll(text, "${FOLDER}", folder_.path()), "${CORPUS}", corpus_);
  }

  std::string Query(const std::string& sql) { return host_->Query(Expand(sql)); }

  /// What went wrong; empty if nothing did.
  std::string RunCommand(const Command& command) {
    std::string actual;
    try {
      switch (command.kind) {
        case CommandKind::kRestart:
          Restart();
          return "";
        case CommandKind::kFilesRead:
          actual = FilesRead(Query("EXPLAIN ANALYZE " + command.sql));
          return actual == command.argument ? "" : "read " + actual + " files, wanted " + command.argument;
        default:
          actual = Query(command.sql);
          if (command.sql.starts_with("BEGIN")) in_transaction_ = true;
          if (command.sql.starts_with("COMMIT") || command.sql.starts_with("ROLLBACK")) in_transaction_ = false;
      }
    } catch (const cli::Failure& failure) {
      const std::string message = failure.what();
      if (command.kind != CommandKind::kStatementError) return "failed: " + message;
      return message.find(Expand(command.expected)) != std::string::npos ? "" : "failed with another message: " + message;
    }
    if (command.kind == CommandKind::kStatementError) return "succeeded, wanted the error: " + command.expected;
    if (command.kind != CommandKind::kQuery) return "";
    const std::string expected = command.sort_rows ? SortLines(Expand(command.expected)) : Expand(command.expected);
    if (command.sort_rows) actual = SortLines(actual);
    return actual == expected ? "" : "got\n" + actual + "\nwanted\n" + expected;
  }

  /// What a SELECT gives otherwise over native copies of its tables; empty if nothing. Not within a transaction of the
  /// script's: DuckDB lets one write to a single database.
  std::string CompareWithCopies(const Command& command, Counts& counts) {
    static const std::regex select("\\s*(SELECT|FROM|WITH)\\b[^;]*;?\\s*", std::regex::icase);
    if (in_transaction_ || !std::regex_match(command.sql, select)) return "";
    if (command.sql.find("DESCRIBE") != std::string::npos) return "";  // copies have no NOT NULL
    NativeCopies copies(*host_);
    const std::optional<std::string> native = copies.Query(Expand(command.sql));
    if (!native) return "";
    ++counts.copies;
    const std::string expected = SortLines(Expand(command.expected));
    return SortLines(*native) == expected ? "" : "over native copies got\n" + *native + "\nwanted\n" + Expand(command.expected);
  }

  /// The files that all scans of an EXPLAIN ANALYZE opened, added up.
  static std::string FilesRead(const std::string& explained) {
    static const std::regex pattern("Total Files Read:\\s*([0-9]+)");
    int total = 0;
    for (std::sregex_iterator match(explained.begin(), explained.end(), pattern), end; match != end; ++match) {
      total += std::stoi((*match)[1]);
    }
    return std::to_string(total);
  }

  std::string path_, corpus_;
  TemporaryFolder folder_;
  HostOptions options_;
  int duckdb_major_ = 0;
  bool in_transaction_ = false;
  std::unique_ptr<Host> host_;
};

int Main(int argc, char** argv) {
  std::string corpus;
  HostOptions host;
  Counts counts;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--corpus" && i + 1 < argc) {
      corpus = argv[++i];
      continue;
    }
    if (std::string(argv[i]) == "--extension" && i + 1 < argc) {
      host.extension = argv[++i];
      continue;
    }
    if (std::string(argv[i]) == "--host") {
      while (++i < argc && std::string(argv[i]) != "--") host.command.push_back(argv[i]);
      continue;
    }
    ++counts.files;
    const Script script = ParseScript(argv[i]);
    if (script.requirement == "corpus" && !fs::exists(corpus)) {
      ++counts.skipped;
      std::cout << argv[i] << ": SKIPPED, there is no corpus here\n";
      continue;
    }
    ScriptRunner(argv[i], corpus, host).Run(script, counts);
  }
  std::cout << counts.files << " files, " << counts.commands << " commands, " << counts.copies
            << " of them over native copies too, " << counts.failures << " failed, " << counts.skipped << " files skipped\n";
  return counts.failures == 0 && counts.commands > 0 ? 0 : 1;
}

}  // namespace

}  // namespace bactrian::sql_test

int main(int argc, char** argv) {
  try {
    return bactrian::sql_test::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
