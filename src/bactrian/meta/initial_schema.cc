#include <set>

#include "bactrian/meta/option_change.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/meta/schema_validation.h"
#include "bactrian/types/core_options.h"
#include "bactrian/types/field_ids.h"

namespace bactrian {
namespace {

/// Keys may be given as a table option instead of in the list; the option is not stored.
arrow::Status MoveOptionToKeys(const std::string& option, Options* options, std::vector<std::string>* keys) {
  auto it = options->find(option);
  if (it == options->end()) return arrow::Status::OK();
  if (!keys->empty()) return Invalid("option '", option, "' and the list of ", option, " columns are both given");
  *keys = SplitColumnList(it->second);
  options->erase(it);
  return arrow::Status::OK();
}

arrow::Result<bool> PrimaryKeyNullable(const Options& options) {
  return CoreOptions(options).GetBool("primary-key.nullable", false);
}

}  // namespace

arrow::Result<TableSchema> MakeInitialSchema(Schema schema, int64_t now_millis) {
  TableSchema result;
  result.options = std::move(schema.options);
  result.primary_keys = std::move(schema.primary_keys);
  result.partition_keys = std::move(schema.partition_keys);
  result.comment = std::move(schema.comment);
  result.time_millis = now_millis;
  ARROW_RETURN_NOT_OK(MoveOptionToKeys("primary-key", &result.options, &result.primary_keys));
  ARROW_RETURN_NOT_OK(MoveOptionToKeys("partition", &result.options, &result.partition_keys));

  ARROW_ASSIGN_OR_RAISE(const bool nullable_keys, PrimaryKeyNullable(result.options));
  const std::set<std::string> primary(result.primary_keys.begin(), result.primary_keys.end());
  for (Field& field : schema.fields) {
    if (field.type == nullptr) return Invalid("column \"", field.name, "\" has no type");
    if (primary.count(field.name) > 0) field.type = field.type->WithNullable(nullable_keys);
    result.fields.push_back(WithNewFieldIds(std::move(field), &result.highest_field_id));
  }
  ARROW_RETURN_NOT_OK(ValidateTableSchema(result));
  return result;
}

}  // namespace bactrian
