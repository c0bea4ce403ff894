#pragma once

#include <optional>
#include <string>

#include "bactrian/data_type.h"
#include "compat.h"

namespace bactrian::sql {

/// The value of a table option in WITH (…) or SET (…): a constant or a bare word, as text.
std::string OptionText(const std::string& option, const duckdb::ParsedExpression& expression);

/// "c" of the option "column-type.c", by which a column gets a Paimon type that SQL cannot spell; nullopt for other options.
std::optional<std::string> ColumnOfTypeOption(const std::string& option);
/// The Paimon type that such an option has as its value, e.g. "VARCHAR(10)".
TypePtr ParseColumnType(const std::string& column, const std::string& text);

/// What DEFAULT says as the text that a Paimon schema keeps; nullopt for NULL. Throws for what is not the same in every row and
/// for values that `type` cannot hold.
std::optional<std::string> DefaultText(duckdb::ClientContext& context, const std::string& column, const DataType& type,
                                       const duckdb::ParsedExpression& expression);

}  // namespace bactrian::sql
