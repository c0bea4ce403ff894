/// Databases and tables.
///
///   ARROW_RETURN_NOT_OK(catalog->CreateDatabase("db", /*ignore_if_exists=*/true));
///   ARROW_RETURN_NOT_OK(catalog->CreateTable({"db", "t"}, {.fields = {{.name = "id", .type = DataType::Bigint()}}}));
///   ARROW_RETURN_NOT_OK(catalog->AlterTable({"db", "t"}, {AddColumn{.path = {"note"}, .type = DataType::String()}}));
///   ARROW_ASSIGN_OR_RAISE(auto snapshots, catalog->GetTable({"db", "t$snapshots"}));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/schema.h"
#include "bactrian/schema_change.h"

namespace bactrian {

class Table;

/// A database and an object name, which may be "table", "table$system", "table$branch_b" or "table$branch_b$system".
struct BACTRIAN_EXPORT Identifier {
  std::string database;
  std::string object;

  std::string table() const;  ///< the object's name without branch and system table
  std::optional<std::string> branch() const;
  std::optional<std::string> system_table() const;
  std::string ToString() const { return database + "." + object; }
  /// "db.t"; kInvalid for anything else.
  static arrow::Result<Identifier> Parse(std::string_view text);
};

/// Thread-safe.
class BACTRIAN_EXPORT Catalog {
 public:
  virtual ~Catalog() = default;
  virtual const std::string& warehouse() const = 0;

  virtual arrow::Result<std::vector<std::string>> ListDatabases() = 0;  ///< sorted
  virtual arrow::Status CreateDatabase(const std::string& name, bool ignore_if_exists) = 0;
  /// kInvalid for a database with tables unless cascade.
  virtual arrow::Status DropDatabase(const std::string& name, bool ignore_if_missing, bool cascade) = 0;

  virtual arrow::Result<std::vector<std::string>> ListTables(const std::string& database) = 0;  ///< sorted
  /// A table, branch or system table at its present schema. `dynamic_options` override the table's for this handle.
  virtual arrow::Result<std::shared_ptr<Table>> GetTable(const Identifier& identifier, const Options& dynamic_options = {}) = 0;
  virtual arrow::Status CreateTable(const Identifier& identifier, Schema schema, bool ignore_if_exists = false) = 0;
  /// Deletes the table's directory and its files under external data paths.
  virtual arrow::Status DropTable(const Identifier& identifier, bool ignore_if_missing) = 0;
  /// All changes as one new schema of the table or branch (format reference: schema.md §5). kInvalid for a change that is
  /// impossible: nothing is written then. Handles that are open keep the schema that they have.
  virtual arrow::Status AlterTable(const Identifier& identifier, const std::vector<SchemaChange>& changes) = 0;
  virtual arrow::Status RenameTable(const Identifier& from, const Identifier& to) = 0;
};

}  // namespace bactrian
