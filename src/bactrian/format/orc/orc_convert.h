#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "bactrian/data_type.h"

namespace bactrian {

/// An array that Arrow's ORC adapter read, as one of `target`, the Arrow type of `type` or a view of it. ROW fields are found
/// by name, missing ones are null. kCorrupt, naming `path` and `column`, where the types do not meet.
arrow::Result<std::shared_ptr<arrow::Array>> ConvertOrcArray(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                                             const std::shared_ptr<arrow::DataType>& target,
                                                             const std::string& path, const std::string& column,
                                                             arrow::MemoryPool* pool);

}  // namespace bactrian
