/// Paimon's data types (format reference: schema.md §3, §4).
///
///   ARROW_ASSIGN_OR_RAISE(TypePtr type, ParseSqlType("DECIMAL(10, 2) NOT NULL"));
///   type->root();          // TypeRoot::kDecimal
///   type->ToSqlString();   // "DECIMAL(10, 2) NOT NULL"
///   type->ToJson();        // "\"DECIMAL(10, 2) NOT NULL\""
///   ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::DataType> arrow_type, ToArrowType(*type));
///
/// Types are immutable and shared; every function here may be called from any thread.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/status.h"

namespace bactrian {

enum class TypeRoot : uint8_t {
  kChar,
  kVarchar,
  kBoolean,
  kBinary,
  kVarbinary,
  kDecimal,
  kTinyint,
  kSmallint,
  kInt,
  kBigint,
  kFloat,
  kDouble,
  kDate,
  kTime,
  kTimestamp,
  kTimestampLtz,
  kVariant,
  kBlob,
  kGeometry,
  kGeography,
  kArray,
  kVector,
  kMultiset,
  kMap,
  kRow,
};

class DataType;
using TypePtr = std::shared_ptr<const DataType>;

/// A column of a table or a field of a ROW. `id` is unique in the whole table, nested fields included.
struct BACTRIAN_EXPORT Field {
  int32_t id = -1;
  std::string name{};
  TypePtr type{};
  std::optional<std::string> description{};
  std::optional<std::string> default_value{};  ///< a literal as text, cast to the type when a row is written

  bool operator==(const Field& other) const;  ///< types by value
};

class BACTRIAN_EXPORT DataType {
 public:
  static constexpr int32_t kMaxLength = 0x7fffffff;

  TypeRoot root() const { return root_; }
  bool nullable() const { return nullable_; }
  /// CHAR, VARCHAR, BINARY, VARBINARY: maximal length in characters or bytes (kMaxLength: STRING, BYTES). VECTOR: elements.
  int32_t length() const { return length_; }
  /// DECIMAL: digits. TIME, TIMESTAMP: digits of the fraction of a second.
  int32_t precision() const { return precision_; }
  int32_t scale() const { return scale_; }
  /// ARRAY, VECTOR, MULTISET: {element}. MAP: {key, value}. Otherwise empty.
  const std::vector<TypePtr>& children() const { return children_; }
  /// ROW only.
  const std::vector<Field>& fields() const { return fields_; }
  /// GEOMETRY, GEOGRAPHY.
  const std::string& crs() const { return crs_; }
  const std::string& algorithm() const { return algorithm_; }

  TypePtr WithNullable(bool nullable) const;
  bool Equals(const DataType& other) const;
  bool EqualsIgnoreNullable(const DataType& other) const;  ///< outermost nullability only
  bool is_string() const { return root_ == TypeRoot::kChar || root_ == TypeRoot::kVarchar; }
  bool is_binary() const { return root_ == TypeRoot::kBinary || root_ == TypeRoot::kVarbinary; }
  bool is_integer() const { return root_ >= TypeRoot::kTinyint && root_ <= TypeRoot::kBigint; }
  bool is_timestamp() const { return root_ == TypeRoot::kTimestamp || root_ == TypeRoot::kTimestampLtz; }
  bool is_nested() const { return root_ >= TypeRoot::kArray; }

  /// The reference's spelling, nested ones as in ROW<`a` INT, `b` ARRAY<STRING>> NOT NULL.
  std::string ToSqlString() const;
  /// The value of "type" in a schema file: a JSON string for atomic types, an object for constructed ones.
  std::string ToJson() const;

  // Makers. They do not check limits; the parsers do.
  static TypePtr Make(TypeRoot root, bool nullable = true);
  static TypePtr WithLength(TypeRoot root, int32_t length, bool nullable = true);
  static TypePtr Decimal(int32_t precision, int32_t scale, bool nullable = true);
  static TypePtr WithPrecision(TypeRoot root, int32_t precision, bool nullable = true);  ///< TIME, TIMESTAMP, LTZ
  static TypePtr Array(TypePtr element, bool nullable = true);
  static TypePtr Vector(TypePtr element, int32_t length, bool nullable = true);
  static TypePtr Multiset(TypePtr element, bool nullable = true);
  static TypePtr Map(TypePtr key, TypePtr value, bool nullable = true);
  static TypePtr Row(std::vector<Field> fields, bool nullable = true);
  static TypePtr Geo(TypeRoot root, std::string crs, std::string algorithm, bool nullable = true);
  static TypePtr String(bool nullable = true) { return WithLength(TypeRoot::kVarchar, kMaxLength, nullable); }
  static TypePtr Bytes(bool nullable = true) { return WithLength(TypeRoot::kVarbinary, kMaxLength, nullable); }
  static TypePtr Int(bool nullable = true) { return Make(TypeRoot::kInt, nullable); }
  static TypePtr Bigint(bool nullable = true) { return Make(TypeRoot::kBigint, nullable); }

 private:
  DataType() = default;
  TypeRoot root_ = TypeRoot::kInt;
  bool nullable_ = true;
  int32_t length_ = 0, precision_ = 0, scale_ = 0;
  std::vector<TypePtr> children_;
  std::vector<Field> fields_;
  std::string crs_, algorithm_;
};

/// Parses the SQL spelling, e.g. "INT NOT NULL", "ROW<a INT, b ARRAY<STRING>>", "INT ARRAY". Nested ROW fields get
/// id -1. Nesting deeper than 100 levels is an error.
BACTRIAN_EXPORT arrow::Result<TypePtr> ParseSqlType(std::string_view text);

/// Parses the "type" value of a schema file (JSON text: a string or an object).
BACTRIAN_EXPORT arrow::Result<TypePtr> ParseJsonType(std::string_view json);

/// The Arrow type that batches carry (architecture: Arrow is the only in-memory format):
/// CHAR, VARCHAR utf8; BINARY, VARBINARY, BLOB, GEO binary; DECIMAL decimal128; DATE date32; TIME time32[ms];
/// TIMESTAMP(p) timestamp[ms | us | ns] for p<=3 | <=6 | else; LTZ the same with time zone "UTC"; ARRAY list; VECTOR
/// fixed_size_list; MULTISET map<T, int32>; MAP map; ROW struct; VARIANT struct<value: binary, metadata: binary>.
BACTRIAN_EXPORT arrow::Result<std::shared_ptr<arrow::DataType>> ToArrowType(const DataType& type);

/// An Arrow field of the same name and nullability; the field id sits in its metadata under "PARQUET:field_id".
BACTRIAN_EXPORT arrow::Result<std::shared_ptr<arrow::Field>> ToArrowField(const Field& field);
BACTRIAN_EXPORT arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const std::vector<Field>& fields);

/// The Paimon type for an Arrow type (for CREATE TABLE AS and load). Large and view strings are STRING, unsigned
/// integers the next wider type, dictionary its values. What Paimon cannot hold is an error that names it.
BACTRIAN_EXPORT arrow::Result<TypePtr> FromArrowType(const arrow::DataType& type, bool nullable = true);

}  // namespace bactrian
