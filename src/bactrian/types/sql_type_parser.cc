/// Parsing of the SQL spelling of types (format reference: schema.md §3).
#include <algorithm>
#include <charconv>

#include "bactrian/types/type_json.h"

namespace bactrian {
namespace {

enum class TokenKind : uint8_t { kEnd, kWord, kIdentifier, kString, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;     ///< without quotes; words as written
  std::string keyword;  ///< a word in upper case, else empty
  size_t begin = 0, end = 0;
};

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsSymbol(char c) { return c == '(' || c == ')' || c == '<' || c == '>' || c == ','; }

class SqlTypeParser {
 public:
  explicit SqlTypeParser(std::string_view text) : text_(text) {}

  arrow::Result<TypePtr> Parse() {
    ARROW_RETURN_NOT_OK(Advance());
    ARROW_ASSIGN_OR_RAISE(TypePtr type, ParseType(0));
    if (token_.kind != TokenKind::kEnd) return Unexpected("the end");
    return type;
  }

 private:
  arrow::Status Error(size_t position, std::string_view reason) const {
    constexpr size_t kShown = 100;
    return Invalid("type '", text_.substr(0, kShown), text_.size() > kShown ? "…" : "", "': ", reason, " at position ",
                   position);
  }
  arrow::Status Unexpected(std::string_view expected) const { return Error(token_.begin, "expected " + std::string(expected)); }

  arrow::Status Advance() {
    while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
    token_ = Token{};
    token_.begin = position_;
    if (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '`' || c == '\'') {
        ARROW_RETURN_NOT_OK(ReadQuoted(c));
      } else if (IsSymbol(c)) {
        token_.kind = TokenKind::kSymbol;
        token_.text = c;
        ++position_;
      } else {
        ReadWord();
      }
    }
    token_.end = position_;
    return arrow::Status::OK();
  }

  /// The quote inside is written twice.
  arrow::Status ReadQuoted(char quote) {
    token_.kind = quote == '`' ? TokenKind::kIdentifier : TokenKind::kString;
    for (++position_; position_ < text_.size(); ++position_) {
      if (text_[position_] == quote) {
        if (position_ + 1 == text_.size() || text_[position_ + 1] != quote) break;
        ++position_;
      }
      token_.text += text_[position_];
    }
    if (position_ == text_.size()) return Error(token_.begin, "a quote without its end");
    ++position_;
    return arrow::Status::OK();
  }

  void ReadWord() {
    token_.kind = TokenKind::kWord;
    const size_t begin = position_;
    while (position_ < text_.size() && !IsSpace(text_[position_]) && !IsSymbol(text_[position_]) && text_[position_] != '`' &&
           text_[position_] != '\'') {
      ++position_;
    }
    token_.text = text_.substr(begin, position_ - begin);
    token_.keyword = token_.text;
    for (char& c : token_.keyword) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
  }

  bool AtSymbol(char c) const { return token_.kind == TokenKind::kSymbol && token_.text[0] == c; }
  bool AtKeyword(std::string_view keyword) const { return token_.kind == TokenKind::kWord && token_.keyword == keyword; }
  arrow::Status ExpectSymbol(char c) {
    if (!AtSymbol(c)) return Unexpected(std::string("'") + c + "'");
    return Advance();
  }
  arrow::Status ExpectKeyword(std::string_view keyword) {
    if (!AtKeyword(keyword)) return Unexpected(keyword);
    return Advance();
  }

  arrow::Result<int32_t> ParseInteger() {
    int32_t value = 0;
    const char* end = token_.text.data() + token_.text.size();
    const auto [stop, error] = std::from_chars(token_.text.data(), end, value);
    if (token_.kind != TokenKind::kWord || error != std::errc() || stop != end || value < 0) {
      return Unexpected("a 32-bit number");
    }
    ARROW_RETURN_NOT_OK(Advance());
    return value;
  }

  /// "(n)" if there is one; the value must lie in [low, high].
  arrow::Result<int32_t> ParseParameter(int32_t default_value, int32_t low, int32_t high, std::string_view what) {
    if (!AtSymbol('(')) return default_value;
    ARROW_RETURN_NOT_OK(Advance());
    const size_t begin = token_.begin;
    ARROW_ASSIGN_OR_RAISE(int32_t value, ParseInteger());
    if (value < low || value > high) {
      return Error(begin, std::string(what) + " must be between " + std::to_string(low) + " and " + std::to_string(high));
    }
    ARROW_RETURN_NOT_OK(ExpectSymbol(')'));
    return value;
  }

  /// " NOT NULL", " NULL" or nothing.
  arrow::Result<bool> ParseNullable() {
    if (AtKeyword("NULL")) {
      ARROW_RETURN_NOT_OK(Advance());
      return true;
    }
    if (!AtKeyword("NOT")) return true;
    ARROW_RETURN_NOT_OK(Advance());
    ARROW_RETURN_NOT_OK(ExpectKeyword("NULL"));
    return false;
  }

  arrow::Result<TypePtr> ParseType(int depth) {
    if (depth > kMaxTypeDepth) return Error(token_.begin, "more than " + std::to_string(kMaxTypeDepth) + " levels");
    if (token_.kind != TokenKind::kWord) return Unexpected("a type");
    ARROW_ASSIGN_OR_RAISE(TypePtr type, ParseTypeWithoutNullability(depth));
    ARROW_ASSIGN_OR_RAISE(bool nullable, ParseNullable());
    if (!nullable) type = type->WithNullable(false);
    if (!AtKeyword("ARRAY") && !AtKeyword("MULTISET")) return type;
    type = AtKeyword("ARRAY") ? DataType::Array(type) : DataType::Multiset(type);
    ARROW_RETURN_NOT_OK(Advance());
    ARROW_ASSIGN_OR_RAISE(nullable, ParseNullable());
    return nullable ? type : type->WithNullable(false);
  }

  arrow::Result<TypePtr> ParseTypeWithoutNullability(int depth) {
    const Token name = token_;
    ARROW_RETURN_NOT_OK(Advance());
    const std::string& keyword = name.keyword;
    for (TypeRoot root : {TypeRoot::kBoolean, TypeRoot::kTinyint, TypeRoot::kSmallint, TypeRoot::kInt, TypeRoot::kBigint,
                          TypeRoot::kFloat, TypeRoot::kDate, TypeRoot::kVariant, TypeRoot::kBlob}) {
      if (keyword == TypeRootName(root)) return DataType::Make(root);
    }
    for (TypeRoot root : {TypeRoot::kChar, TypeRoot::kVarchar, TypeRoot::kBinary, TypeRoot::kVarbinary}) {
      if (keyword != TypeRootName(root)) continue;
      ARROW_ASSIGN_OR_RAISE(int32_t length, ParseParameter(1, 1, DataType::kMaxLength, "the length"));
      return DataType::WithLength(root, length);
    }
    if (keyword == "INTEGER") return DataType::Int();
    if (keyword == "STRING") return DataType::String();
    if (keyword == "BYTES") return DataType::Bytes();
    if (keyword == "DOUBLE") {
      if (AtKeyword("PRECISION")) ARROW_RETURN_NOT_OK(Advance());
      return DataType::Make(TypeRoot::kDouble);
    }
    if (keyword == "DECIMAL" || keyword == "NUMERIC" || keyword == "DEC") return ParseDecimal();
    if (keyword == "TIME" || keyword == "TIMESTAMP" || keyword == "TIMESTAMP_LTZ") return ParseTime(keyword);
    if (keyword == "GEOMETRY" || keyword == "GEOGRAPHY") return ParseGeo(keyword == "GEOMETRY");
    if (keyword == "ARRAY" || keyword == "MULTISET" || keyword == "VECTOR" || keyword == "MAP" || keyword == "ROW") {
      ARROW_RETURN_NOT_OK(ExpectSymbol('<'));
      ARROW_ASSIGN_OR_RAISE(TypePtr type, keyword == "ROW" ? ParseRow(depth) : ParseCollection(keyword, depth));
      ARROW_RETURN_NOT_OK(ExpectSymbol('>'));
      return type;
    }
    return Error(name.begin, "unknown type " + name.text.substr(0, 50));
  }

  arrow::Result<TypePtr> ParseDecimal() {
    int32_t precision = 10, scale = 0;
    if (AtSymbol('(')) {
      const size_t begin = token_.begin;
      ARROW_RETURN_NOT_OK(Advance());
      ARROW_ASSIGN_OR_RAISE(precision, ParseInteger());
      if (AtSymbol(',')) {
        ARROW_RETURN_NOT_OK(Advance());
        ARROW_ASSIGN_OR_RAISE(scale, ParseInteger());
      }
      ARROW_RETURN_NOT_OK(ExpectSymbol(')'));
      if (precision < 1 || precision > 38) return Error(begin, "the precision must be between 1 and 38");
      if (scale > precision) return Error(begin, "the scale must be between 0 and the precision");
    }
    return DataType::Decimal(precision, scale);
  }

  arrow::Result<TypePtr> ParseTime(const std::string& keyword) {
    const bool is_time = keyword == "TIME";
    ARROW_ASSIGN_OR_RAISE(int32_t precision, ParseParameter(is_time ? 0 : 6, 0, 9, "the precision"));
    TypeRoot root = is_time ? TypeRoot::kTime : keyword == "TIMESTAMP" ? TypeRoot::kTimestamp : TypeRoot::kTimestampLtz;
    if (root != TypeRoot::kTimestampLtz && (AtKeyword("WITHOUT") || (AtKeyword("WITH") && !is_time))) {
      const bool local = AtKeyword("WITH");
      ARROW_RETURN_NOT_OK(Advance());
      if (local) {
        ARROW_RETURN_NOT_OK(ExpectKeyword("LOCAL"));
        root = TypeRoot::kTimestampLtz;
      }
      ARROW_RETURN_NOT_OK(ExpectKeyword("TIME"));
      ARROW_RETURN_NOT_OK(ExpectKeyword("ZONE"));
    }
    return DataType::WithPrecision(root, precision);
  }

  arrow::Result<std::string> ParseWordOrString(std::string_view what) {
    if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kString) return Unexpected(what);
    std::string text = token_.text;
    ARROW_RETURN_NOT_OK(Advance());
    return text;
  }

  arrow::Result<TypePtr> ParseGeo(bool geometry) {
    std::string crs = "OGC:CRS84", algorithm = geometry ? "" : "spherical";
    if (AtSymbol('(')) {
      ARROW_RETURN_NOT_OK(Advance());
      ARROW_ASSIGN_OR_RAISE(crs, ParseWordOrString("a coordinate reference system"));
      if (!geometry && AtSymbol(',')) {
        ARROW_RETURN_NOT_OK(Advance());
        ARROW_ASSIGN_OR_RAISE(algorithm, ParseWordOrString("an algorithm"));
      }
      ARROW_RETURN_NOT_OK(ExpectSymbol(')'));
    }
    return DataType::Geo(geometry ? TypeRoot::kGeometry : TypeRoot::kGeography, std::move(crs), std::move(algorithm));
  }

  arrow::Result<TypePtr> ParseCollection(const std::string& keyword, int depth) {
    ARROW_ASSIGN_OR_RAISE(TypePtr first, ParseType(depth + 1));
    if (keyword == "ARRAY") return DataType::Array(first);
    if (keyword == "MULTISET") return DataType::Multiset(first);
    ARROW_RETURN_NOT_OK(ExpectSymbol(','));
    if (keyword == "MAP") {
      ARROW_ASSIGN_OR_RAISE(TypePtr value, ParseType(depth + 1));
      return DataType::Map(first, value);
    }
    ARROW_ASSIGN_OR_RAISE(int32_t length, ParseInteger());
    ARROW_RETURN_NOT_OK(CheckVector(*first, length));
    return DataType::Vector(first, length);
  }

  arrow::Result<TypePtr> ParseRow(int depth) {
    std::vector<Field> fields;
    while (!AtSymbol('>')) {
      if (!fields.empty()) ARROW_RETURN_NOT_OK(ExpectSymbol(','));
      if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kIdentifier) return Unexpected("a field name");
      Field field{.name = token_.text};
      ARROW_RETURN_NOT_OK(Advance());
      ARROW_ASSIGN_OR_RAISE(field.type, ParseType(depth + 1));
      ARROW_RETURN_NOT_OK(ParseFieldSuffix(&field));
      fields.push_back(std::move(field));
    }
    return DataType::Row(std::move(fields));
  }

  /// [[COMMENT] 'text'] [DEFAULT text]; a default is raw text up to the next ',' or '>'.
  arrow::Status ParseFieldSuffix(Field* field) {
    if (AtKeyword("COMMENT")) {
      ARROW_RETURN_NOT_OK(Advance());
      if (token_.kind != TokenKind::kString) return Unexpected("a comment in quotes");
    }
    if (token_.kind == TokenKind::kString) {
      field->description = token_.text;
      ARROW_RETURN_NOT_OK(Advance());
    }
    if (!AtKeyword("DEFAULT")) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(Advance());
    const size_t begin = token_.begin;
    size_t end = begin;
    while (token_.kind != TokenKind::kEnd && !AtSymbol(',') && !AtSymbol('>')) {
      end = token_.end;
      ARROW_RETURN_NOT_OK(Advance());
    }
    field->default_value = text_.substr(begin, end - begin);
    return arrow::Status::OK();
  }

  std::string_view text_;
  size_t position_ = 0;
  Token token_;
};

}  // namespace

arrow::Status CheckVector(const DataType& element, int64_t length) {
  switch (element.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInt:
    case TypeRoot::kBigint:
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      break;
    default:
      return Invalid("a VECTOR cannot hold ", element.ToSqlString());
  }
  if (length < 1 || length > DataType::kMaxLength) return Invalid("the length of a VECTOR must be at least 1, not ", length);
  return arrow::Status::OK();
}

arrow::Result<TypePtr> ParseSqlType(std::string_view text) { return SqlTypeParser(text).Parse(); }

}  // namespace bactrian
