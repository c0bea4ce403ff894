#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "bactrian/format/file_format.h"

namespace bactrian {

/// What a reader needs of an open ORC file. Immutable.
struct OrcSource {
  std::string path;
  std::shared_ptr<arrow::io::RandomAccessFile> file = {};
  int64_t length = 0;  ///< bytes
  int64_t num_rows = 0;
};

/// Batches of `fields` [+ position], with the request's selection but not its predicate. Arrow's adapter decodes; stripes
/// without a selected row are passed over.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadOrcBatches(std::shared_ptr<const OrcSource> source,
                                                                        const std::vector<Field>& fields,
                                                                        const ReadRequest& request);

}  // namespace bactrian
