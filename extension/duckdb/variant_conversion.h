#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "compat.h"
#include "duckdb/execution/expression_executor.hpp"

namespace bactrian::sql {

/// VARIANT columns between Paimon's encoding, which is Parquet's, and DuckDB's own, by the functions that DuckDB has for
/// Parquet files. NULL stays NULL (and is not the VARIANT null). One thread.
class VariantConversion {
 public:
  /// From BLOBs as JoinVariants() makes them.
  static std::unique_ptr<VariantConversion> FromBytes(duckdb::ClientContext& context);
  /// To STRUCT(metadata BLOB, value BLOB); SwapVariants() has them as Paimon's Arrow type.
  static std::unique_ptr<VariantConversion> ToBytes(duckdb::ClientContext& context);

  const duckdb::LogicalType& result_type() const { return result_type_; }
  void Convert(duckdb::Vector& input, duckdb::idx_t rows, duckdb::Vector& result);

 private:
  VariantConversion(duckdb::ClientContext& context, const char* function, const duckdb::LogicalType& input,
                    duckdb::LogicalType result);

  duckdb::DataChunk input_;
  duckdb::unique_ptr<duckdb::Expression> expression_;
  duckdb::LogicalType result_type_;
  duckdb::ExpressionExecutor executor_;
};

/// struct<value, metadata> as one binary value a row, the metadata first.
std::shared_ptr<arrow::Array> JoinVariants(const arrow::StructArray& variants);
/// struct<metadata, value> as struct<value, metadata>.
std::shared_ptr<arrow::Array> SwapVariants(const arrow::StructArray& variants);

}  // namespace bactrian::sql
