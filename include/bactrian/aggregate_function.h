/// Aggregate functions of the user's own for primary-key tables (option `fields.<column>.aggregate-function`; format reference:
/// merge.md §6).
///
///   class Longest final : public AggregateFunction {
///     using Value = std::shared_ptr<arrow::Scalar>;
///     arrow::Result<Value> Aggregate(const Value& acc, const Value& input) const override {
///       return !acc->is_valid || Length(*acc) < Length(*input) ? input : acc;
///     }
///   };
///   ARROW_RETURN_NOT_OK(RegisterAggregateFunction("longest", [](const Field&, const Options&) { return
///   std::make_shared<Longest>(); }));
#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <string>

#include "bactrian/schema.h"
#include "bactrian/status.h"

namespace bactrian {

/// Folds the values of one column over the records of a key, oldest first. Values are scalars of ToArrowType of the column,
/// null included; the accumulator begins as null. Immutable: called from many threads.
class BACTRIAN_EXPORT AggregateFunction {
 public:
  using ScalarPtr = std::shared_ptr<arrow::Scalar>;

  virtual ~AggregateFunction() = default;
  virtual arrow::Result<ScalarPtr> Aggregate(const ScalarPtr& accumulator, const ScalarPtr& input) const = 0;
  /// For a record that is older than what was seen (sequence groups).
  virtual arrow::Result<ScalarPtr> AggregateReversed(const ScalarPtr& accumulator, const ScalarPtr& input) const;
  /// Takes a value out again, for -U and -D records; kInvalid unless overridden.
  virtual arrow::Result<ScalarPtr> Retract(const ScalarPtr& accumulator, const ScalarPtr& input) const;
};

/// Makes the function for a column under the table's options; kInvalid for a type that it does not take.
using AggregateFunctionMaker =
    std::function<arrow::Result<std::shared_ptr<const AggregateFunction>>(const Field& column, const Options& options)>;

/// Makes a function known under `name` in this process. kAlreadyExists for a name that is taken. Thread-safe.
BACTRIAN_EXPORT arrow::Status RegisterAggregateFunction(std::string name, AggregateFunctionMaker maker);

}  // namespace bactrian
