#include "host.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "engine.h"
#include "failure.h"

namespace bactrian::sql_test {

namespace {

/// Adds a row's values to `rows` in the scripts' spelling.
template <typename TextOf>
void AppendRow(std::string& rows, size_t columns, const TextOf& text_of) {
  if (!rows.empty()) rows += '\n';
  for (size_t column = 0; column < columns; ++column) {
    const std::string text = text_of(column);
    rows += (column ? "\t" : "") + (text.empty() ? "(empty)" : text);
  }
}

class EmbeddedHost final : public Host {
 public:
  explicit EmbeddedHost(const std::string& warehouse) : engine_({.warehouse = warehouse}) {}

  std::string Query(const std::string& sql) override {
    std::string rows;
    engine_.Run(sql, [&](duckdb::QueryResult& result) {
      rows.clear();
      while (const auto chunk = result.Fetch()) {
        for (duckdb::idx_t row = 0; row < chunk->size(); ++row) {
          AppendRow(rows, chunk->ColumnCount(), [&](size_t column) {
            const duckdb::Value value = chunk->GetValue(column, row);
            return value.IsNull() ? "NULL" : value.ToString();
          });
        }
      }
    });
    return rows;
  }

 private:
  cli::Engine engine_;
};

/// A child that takes a statement a line, as a JSON string, and answers {"rows": …} or {"error": …}.
class ProcessHost final : public Host {
 public:
  ProcessHost(const HostOptions& options, const std::string& warehouse) {
    std::signal(SIGPIPE, SIG_IGN);  // a host that has ended is noticed by its missing answer
    Start(options.command);
    Query("LOAD " + cli::QuoteText(options.extension));
    Query("ATTACH " + cli::QuoteText(warehouse) + " AS " + cli::kCatalogName + " (TYPE paimon)");
  }
  ~ProcessHost() override {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(child_, nullptr, 0);
  }

  std::string Query(const std::string& sql) override {
    std::fputs((nlohmann::json(sql).dump() + "\n").c_str(), to_);
    std::fflush(to_);
    const nlohmann::json answer = nlohmann::json::parse(ReadLine(), nullptr, /*allow_exceptions=*/false);
    if (answer.is_discarded()) throw std::runtime_error("the host has ended, running: " + sql);
    if (answer.contains("error")) throw cli::Failure(answer["error"].get<std::string>());
    std::string rows;
    for (const auto& row : answer["rows"]) {
      AppendRow(rows, row.size(),
                [&](size_t column) { return row[column].is_null() ? "NULL" : row[column].get<std::string>(); });
    }
    return rows;
  }

 private:
  void Start(const std::vector<std::string>& command) {
    int to_child[2], from_child[2];
    if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0) throw std::runtime_error("no pipe to be had");
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      dup2(to_child[0], STDIN_FILENO);
      dup2(from_child[1], STDOUT_FILENO);
      setenv("TZ", "UTC", 1);  // times with a zone are spelled in the host's
      execvp(words[0], words.data());
      _exit(127);
    }
    close(to_child[0]);
    close(from_child[1]);
    to_ = fdopen(to_child[1], "w");
    from_ = fdopen(from_child[0], "r");
  }

  std::string ReadLine() {
    std::string line;
    for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) line += static_cast<char>(c);
    return line;
  }

  pid_t child_ = -1;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
};

}  // namespace

std::unique_ptr<Host> OpenHost(const HostOptions& options, const std::string& warehouse) {
  if (options.command.empty()) return std::make_unique<EmbeddedHost>(warehouse);
  return std::make_unique<ProcessHost>(options, warehouse);
}

}  // namespace bactrian::sql_test
