#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bactrian/schema.h"

namespace bactrian {

/// kInvalid unless the option may be set to `value` (nullopt: removed) on a table with these options.
arrow::Status CheckOptionChange(const Options& options, const std::string& key, const std::optional<std::string>& value,
                                bool has_snapshot);

/// Options after a column was renamed: those that name columns name it anew (bucket-key, sequence.field, fields.<column>.*, …).
Options RenameColumnInOptions(const Options& options, const std::string& old_name, const std::string& new_name);

/// Splits at commas; elements are trimmed.
std::vector<std::string> SplitColumnList(std::string_view text);
std::string JoinColumnList(const std::vector<std::string>& names);

}  // namespace bactrian
