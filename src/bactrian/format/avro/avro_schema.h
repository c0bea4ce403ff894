/// The writer's schema of an Avro file, resolved and bounded, so that data of any shape can be walked safely.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bactrian/format/avro/avro_cursor.h"
#include "bactrian/status.h"

namespace bactrian {

enum class AvroKind : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kRecord,
};

/// Logical types that change how a value is read; "local-" ones are the same as those without (manifest.md §1).
enum class AvroLogicalType : uint8_t {
  kNone,
  kDecimal,
  kTimeMicros,
  kTimestampMillis,
  kTimestampMicros,
  kTimestampNanos,
};

/// A node of the schema. Immutable, shared; named types are shared by their uses, recursion does not exist.
struct AvroNode {
  AvroKind kind = AvroKind::kNull;
  AvroLogicalType logical_type = AvroLogicalType::kNone;
  int64_t fixed_size = 0;               ///< kFixed
  int32_t scale = 0;                    ///< kDecimal
  std::vector<std::string> names = {};  ///< kRecord: of the fields
  /// kRecord: fields. kUnion: branches. kArray: {item}. kMap: {entry}, a record of key (string) and value, which is just how a
  /// map's entries are encoded.
  std::vector<std::shared_ptr<const AvroNode>> children = {};

  int64_t min_bytes = 0;  ///< of an encoded value; 0 only where it is always empty
  int32_t depth = 1;      ///< levels of nodes, this one included
};
using AvroNodePtr = std::shared_ptr<const AvroNode>;

inline constexpr int32_t kMaxAvroDepth = 256;

/// Parses the schema JSON. kCorrupt for malformed text, unknown names and excessive nesting, kUnsupported for recursive types.
arrow::Result<AvroNodePtr> ParseAvroSchema(std::string_view json);

/// "array", "long", …
std::string_view AvroKindName(AvroKind kind);

/// The node behind a union with null: its only other branch. `null_branch` and `value_branch` get the indexes, -1 where `node`
/// is no union; a union of several others is kUnsupported.
struct AvroNullable {
  const AvroNode* value = nullptr;  ///< null for a type that is always null
  int null_branch = -1;
  int value_branch = -1;
};
arrow::Result<AvroNullable> ResolveNullable(const AvroNode& node);

/// Passes over one value.
arrow::Status SkipAvroValue(const AvroNode& node, AvroCursor& in);

}  // namespace bactrian
