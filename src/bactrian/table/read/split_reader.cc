#include "bactrian/table/read/split_reader.h"

#include "bactrian/table/read/chained_reader.h"
#include "bactrian/table/read/diff_reader.h"
#include "bactrian/table/read/evolved_split_reader.h"
#include "bactrian/table/read/file_reader.h"
#include "bactrian/table/read/merged_split_reader.h"

namespace bactrian {
namespace {

/// The same read of another branch, whose columns have the same names and types.
arrow::Result<std::shared_ptr<const ReadSpec>> InBranch(const ReadSpec& spec, const TableContext& branch) {
  auto moved = std::make_shared<ReadSpec>(spec);
  moved->context = branch;
  for (Field& field : moved->fields) {
    if (!spec.context.schema->FindField(field.name)) continue;  // a system field
    const Field* there = branch.schema->FindField(field.name);
    if (!there) return Invalid("branch ", branch.paths.branch, " of table ", branch.paths.root, " has no column ", field.name);
    field.id = there->id;
  }
  return moved;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeSplitReader(std::shared_ptr<const ReadSpec> spec,
                                                                         const DataSplit& split) {
  if (split.branch) {
    ARROW_ASSIGN_OR_RAISE(spec, InBranch(*spec, *split.branch));
  }
  if (split.before) {
    auto shared = std::make_shared<const DataSplit>(split);
    return split.replaces ? MakeReplacementReader(std::move(spec), std::move(shared))
                          : MakeDifferenceReader(std::move(spec), std::move(shared));
  }
  if (split.evolves) return MakeEvolvedSplitReader(std::move(spec), std::make_shared<const DataSplit>(split));
  // Logs show the kinds that are stored, which raw reads do not look at (merge.md §10).
  const bool shows_kinds = spec->keep_deletes && spec->context.schema->is_primary_key_table() && !split.changes;
  if (!split.raw || shows_kinds) return MakeMergedSplitReader(std::move(spec), std::make_shared<const DataSplit>(split));
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
