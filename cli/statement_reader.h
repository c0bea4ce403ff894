#pragma once

#include <string>
#include <string_view>

namespace bactrian::cli {

/// Whether `text` holds whole SQL statements: its last token is a semicolon outside of quotes, dollar quotes and comments.
bool EndsWithStatement(std::string_view text);

}  // namespace bactrian::cli
