#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <span>
#include <vector>

#include "bactrian/expr/cast.h"
#include "bactrian/schema.h"
#include "bactrian/value.h"

namespace bactrian {

/// How the columns of a data file become the columns of a query: matched by field id, renamed, reordered, cast; columns that
/// the file lacks are null, partition keys constants (format reference: schema.md §7). Compiled once for a file schema and a
/// query; immutable, shared by threads.
class Projection {
 public:
  /// `data_fields` are the columns that the file holds. The result has `query_fields` in order, string and binary columns as
  /// views if asked.
  static arrow::Result<std::shared_ptr<const Projection>> Make(std::span<const Field> query_fields,
                                                               std::span<const Field> data_fields,
                                                               const std::vector<std::string>& partition_keys,
                                                               bool string_views);

  /// What to ask the file for, nested fields pruned to those that the query has.
  const std::vector<Field>& file_fields() const { return file_fields_; }
  /// Whether views may be asked of the file. If not, Apply makes them.
  bool reads_views() const { return reads_views_; }
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  /// A batch of schema() from one with the file fields (whose count of rows is all that matters when there are none) and the
  /// values of the partition keys.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Apply(const arrow::RecordBatch& batch, std::span<const Value> partition,
                                                           arrow::MemoryPool* pool) const;

 private:
  enum class Source : uint8_t { kFile, kPartition, kNull, kRowKind };
  struct Column {
    Source source = Source::kNull;
    int index = -1;  ///< of the file field or partition key
    TypePtr type;
    std::shared_ptr<const Cast> cast;  ///< may be null
  };

  arrow::Result<std::shared_ptr<arrow::Array>> MakeColumn(const Column& column, const arrow::RecordBatch& batch,
                                                          std::span<const Value> partition, arrow::MemoryPool* pool) const;

  std::vector<Field> file_fields_;
  std::vector<Column> columns_;
  std::shared_ptr<arrow::Schema> schema_;
  bool reads_views_ = false;
};

}  // namespace bactrian
