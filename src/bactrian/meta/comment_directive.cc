#include "bactrian/meta/comment_directive.h"

#include <array>
#include <charconv>
#include <string_view>

#include "bactrian/types/type_json.h"

namespace bactrian {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kBlobDirectives = {{
    {"__BLOB_DESCRIPTOR_FIELD", "blob-descriptor-field"},
    {"__BLOB_VIEW_FIELD", "blob-view-field"},
    {"__BLOB_FIELD", "blob-field"},
}};
constexpr std::string_view kVectorDirective = "__VECTOR_FIELD";

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The part before the first semicolon; *rest gets what follows it.
std::string_view TakePart(std::string_view* rest) {
  const std::string_view part = rest->substr(0, rest->find(';'));
  rest->remove_prefix(std::min(rest->size(), part.size() + 1));
  return Trim(part);
}

std::optional<std::string> RealComment(std::string_view rest) {
  const std::string_view comment = Trim(rest);
  return comment.empty() ? std::optional<std::string>() : std::string(comment);
}

arrow::Result<TypePtr> VectorType(const DataType& type, std::string_view dimension) {
  int32_t length = 0;
  auto [end, error] = std::from_chars(dimension.data(), dimension.data() + dimension.size(), length);
  if (error != std::errc() || end != dimension.data() + dimension.size() || length < 1) {
    return Invalid(kVectorDirective, " needs a dimension, as in ", kVectorDirective, ";128");
  }
  if (type.root() != TypeRoot::kArray) return Invalid(kVectorDirective, " needs an ARRAY column, not ", type.ToSqlString());
  ARROW_RETURN_NOT_OK(CheckVector(*type.children()[0], length));
  return DataType::Vector(type.children()[0], length, type.nullable());
}

}  // namespace

arrow::Result<DirectedColumn> ApplyCommentDirective(const TypePtr& type, const std::optional<std::string>& comment) {
  DirectedColumn column{type, comment, std::nullopt};
  if (!comment) return column;
  std::string_view rest = *comment;
  const std::string_view directive = TakePart(&rest);
  for (const auto& [name, option] : kBlobDirectives) {
    if (directive != name) continue;
    if (type->root() != TypeRoot::kVarbinary || type->length() != DataType::kMaxLength) {
      return Invalid(name, " needs a BYTES column, not ", type->ToSqlString());
    }
    return DirectedColumn{DataType::Make(TypeRoot::kBlob, type->nullable()), RealComment(rest), std::string(option)};
  }
  if (directive != kVectorDirective) return column;
  const std::string_view dimension = TakePart(&rest);
  ARROW_ASSIGN_OR_RAISE(column.type, VectorType(*type, dimension));
  column.comment = RealComment(rest);
  column.option = "vector-field";
  return column;
}

}  // namespace bactrian
