#include "bactrian/format/avro/avro_head_filter.h"

#include <algorithm>

namespace bactrian {

arrow::Result<CompiledHeadFilter> CompiledHeadFilter::Make(const AvroNode& record, const AvroHeadFilter& filter) {
  CompiledHeadFilter compiled;
  compiled.filter_ = filter;
  compiled.ints_.resize(filter.field_names.size());
  compiled.bytes_.resize(filter.field_names.size());
  size_t head_size = 0;
  for (size_t i = 0; i < record.children.size(); ++i) {
    const auto& names = filter.field_names;
    const auto wanted = std::find(names.begin(), names.end(), record.names[i]);
    Step step{record.children[i].get(), {}, -1};
    if (wanted != names.end()) {
      ARROW_ASSIGN_OR_RAISE(step.nullable, ResolveNullable(*step.node));
      const AvroKind kind = step.nullable.value == nullptr ? AvroKind::kNull : step.nullable.value->kind;
      if (kind != AvroKind::kInt && kind != AvroKind::kLong && kind != AvroKind::kBytes && kind != AvroKind::kString) {
        return Unsupported("a head filter on the field '", *wanted, "' of Avro type ", AvroKindName(kind));
      }
      step.slot = static_cast<int>(wanted - names.begin());
      head_size = i + 1;
    }
    compiled.head_.push_back(step);
  }
  compiled.head_.resize(head_size);
  for (size_t i = head_size; i < record.children.size(); ++i) compiled.rest_.push_back(record.children[i].get());
  return compiled;
}

arrow::Result<bool> CompiledHeadFilter::Accepts(AvroCursor& in) {
  AvroCursor ahead = in;
  for (const Step& step : head_) ARROW_RETURN_NOT_OK(step.slot < 0 ? SkipAvroValue(*step.node, ahead) : ReadInto(step, ahead));
  if (filter_.accept(ints_, bytes_)) return true;
  for (const AvroNode* node : rest_) ARROW_RETURN_NOT_OK(SkipAvroValue(*node, ahead));
  in = ahead;
  return false;
}

arrow::Status CompiledHeadFilter::ReadInto(const Step& step, AvroCursor& in) {
  int64_t& number = ints_[static_cast<size_t>(step.slot)];
  std::string_view& text = bytes_[static_cast<size_t>(step.slot)];
  if (step.nullable.value_branch >= 0) {
    int64_t branch = 0;
    ARROW_RETURN_NOT_OK(in.ReadLong(&branch));
    number = 0;
    text = {};
    if (branch == step.nullable.null_branch) return arrow::Status::OK();
    if (branch != step.nullable.value_branch) return Corrupt("a union's branch ", branch);
  }
  const AvroKind kind = step.nullable.value->kind;
  return kind == AvroKind::kInt || kind == AvroKind::kLong ? in.ReadLong(&number) : in.ReadBytes(&text);
}

}  // namespace bactrian
