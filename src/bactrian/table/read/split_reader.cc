#include "bactrian/table/read/split_reader.h"

#include "bactrian/table/read/chained_reader.h"
#include "bactrian/table/read/file_reader.h"
#include "bactrian/table/read/merged_split_reader.h"

namespace bactrian {

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeSplitReader(std::shared_ptr<const ReadSpec> spec,
                                                                         const DataSplit& split) {
  if (!split.raw) return MakeMergedSplitReader(std::move(spec), std::make_shared<const DataSplit>(split));
  auto open = [spec, split = std::make_shared<const DataSplit>(split), file = size_t{0},
               compiled = CompiledProjection()](size_t) mutable -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
    while (file < split->files.size()) {
      ARROW_ASSIGN_OR_RAISE(auto reader, OpenDataFile(spec, *split, split->files[file++], &compiled));
      if (reader) return reader;
    }
    return nullptr;
  };
  const auto limit = spec->limit;
  auto schema = spec->schema;
  return std::make_shared<ChainedReader>(std::move(schema), std::move(open), limit);
}

}  // namespace bactrian
