#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "bactrian/table/table_context.h"

namespace bactrian {

/// What a writer of a table with fixed buckets must know of the files that are there.
class BucketRestore {
 public:
  /// `read_sequences`: files of a bucket are numbered on from the highest sequence number in it.
  BucketRestore(TableContext context, int32_t num_buckets, bool read_sequences)
      : context_(std::move(context)), num_buckets_(num_buckets), read_sequences_(read_sequences) {}

  /// Looks at partitions (serialised rows) that it has not seen yet, all at once. kInvalid when one was written with another
  /// number of buckets: it must be overwritten first.
  arrow::Status Load(const std::set<std::string, std::less<>>& partitions);

  /// The sequence number of the next row in a bucket of a loaded partition.
  int64_t NextSequence(const std::string& partition, int32_t bucket) const;

 private:
  TableContext context_;
  int32_t num_buckets_;
  bool read_sequences_;
  std::set<std::string, std::less<>> loaded_;
  std::map<std::pair<std::string, int32_t>, int64_t> next_sequence_;
};

}  // namespace bactrian
