#include "variant_conversion.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>

#include "bactrian/data_type.h"
#include "duckdb/function/function_binder.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "errors.h"

namespace bactrian::sql {

using duckdb::LogicalType;

std::unique_ptr<VariantConversion> VariantConversion::FromBytes(duckdb::ClientContext& context) {
  return std::unique_ptr<VariantConversion>(
      new VariantConversion(context, "variant_bytes_to_variant", LogicalType::BLOB, LogicalType::VARIANT()));
}

std::unique_ptr<VariantConversion> VariantConversion::ToBytes(duckdb::ClientContext& context) {
  LogicalType bytes = LogicalType::STRUCT({{"metadata", LogicalType::BLOB}, {"value", LogicalType::BLOB}});
  return std::unique_ptr<VariantConversion>(
      new VariantConversion(context, "variant_to_parquet_variant", LogicalType::VARIANT(), std::move(bytes)));
}

VariantConversion::VariantConversion(duckdb::ClientContext& context, const char* function, const LogicalType& input,
                                     LogicalType result)
    : result_type_(std::move(result)), executor_(context) {
  input_.InitializeEmpty({input});
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
  arguments.push_back(duckdb::make_uniq<duckdb::BoundReferenceExpression>(input, duckdb::idx_t{0}));
  duckdb::ErrorData error;
  expression_ = duckdb::FunctionBinder(context).BindScalarFunction(ToSqlName(DEFAULT_SCHEMA), ToSqlName(function),
                                                                   std::move(arguments), error);
  if (!expression_) error.Throw();
  executor_.AddExpression(*expression_);
}

void VariantConversion::Convert(duckdb::Vector& input, duckdb::idx_t rows, duckdb::Vector& result) {
  input_.data[0].Reference(input);
  input_.SetCardinalityUnsafe(rows);
  executor_.ExecuteExpression(input_, result);
  TakeNulls(input, rows, result);
}

std::shared_ptr<arrow::Array> JoinVariants(const arrow::StructArray& variants) {
  const std::shared_ptr<arrow::Array> values = variants.field(0), dictionaries = variants.field(1);
  arrow::BinaryBuilder joined;
  for (int64_t i = 0; i < variants.length(); ++i) {
    if (variants.IsNull(i)) {
      CheckOk(joined.AppendNull());
      continue;
    }
    CheckOk(joined.Append(static_cast<const arrow::BinaryArray&>(*dictionaries).GetView(i)));
    CheckOk(joined.ExtendCurrent(static_cast<const arrow::BinaryArray&>(*values).GetView(i)));
  }
  return ValueOrThrow(joined.Finish());
}

std::shared_ptr<arrow::Array> SwapVariants(const arrow::StructArray& variants) {
  static const std::shared_ptr<arrow::DataType> type = ValueOrThrow(ToArrowType(*DataType::Make(TypeRoot::kVariant)));
  // Where the struct is null, so are DuckDB's children; Paimon's never are.
  const auto without_nulls = [](const arrow::Array& array) {
    std::shared_ptr<arrow::ArrayData> data = array.data()->Copy();
    data->buffers[0] = nullptr;
    data->null_count = 0;
    return arrow::MakeArray(std::move(data));
  };
  arrow::ArrayVector children = {without_nulls(*variants.field(1)), without_nulls(*variants.field(0))};
  return std::make_shared<arrow::StructArray>(type, variants.length(), std::move(children), variants.null_bitmap());
}

}  // namespace bactrian::sql
