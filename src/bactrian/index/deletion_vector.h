/// Deletion vectors (format reference: indexes.md §2).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bactrian/base/roaring.h"
#include "bactrian/io/file_store.h"
#include "bactrian/meta/index_manifest.h"

namespace bactrian {

/// Reads the vector at [range.offset, +length) of the index file at `path`: magic, checksum and cardinality are verified; any
/// doubt is kCorrupt, so that deleted rows never come back. 32 and 64 bit.
arrow::Result<std::shared_ptr<const RoaringBitmap>> ReadDeletionVector(FileStore& store, const std::string& path,
                                                                       const DeletionVectorRange& range);

struct WrittenDeletionVectors {
  WrittenFile file;
  std::vector<DeletionVectorRange> ranges;
};
/// One index file with the vectors of `vectors` (data file name, deleted positions), in order.
arrow::Result<WrittenDeletionVectors> WriteDeletionVectors(
    FileStore& store, const std::string& directory, const std::string& file_name,
    const std::vector<std::pair<std::string, const RoaringBitmap*>>& vectors, bool bitmap64);

}  // namespace bactrian
