/// What differs between the DuckDB versions that this extension is built for. One build, one version: the C++ ABI is exact.
/// Today: 1.5.6. What 2.0 spells differently (identifiers, constant expressions, mutable vector data) goes through here.
#pragma once

#include "duckdb.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"

namespace bactrian::sql {

inline duckdb::unique_ptr<duckdb::ParsedExpression> MakeConstant(duckdb::Value value) {
  return duckdb::make_uniq<duckdb::ConstantExpression>(std::move(value));
}

}  // namespace bactrian::sql
