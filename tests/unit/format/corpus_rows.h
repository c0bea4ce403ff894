/// Batches as the JSON rows of the interop corpus (tests/interop/README.md, "Row encoding"), without `_kind`.
#pragma once

#include <arrow/type_fwd.h>
#include <gtest/gtest.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bactrian {

/// One row.
nlohmann::json RowJson(const arrow::RecordBatch& batch, int64_t row);
/// All rows of a reader, each as text, sorted. Fails the running test on an error.
std::vector<std::string> SortedRows(arrow::RecordBatchReader& reader);
/// Reports the first difference. Fails for no expected rows.
::testing::AssertionResult SameRows(const std::vector<std::string>& actual, const std::vector<std::string>& expected);
/// The rows of an expected*.jsonl file in the same form. `float_columns` are printed there as the JDK prints FLOAT.
std::vector<std::string> ExpectedRows(const std::string& path, const std::vector<std::string>& float_columns = {});

}  // namespace bactrian
