/// Rows and statistics as the reference's system tables print them (format reference: query.md §6).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/meta/manifest.h"
#include "bactrian/meta/schema_store.h"
#include "bactrian/schema.h"
#include "bactrian/value.h"

namespace bactrian {

/// CAST(row AS STRING): "{a, b}", null as null.
arrow::Result<std::string> RowText(std::string_view serialized_row, std::span<const TypePtr> types);

/// What Java prints for an array of the row's values: "[a, b]".
arrow::Result<std::string> KeyText(std::string_view serialized_row, std::span<const TypePtr> types);

/// Java's toString of a value as it lies in a row: dates as days, timestamps as ISO local times, floats as JDK 18 and older
/// print them.
arrow::Result<std::string> JavaText(const Value& value, const DataType& type);

/// The texts of one file's value statistics: "{a=1, b=null}", sorted by column.
struct StatsText {
  std::string null_counts, min, max;
};

/// Statistics of files of any schema as those of the columns of one schema. Not thread-safe.
class StatsPrinter {
 public:
  StatsPrinter(std::shared_ptr<const TableSchema> schema, const SchemaStore& schemas)
      : schema_(std::move(schema)), schemas_(schemas) {}
  arrow::Result<StatsText> Print(const DataFileMeta& file) const;

 private:
  std::shared_ptr<const TableSchema> schema_;
  const SchemaStore& schemas_;
};

}  // namespace bactrian
