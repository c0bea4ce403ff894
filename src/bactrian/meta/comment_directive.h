#pragma once

#include <optional>
#include <string>

#include "bactrian/data_type.h"

namespace bactrian {

/// What a comment like "__BLOB_FIELD; a picture" makes of a column (format reference: schema.md §5, add column).
struct DirectedColumn {
  TypePtr type;
  std::optional<std::string> comment;
  std::optional<std::string> option;  ///< the table option that lists such columns; nullopt: the comment is no directive
};

/// kInvalid for a directive that does not fit the type.
arrow::Result<DirectedColumn> ApplyCommentDirective(const TypePtr& type, const std::optional<std::string>& comment);

}  // namespace bactrian
