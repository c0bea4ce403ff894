#pragma once

#include <cstdint>
#include <vector>

#include "bactrian/base/row_ranges.h"
#include "bactrian/data_type.h"
#include "bactrian/value.h"

namespace bactrian {

/// Consecutive rows of a file and the bounds of one column in them, both inclusive.
struct BoundedRows {
  RowRange rows;
  Value min, max;
};

/// What a FileHandle may offer besides: for looking up single rows of a file that is sorted by a column. Thread-safe.
class PageBounds {
 public:
  virtual ~PageBounds() = default;
  /// The pages of a column, in order, all rows of the file among them; empty unless every page has bounds that hold all its
  /// values in the order of CompareValues. Read when first asked for, and kept.
  virtual arrow::Result<std::vector<BoundedRows>> BoundedPages(const Field& field) const = 0;
  /// False where a Bloom filter over the rows around `row` shows that none of them has this value.
  virtual arrow::Result<bool> MayContain(int64_t row, const Field& field, const Value& value) const = 0;
};

}  // namespace bactrian
