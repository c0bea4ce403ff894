#include "bactrian/format/parquet/column_plan.h"

#include <arrow/type.h>

#include <algorithm>

#include "bactrian/format/parquet/shredded_variant.h"

namespace bactrian {
namespace {

using parquet::internal::LevelInfo;
using parquet::schema::GroupNode;
using parquet::schema::Node;

struct Leaf {
  int ordinal;
  int16_t rep_level;
};

class Planner {
 public:
  Planner(const parquet::SchemaDescriptor& schema, const std::string& path) : schema_(schema), path_(path) {}

  /// `levels` are those of the node's parent, or the node's own if it is `counted`: the repeated node of a list in an old
  /// file that is the element itself.
  arrow::Result<ColumnPlan> Plan(const Node& node, LevelInfo levels, const std::string& name, const TypePtr& type,
                                 const std::shared_ptr<arrow::DataType>& arrow_type, bool counted = false) const {
    ColumnPlan plan;
    plan.name = name;
    plan.type = type;
    plan.arrow_type = arrow_type;
    const bool is_list = type->root() == TypeRoot::kArray || type->root() == TypeRoot::kVector;
    if (node.is_repeated() && !counted && !is_list) return Mismatch(node, plan);
    if (type->root() == TypeRoot::kVariant && IsShreddedVariant(node)) {
      plan.kind = ColumnPlan::Kind::kVariant;
      ARROW_ASSIGN_OR_RAISE(const TypePtr group, ShreddedVariantType(node, path_, name));
      ARROW_ASSIGN_OR_RAISE(const auto group_type, ToArrowType(*group));
      ARROW_ASSIGN_OR_RAISE(ColumnPlan child, Plan(node, levels, name, group, group_type, counted));
      plan.leaf = child.leaf;
      plan.children.push_back(std::move(child));
      return plan;
    }
    if (!counted && !node.is_repeated()) levels.Increment(node);
    switch (type->root()) {
      case TypeRoot::kRow:
        ARROW_RETURN_NOT_OK(PlanStruct(node, levels, type->fields(), &plan));
        break;
      case TypeRoot::kVariant:
        ARROW_RETURN_NOT_OK(PlanStruct(node, levels, VariantFields(), &plan));
        break;
      case TypeRoot::kArray:
      case TypeRoot::kVector:
        plan.kind = type->root() == TypeRoot::kArray ? ColumnPlan::Kind::kList : ColumnPlan::Kind::kVector;
        ARROW_RETURN_NOT_OK(PlanList(node, levels, &plan));
        break;
      case TypeRoot::kMap:
      case TypeRoot::kMultiset:
        plan.kind = ColumnPlan::Kind::kMap;
        ARROW_RETURN_NOT_OK(PlanMap(node, levels, &plan));
        break;
      default:
        if (!node.is_primitive()) return Mismatch(node, plan);
        plan.kind = ColumnPlan::Kind::kLeaf;
        plan.levels = levels;
        plan.leaf = schema_.ColumnIndex(node);
    }
    return plan;
  }

 private:
  arrow::Status Mismatch(const Node& node, const ColumnPlan& plan) const {
    return Corrupt("parquet file ", path_, ": column ", plan.name, " is ",
                   node.is_group()
                       ? "a group"
                       : parquet::TypeToString(static_cast<const parquet::schema::PrimitiveNode&>(node).physical_type()),
                   node.is_repeated() ? " (repeated)" : "", ", which cannot be read as ", plan.type->ToSqlString());
  }

  static const std::vector<Field>& VariantFields() {
    static const std::vector<Field> fields = {{0, "value", DataType::Bytes(false), {}, {}},
                                              {1, "metadata", DataType::Bytes(false), {}, {}}};
    return fields;
  }

  arrow::Status PlanStruct(const Node& node, LevelInfo levels, const std::vector<Field>& fields, ColumnPlan* plan) const {
    if (!node.is_group()) return Mismatch(node, *plan);
    plan->kind = ColumnPlan::Kind::kStruct;
    plan->levels = levels;
    const auto& group = static_cast<const GroupNode&>(node);
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::shared_ptr<arrow::DataType>& child_type = plan->arrow_type->field(static_cast<int>(i))->type();
      const std::string child_name = plan->name + "." + fields[i].name;
      const int index = group.FieldIndex(fields[i].name);
      if (index < 0) {
        plan->children.push_back({.name = child_name, .type = fields[i].type, .arrow_type = child_type});
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(ColumnPlan child, Plan(*group.field(index), levels, child_name, fields[i].type, child_type));
      plan->children.push_back(std::move(child));
    }
    // The struct's own nulls are told by any leaf below; one that is read anyway and not repeated further is best.
    std::vector<Leaf> candidates;
    for (int ordinal : LeavesOf(plan->children)) candidates.push_back({ordinal, RepLevel(ordinal)});
    if (candidates.empty()) AddLeaves(node, &candidates);
    if (candidates.empty()) return Mismatch(node, *plan);
    const Leaf& best = *std::min_element(candidates.begin(), candidates.end(),
                                         [](const Leaf& a, const Leaf& b) { return a.rep_level < b.rep_level; });
    plan->leaf = best.ordinal;
    plan->only_repeated_leaves = best.rep_level > levels.rep_level;
    return arrow::Status::OK();
  }

  arrow::Status PlanList(const Node& node, LevelInfo levels, ColumnPlan* plan) const {
    const Node* repeated = &node;
    if (!node.is_repeated()) {
      if (!node.is_group() || static_cast<const GroupNode&>(node).field_count() != 1) return Mismatch(node, *plan);
      repeated = static_cast<const GroupNode&>(node).field(0).get();
      if (!repeated->is_repeated()) return Mismatch(node, *plan);
    }
    const int16_t ancestor = levels.IncrementRepeated();
    plan->levels = levels;
    plan->levels.repeated_ancestor_def_level = ancestor;
    const std::shared_ptr<arrow::DataType>& element_type = plan->arrow_type->field(0)->type();
    const TypePtr& element = plan->type->children()[0];
    // Files of older writers repeat the element itself (Parquet's rules for backward compatibility).
    const bool itself = IsElementItself(*repeated, node);
    const Node& child_node = itself ? *repeated : *static_cast<const GroupNode&>(*repeated).field(0);
    ARROW_ASSIGN_OR_RAISE(ColumnPlan child, Plan(child_node, levels, plan->name + ".element", element, element_type, itself));
    plan->children.push_back(std::move(child));
    plan->leaf = plan->children[0].leaf;
    return arrow::Status::OK();
  }

  static bool IsElementItself(const Node& repeated, const Node& list) {
    if (repeated.is_primitive()) return true;
    const auto& group = static_cast<const GroupNode&>(repeated);
    if (group.field_count() != 1) return true;
    return repeated.name() == "array" || repeated.name() == list.name() + "_tuple";
  }

  arrow::Status PlanMap(const Node& node, LevelInfo levels, ColumnPlan* plan) const {
    if (!node.is_group() || static_cast<const GroupNode&>(node).field_count() != 1) return Mismatch(node, *plan);
    const Node& entries = *static_cast<const GroupNode&>(node).field(0);
    if (!entries.is_group() || !entries.is_repeated() || static_cast<const GroupNode&>(entries).field_count() != 2) {
      return Mismatch(node, *plan);
    }
    const int16_t ancestor = levels.IncrementRepeated();
    plan->levels = levels;
    plan->levels.repeated_ancestor_def_level = ancestor;
    const auto& group = static_cast<const GroupNode&>(entries);
    const auto& map = static_cast<const arrow::MapType&>(*plan->arrow_type);
    static const TypePtr kMultiplicity = DataType::Int(false);
    const TypePtr& value = plan->type->root() == TypeRoot::kMultiset ? kMultiplicity : plan->type->children()[1];
    ARROW_ASSIGN_OR_RAISE(ColumnPlan key_plan,
                          Plan(*group.field(0), levels, plan->name + ".key", plan->type->children()[0], map.key_type()));
    ARROW_ASSIGN_OR_RAISE(ColumnPlan value_plan, Plan(*group.field(1), levels, plan->name + ".value", value, map.item_type()));
    plan->leaf = key_plan.leaf;
    plan->children.push_back(std::move(key_plan));
    plan->children.push_back(std::move(value_plan));
    return arrow::Status::OK();
  }

  int16_t RepLevel(int ordinal) const { return schema_.Column(ordinal)->max_repetition_level(); }

  void AddLeaves(const Node& node, std::vector<Leaf>* leaves) const {
    if (node.is_primitive()) {
      const int ordinal = schema_.ColumnIndex(node);
      leaves->push_back({ordinal, RepLevel(ordinal)});
      return;
    }
    const auto& group = static_cast<const GroupNode&>(node);
    for (int i = 0; i < group.field_count(); ++i) AddLeaves(*group.field(i), leaves);
  }

  const parquet::SchemaDescriptor& schema_;
  const std::string& path_;
};

std::shared_ptr<arrow::DataType> ViewType(const DataType& type, std::shared_ptr<arrow::DataType> otherwise) {
  if (type.is_string()) return arrow::utf8_view();
  if (type.is_binary()) return arrow::binary_view();
  return otherwise;
}

void CollectLeaves(const ColumnPlan& plan, std::vector<int>* leaves) {
  if (plan.leaf >= 0) leaves->push_back(plan.leaf);
  for (const ColumnPlan& child : plan.children) CollectLeaves(child, leaves);
}

}  // namespace

arrow::Result<ColumnPlan> PlanColumn(const parquet::SchemaDescriptor& schema, const std::string& path, const Field& field,
                                     bool string_views) {
  ARROW_ASSIGN_OR_RAISE(auto arrow_type, ToArrowType(*field.type));
  if (string_views) arrow_type = ViewType(*field.type, std::move(arrow_type));
  const GroupNode& root = *schema.group_node();
  const int index = root.FieldIndex(field.name);
  if (index < 0) return ColumnPlan{.name = field.name, .type = field.type, .arrow_type = std::move(arrow_type)};
  return Planner(schema, path).Plan(*root.field(index), LevelInfo(), field.name, field.type, arrow_type);
}

std::vector<int> LeavesOf(const std::vector<ColumnPlan>& plans) {
  std::vector<int> leaves;
  for (const ColumnPlan& plan : plans) CollectLeaves(plan, &leaves);
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  return leaves;
}

}  // namespace bactrian
