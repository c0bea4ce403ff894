#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/base/row_ranges.h"
#include "bactrian/data_type.h"
#include "bactrian/format/avro/avro_container.h"
#include "bactrian/format/avro/avro_file.h"

namespace bactrian {

struct AvroReadOptions {
  std::vector<Field> fields;
  int64_t batch_rows = 16384;
  bool string_views = false;
  const AvroHeadFilter* head_filter = nullptr;  ///< copied
  std::optional<RowRanges> selection;           ///< rows of the file by position
  std::optional<std::string> position_column;   ///< an int64 column after the fields
  arrow::MemoryPool* pool = nullptr;            ///< nullptr: the default one
};

/// Streams batches of a container: ToArrowSchema(fields) with strings and bytes as views if asked for [+ position]. Batches end
/// early when they grow large, and are never empty.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadAvroBatches(std::shared_ptr<const AvroContainer> container,
                                                                         const AvroReadOptions& options);

}  // namespace bactrian
