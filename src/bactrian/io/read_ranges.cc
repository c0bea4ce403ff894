#include "bactrian/io/read_ranges.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <numeric>

namespace bactrian {

arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> ReadRanges(arrow::io::RandomAccessFile& file,
                                                                      std::span<const arrow::io::ReadRange> ranges,
                                                                      int64_t file_length, std::string_view path,
                                                                      const ReadCoalescing& coalescing) {
  for (const auto& range : ranges) {
    if (range.offset < 0 || range.length < 0 || range.offset > file_length || range.length > file_length - range.offset) {
      return Corrupt(path, ": ", range.length, " bytes at ", range.offset, " are outside of the file's ", file_length);
    }
  }
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ranges[a].offset < ranges[b].offset; });

  std::vector<std::shared_ptr<arrow::Buffer>> buffers(ranges.size());
  for (size_t first = 0; first < order.size();) {
    const int64_t begin = ranges[order[first]].offset;
    int64_t end = begin + ranges[order[first]].length;
    size_t last = first + 1;
    for (; last < order.size(); ++last) {
      const auto& next = ranges[order[last]];
      const int64_t joined_end = std::max(end, next.offset + next.length);
      if (next.offset - end > coalescing.max_gap || (joined_end > end && joined_end - begin > coalescing.max_request)) break;
      end = joined_end;
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> joined, file.ReadAt(begin, end - begin));
    if (joined->size() != end - begin) return Corrupt(path, ": the file ends before byte ", end);
    for (; first < last; ++first) {
      const auto& range = ranges[order[first]];
      buffers[order[first]] = arrow::SliceBuffer(joined, range.offset - begin, range.length);
    }
  }
  return buffers;
}

}  // namespace bactrian
