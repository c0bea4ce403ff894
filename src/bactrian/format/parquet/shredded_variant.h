/// VARIANT columns whose values a writer has spread over typed columns (Parquet's "Variant Shredding"; options
/// variant.shreddingSchema and variant.inferShreddingSchema).
#pragma once

#include <arrow/type_fwd.h>
#include <parquet/schema.h>

#include <memory>
#include <string>

#include "bactrian/data_type.h"

namespace bactrian {

/// Whether a group that a VARIANT is read from is shredded: it has a field typed_value.
bool IsShreddedVariant(const parquet::schema::Node& node);

/// The group's own structure as a ROW. kCorrupt, naming `path` and `column`, for what the specification does not allow.
arrow::Result<TypePtr> ShreddedVariantType(const parquet::schema::Node& node, const std::string& path,
                                           const std::string& column);

/// `shredded` holds values of ShreddedVariantType(); the result is the VARIANT's Arrow array of the same length, byte for byte
/// what the reference puts together.
arrow::Result<std::shared_ptr<arrow::Array>> AssembleVariants(const arrow::StructArray& shredded, const DataType& type,
                                                              arrow::MemoryPool* pool);

}  // namespace bactrian
