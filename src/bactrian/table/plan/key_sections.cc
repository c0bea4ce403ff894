#include "bactrian/table/plan/key_sections.h"

#include <utility>

#include "bactrian/types/binary_row.h"

namespace bactrian {

arrow::Result<std::vector<Section>> SectionsOf(const TableSchema& schema, std::span<const SplitFile> files) {
  std::vector<TypePtr> types;
  for (const std::string& key : schema.TrimmedPrimaryKeys()) types.push_back(schema.FindField(key)->type);
  std::vector<KeyRange> ranges;
  for (size_t i = 0; i < files.size(); ++i) {
    auto min = DecodeSerializedRow(files[i].meta->min_key, types), max = DecodeSerializedRow(files[i].meta->max_key, types);
    if (!min.ok() || !max.ok()) return Corrupt("the key bounds of data file ", files[i].path, " cannot be read");
    ranges.push_back({*std::move(min), *std::move(max), static_cast<int64_t>(i)});
  }
  return PartitionIntoSections(std::move(ranges));
}

}  // namespace bactrian
