#include "engine.h"

#include <unistd.h>

#include "bactrian/catalog.h"
#include "duckdb/common/error_data.hpp"
#include "duckdb/main/client_config.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/paimon_extension.h"
#include "duckdb/parser/keyword_helper.hpp"
#include "failure.h"

namespace bactrian::cli {

namespace {

/// Runs DuckDB code that throws; what it throws ends the command with DuckDB's own message.
template <typename Function>
auto Guarded(Function function) -> decltype(function()) {
  try {
    return function();
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& error) {
    throw Failure(duckdb::ErrorData(error).Message());
  }
}

}  // namespace

Engine::Engine(const Options& options) {
  Guarded([&] {
    duckdb::DBConfig config;
    config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));  // no network behind one's back
    if (options.threads > 0) config.SetOptionByName("threads", duckdb::Value::BIGINT(options.threads));
    if (options.memory_limit_gib > 0) {
      config.SetOptionByName("memory_limit", duckdb::Value(std::to_string(options.memory_limit_gib) + "GiB"));
    }
    if (!options.spill_directory.empty()) config.SetOptionByName("temp_directory", duckdb::Value(options.spill_directory));
    database_ = duckdb::make_uniq<duckdb::DuckDB>(nullptr, &config);
    sql::LoadPaimon(*database_->instance);
    connection_ = duckdb::make_uniq<duckdb::Connection>(*database_);
    if (isatty(STDOUT_FILENO)) {
      auto& client = duckdb::ClientConfig::GetConfig(*connection_->context);
      client.enable_progress_bar = true;
      client.print_progress_bar = true;
    }
  });
  if (options.warehouse.empty()) return;
  Run("ATTACH " + QuoteText(options.warehouse) + " AS " + kCatalogName + " (TYPE paimon" +
          (options.read_only ? ", READ_ONLY" : "") + ")",
      [](duckdb::QueryResult&) {});
}

void Engine::Run(const std::string& sql, const std::function<void(duckdb::QueryResult&)>& print) {
  Guarded([&] {
    for (auto& statement : connection_->ExtractStatements(sql)) {
      auto result = connection_->SendQuery(std::move(statement));
      if (result->HasError()) throw Failure(result->GetErrorObject().Message());
      print(*result);
      // A streamed result that fails half-way, or a commit that does, is only known now.
      if (result->HasError()) throw Failure(result->GetErrorObject().Message());
    }
  });
}

std::string QuoteIdentifier(const std::string& name) { return duckdb::KeywordHelper::WriteQuoted(name, '"'); }

std::string QuoteText(const std::string& text) { return duckdb::KeywordHelper::WriteQuoted(text, '\''); }

std::string QualifiedTable(const std::string& identifier, const std::string& suffix) {
  const Identifier parsed = ValueOrFail(Identifier::Parse(identifier));
  return std::string(kCatalogName) + '.' + QuoteIdentifier(parsed.database) + '.' + QuoteIdentifier(parsed.object + suffix);
}

}  // namespace bactrian::cli
