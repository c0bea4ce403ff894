/// Partition directories (format reference: layout.md §3).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bactrian/schema.h"
#include "bactrian/value.h"

namespace bactrian {

struct PartitionPathOptions {
  std::string default_name = "__DEFAULT_PARTITION__";
  bool legacy_name = true;  ///< option partition.legacy-name
};

std::string EscapePathName(std::string_view name);
std::string UnescapePathName(std::string_view name);

/// The text of one partition value, unescaped; nullopt for null, empty and blank ones (the default name).
arrow::Result<std::optional<std::string>> PartitionValueText(const Value& value, const DataType& type, bool legacy_name);

/// "k1=v1/k2=v2" (escaped, no slash at either end); "" for an unpartitioned table.
arrow::Result<std::string> PartitionPath(std::span<const Field> partition_fields, std::span<const Value> values,
                                         const PartitionPathOptions& options);

/// Name and text (nullopt: the default name) of each part of a path.
arrow::Result<std::vector<std::pair<std::string, std::optional<std::string>>>> ParsePartitionPath(
    std::string_view path, const PartitionPathOptions& options);

}  // namespace bactrian
