/// The Parquet schema that the reference writes for Paimon fields (format reference: layout.md §6).
#pragma once

#include <parquet/schema.h>

#include <memory>
#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

/// The root `paimon_schema`: field ids on every field, synthetic ones below collections (schema.md §4), map keys required.
arrow::Result<std::shared_ptr<parquet::schema::GroupNode>> ToParquetSchema(const std::vector<Field>& fields);

}  // namespace bactrian
