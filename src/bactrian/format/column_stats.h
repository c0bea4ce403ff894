/// Statistics of written columns, for formats whose own statistics do not say what the manifest wants (format reference:
/// manifest.md §6): untruncated strings, NaN as the greatest number, -0.0 below 0.0.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "bactrian/format/file_format.h"

namespace bactrian {

class ColumnStatsCollector {
 public:
  /// Types without order (nested ones, VARIANT, BLOB, GEO) have no bounds; nested ones and VARIANT no null count either.
  static std::unique_ptr<ColumnStatsCollector> Make(const DataType& type);
  /// Of decimals of at most 18 digits whose unscaled values come as int32 (at most 9 digits) or int64 arrays.
  static std::unique_ptr<ColumnStatsCollector> MakeOfUnscaled(const DataType& decimal);
  virtual ~ColumnStatsCollector() = default;
  /// `array` is of ToArrowType(type).
  virtual void Update(const arrow::Array& array) = 0;
  virtual ColumnStats Finish() const = 0;
};

}  // namespace bactrian
