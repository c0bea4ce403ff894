#include "bactrian/format/avro/avro_schema.h"

#include <algorithm>
#include <map>
#include <utility>

#include "bactrian/base/json.h"

namespace bactrian {
namespace {

using Json = nlohmann::json;

constexpr std::pair<std::string_view, AvroKind> kKinds[] = {
    {"null", AvroKind::kNull},   {"boolean", AvroKind::kBoolean}, {"int", AvroKind::kInt},      {"long", AvroKind::kLong},
    {"float", AvroKind::kFloat}, {"double", AvroKind::kDouble},   {"bytes", AvroKind::kBytes},  {"string", AvroKind::kString},
    {"fixed", AvroKind::kFixed}, {"enum", AvroKind::kEnum},       {"array", AvroKind::kArray},  {"map", AvroKind::kMap},
    {"union", AvroKind::kUnion}, {"record", AvroKind::kRecord},   {"error", AvroKind::kRecord},
};

constexpr std::pair<std::string_view, AvroLogicalType> kLogicalTypes[] = {
    {"decimal", AvroLogicalType::kDecimal},
    {"time-micros", AvroLogicalType::kTimeMicros},
    {"timestamp-millis", AvroLogicalType::kTimestampMillis},
    {"timestamp-micros", AvroLogicalType::kTimestampMicros},
    {"timestamp-nanos", AvroLogicalType::kTimestampNanos},
    {"local-timestamp-millis", AvroLogicalType::kTimestampMillis},
    {"local-timestamp-micros", AvroLogicalType::kTimestampMicros},
    {"local-timestamp-nanos", AvroLogicalType::kTimestampNanos},
};

constexpr int64_t kMaxMinBytes = int64_t{1} << 32;  // where sums of least sizes stop growing

template <typename T, size_t N>
const T* Find(const std::pair<std::string_view, T> (&table)[N], std::string_view name) {
  for (const auto& [known, value] : table) {
    if (known == name) return &value;
  }
  return nullptr;
}

bool IsPrimitive(AvroKind kind) { return kind <= AvroKind::kString; }

int64_t MinBytes(const AvroNode& node) {
  switch (node.kind) {
    case AvroKind::kNull:
      return 0;
    case AvroKind::kFloat:
      return 4;
    case AvroKind::kDouble:
      return 8;
    case AvroKind::kFixed:
      return node.fixed_size;
    case AvroKind::kRecord: {
      int64_t total = 0;
      for (const AvroNodePtr& field : node.children) total = std::min(total + field->min_bytes, kMaxMinBytes);
      return total;
    }
    default:
      return 1;
  }
}

class SchemaParser {
 public:
  arrow::Result<AvroNodePtr> Parse(const Json& json, const std::string& space) {
    if (json.is_string()) return ParseName(json.get_ref<const std::string&>(), space);
    if (json.is_array()) return ParseUnion(json, space);
    if (!json.is_object()) return Corrupt("Avro schema: a type that is neither a name, an object nor a union");
    const auto type = json.find("type");
    if (type == json.end()) return Corrupt("Avro schema: an object without a type");
    if (!type->is_string()) return Parse(*type, space);  // {"type": {…}} or {"type": […]}
    const std::string& name = type->get_ref<const std::string&>();
    const AvroKind* kind = Find(kKinds, name);
    if (kind == nullptr) return ParseName(name, space);
    if (IsPrimitive(*kind)) {
      AvroNode node{.kind = *kind};
      SetLogicalType(json, &node);
      return Finish(std::move(node));
    }
    switch (*kind) {
      case AvroKind::kArray:
        return ParseArray(json, space);
      case AvroKind::kMap:
        return ParseMap(json, space);
      case AvroKind::kRecord:
      case AvroKind::kEnum:
      case AvroKind::kFixed:
        return ParseNamed(*kind, json, space);
      default:
        return Corrupt("Avro schema: the type '", name, "' cannot be spelled so");
    }
  }

 private:
  arrow::Result<AvroNodePtr> ParseName(const std::string& name, const std::string& space) {
    if (const AvroKind* kind = Find(kKinds, name); kind != nullptr && IsPrimitive(*kind))
      return Finish(AvroNode{.kind = *kind});
    auto found = named_.find(FullName(name, space));
    if (found == named_.end()) found = named_.find(name);
    if (found == named_.end()) return Corrupt("Avro schema: unknown type '", name, "'");
    if (found->second == nullptr) return Unsupported("Avro schema: the recursive type '", name, "'");
    return found->second;
  }

  arrow::Result<AvroNodePtr> ParseUnion(const Json& json, const std::string& space) {
    AvroNode node{.kind = AvroKind::kUnion};
    for (const Json& branch : json) {
      ARROW_ASSIGN_OR_RAISE(AvroNodePtr child, Parse(branch, space));
      if (child->kind == AvroKind::kUnion) return Corrupt("Avro schema: a union within a union");
      node.children.push_back(std::move(child));
    }
    if (node.children.empty()) return Corrupt("Avro schema: an empty union");
    return Finish(std::move(node));
  }

  arrow::Result<AvroNodePtr> ParseArray(const Json& json, const std::string& space) {
    const auto items = json.find("items");
    if (items == json.end()) return Corrupt("Avro schema: an array without items");
    AvroNode node{.kind = AvroKind::kArray};
    ARROW_ASSIGN_OR_RAISE(AvroNodePtr item, Parse(*items, space));
    node.children.push_back(std::move(item));
    return Finish(std::move(node));
  }

  arrow::Result<AvroNodePtr> ParseMap(const Json& json, const std::string& space) {
    const auto values = json.find("values");
    if (values == json.end()) return Corrupt("Avro schema: a map without values");
    AvroNode entry{.kind = AvroKind::kRecord};
    entry.names = {"key", "value"};
    ARROW_ASSIGN_OR_RAISE(AvroNodePtr key, Finish(AvroNode{.kind = AvroKind::kString}));
    ARROW_ASSIGN_OR_RAISE(AvroNodePtr value, Parse(*values, space));
    entry.children = {std::move(key), std::move(value)};
    AvroNode node{.kind = AvroKind::kMap};
    ARROW_ASSIGN_OR_RAISE(AvroNodePtr item, Finish(std::move(entry)));
    node.children.push_back(std::move(item));
    return Finish(std::move(node));
  }

  arrow::Result<AvroNodePtr> ParseNamed(AvroKind kind, const Json& json, const std::string& space) {
    ARROW_ASSIGN_OR_RAISE(const std::string name, RequireJsonString(json, "name", "Avro schema"));
    ARROW_ASSIGN_OR_RAISE(auto own_space, JsonString(json, "namespace", "Avro schema"));
    const std::string full_name = FullName(name, own_space.value_or(space));
    if (!named_.emplace(full_name, nullptr).second) return Corrupt("Avro schema: the type '", full_name, "' is defined twice");
    AvroNode node{.kind = kind};
    if (kind == AvroKind::kFixed) {
      ARROW_ASSIGN_OR_RAISE(node.fixed_size, RequireJsonInteger(json, "size", "Avro schema"));
      if (node.fixed_size < 0 || node.fixed_size > INT32_MAX) return Corrupt("Avro schema: a fixed of size ", node.fixed_size);
      SetLogicalType(json, &node);
    } else if (kind == AvroKind::kRecord) {
      const size_t dot = full_name.rfind('.');
      ARROW_RETURN_NOT_OK(ParseFields(json, dot == std::string::npos ? "" : full_name.substr(0, dot), &node));
    }
    ARROW_ASSIGN_OR_RAISE(AvroNodePtr finished, Finish(std::move(node)));
    named_[full_name] = finished;
    return finished;
  }

  arrow::Status ParseFields(const Json& json, const std::string& space, AvroNode* node) {
    const auto fields = json.find("fields");
    if (fields == json.end() || !fields->is_array()) return Corrupt("Avro schema: a record without fields");
    for (const Json& field : *fields) {
      ARROW_ASSIGN_OR_RAISE(std::string name, RequireJsonString(field, "name", "Avro schema"));
      const auto type = field.find("type");
      if (type == field.end()) return Corrupt("Avro schema: the field '", name, "' has no type");
      ARROW_ASSIGN_OR_RAISE(AvroNodePtr child, Parse(*type, space));
      node->names.push_back(std::move(name));
      node->children.push_back(std::move(child));
    }
    return arrow::Status::OK();
  }

  /// Unknown and malformed logical types are ignored, as the Avro specification asks.
  static void SetLogicalType(const Json& json, AvroNode* node) {
    const auto name = json.find("logicalType");
    if (name == json.end() || !name->is_string()) return;
    if (const AvroLogicalType* type = Find(kLogicalTypes, name->get_ref<const std::string&>())) node->logical_type = *type;
    const auto scale = json.find("scale");
    if (scale != json.end() && scale->is_number_integer()) node->scale = scale->get<int32_t>();
  }

  static std::string FullName(const std::string& name, const std::string& space) {
    return name.find('.') != std::string::npos || space.empty() ? name : space + "." + name;
  }

  /// Sets what follows from the children, and bounds the nesting: types that refer to earlier ones nest deeper than their text.
  static arrow::Result<AvroNodePtr> Finish(AvroNode node) {
    for (const AvroNodePtr& child : node.children) node.depth = std::max(node.depth, child->depth + 1);
    if (node.depth > kMaxAvroDepth) return Corrupt("Avro schema: nested deeper than ", kMaxAvroDepth, " levels");
    node.min_bytes = MinBytes(node);
    return std::make_shared<const AvroNode>(std::move(node));
  }

  std::map<std::string, AvroNodePtr, std::less<>> named_;  ///< null while a type is being defined
};

/// Passes over the items of an array or map, by its size in bytes where that is told.
arrow::Status SkipItems(const AvroNode& item, AvroCursor& in) {
  for (;;) {
    int64_t count = 0, block_bytes = 0;
    ARROW_RETURN_NOT_OK(in.ReadItemCount(item.min_bytes, &count, &block_bytes));
    if (count == 0) return arrow::Status::OK();
    if (block_bytes >= 0) {
      ARROW_RETURN_NOT_OK(in.Skip(block_bytes));
    } else {
      for (int64_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(SkipAvroValue(item, in));
    }
  }
}

}  // namespace

arrow::Result<AvroNodePtr> ParseAvroSchema(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const Json document, ParseJson(json, "Avro schema"));
  return SchemaParser().Parse(document, "");
}

std::string_view AvroKindName(AvroKind kind) {
  for (const auto& [name, known] : kKinds) {
    if (known == kind) return name;
  }
  return "unknown";
}

arrow::Result<AvroNullable> ResolveNullable(const AvroNode& node) {
  AvroNullable result;
  if (node.kind != AvroKind::kUnion) {
    if (node.kind != AvroKind::kNull) result.value = &node;
    return result;
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    const AvroNode& branch = *node.children[i];
    if (branch.kind == AvroKind::kNull) {
      result.null_branch = static_cast<int>(i);
    } else if (result.value != nullptr) {
      return Unsupported("an Avro union of ", AvroKindName(result.value->kind), " and ", AvroKindName(branch.kind));
    } else {
      result.value = &branch;
      result.value_branch = static_cast<int>(i);
    }
  }
  return result;
}

arrow::Status SkipAvroValue(const AvroNode& node, AvroCursor& in) {
  // Types without bytes may be built into trees of any size: walking them would take forever.
  if (node.min_bytes == 0) return arrow::Status::OK();
  switch (node.kind) {
    case AvroKind::kNull:
      return arrow::Status::OK();
    case AvroKind::kBoolean:
      return in.Skip(1);
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum:
      return in.SkipLong();
    case AvroKind::kFloat:
      return in.Skip(sizeof(float));
    case AvroKind::kDouble:
      return in.Skip(sizeof(double));
    case AvroKind::kFixed:
      return in.Skip(node.fixed_size);
    case AvroKind::kBytes:
    case AvroKind::kString: {
      std::string_view ignored;
      return in.ReadBytes(&ignored);
    }
    case AvroKind::kArray:
    case AvroKind::kMap:
      return SkipItems(*node.children[0], in);
    case AvroKind::kUnion: {
      int64_t branch = 0;
      ARROW_RETURN_NOT_OK(in.ReadLong(&branch));
      if (branch < 0 || branch >= static_cast<int64_t>(node.children.size())) return Corrupt("a union's branch ", branch);
      return SkipAvroValue(*node.children[static_cast<size_t>(branch)], in);
    }
    case AvroKind::kRecord:
      for (const AvroNodePtr& field : node.children) ARROW_RETURN_NOT_OK(SkipAvroValue(*field, in));
      return arrow::Status::OK();
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
