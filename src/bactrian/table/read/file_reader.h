#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "bactrian/base/roaring.h"
#include "bactrian/base/row_ranges.h"
#include "bactrian/format/file_format.h"
#include "bactrian/table/plan/data_split.h"
#include "bactrian/table/read/projection.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

/// A projection with what it was compiled for, kept from one file of a split to the next.
struct CompiledProjection {
  int64_t schema_id = -1;
  const SchemaStore* schemas = nullptr;  ///< of another branch than the split's
  std::vector<std::string> residual_columns;
  std::shared_ptr<const Projection> projection;
};

/// The open file, and the deletion vector, through the session's cache.
arrow::Result<std::shared_ptr<const FileHandle>> OpenFileHandle(const ReadSpec& spec, const SplitFile& file);
arrow::Result<std::shared_ptr<const RoaringBitmap>> LoadDeletionVector(const ReadSpec& spec, const DeletionFile& deletion);

/// Tells the cache what an open file takes up by now: it keeps page indexes that reads made it load.
void RechargeFileHandle(const ReadSpec& spec, const SplitFile& file);

/// Opens one data file of a split whose rows are rows of the table as they are. The predicate is pushed into the file as far
/// as the file's schema allows and the rest applied after projection; deleted rows are never decoded. nullptr when the file's
/// constants show that no row passes. `rows`, if given, are the only positions of the file to read.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> OpenDataFile(const std::shared_ptr<const ReadSpec>& spec,
                                                                      const DataSplit& split, const SplitFile& file,
                                                                      CompiledProjection* compiled,
                                                                      const RowRanges* rows = nullptr);

}  // namespace bactrian
