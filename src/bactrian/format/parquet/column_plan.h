/// How a Paimon column is put together from the leaves of a Parquet file.
#pragma once

#include <arrow/type_fwd.h>
#include <parquet/level_conversion.h>
#include <parquet/schema.h>

#include <memory>
#include <string>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

/// A node of the tree that mirrors the wanted type. Fields of a ROW are found by name; what the file lacks is null.
struct ColumnPlan {
  enum class Kind : uint8_t {
    kMissing,  // the file has no such field
    kLeaf,     // a primitive column
    kStruct,   // children: the wanted fields
    kList,     // children: {element}
    kMap,      // children: {key, value}
    kVector,   // a list in the file, a fixed-size list in memory; children: {element}
    kVariant,  // a shredded VARIANT; children: {the group as a ROW of its own structure}
  };

  Kind kind = Kind::kMissing;
  std::string name = {};  ///< dotted, for errors
  TypePtr type = {};
  std::shared_ptr<arrow::DataType> arrow_type = {};
  parquet::internal::LevelInfo levels = {};
  /// kLeaf: the column's ordinal. Otherwise the leaf below whose levels tell where this node is null, empty or repeated.
  int leaf = -1;
  /// kStruct: every leaf below is repeated more often than the struct, `leaf` included.
  bool only_repeated_leaves = false;
  std::vector<ColumnPlan> children = {};
};

/// kCorrupt, naming `path` and the column, where the file's structure contradicts the type. `string_views`: a CHAR, VARCHAR,
/// BINARY or VARBINARY column becomes a view array (nested ones never).
arrow::Result<ColumnPlan> PlanColumn(const parquet::SchemaDescriptor& schema, const std::string& path, const Field& field,
                                     bool string_views);

/// Ordinals of all leaves that the plan reads, each once, ascending.
std::vector<int> LeavesOf(const std::vector<ColumnPlan>& plans);

}  // namespace bactrian
