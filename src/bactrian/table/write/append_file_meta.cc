#include "bactrian/table/write/append_file_meta.h"

#include "bactrian/base/wall_clock.h"
#include "bactrian/types/binary_row.h"

namespace bactrian {

DataFileMeta MakeAppendFileMeta(std::string name, const FileWriteResult& file, ValueStats stats, int64_t schema_id,
                                int64_t first_sequence, FileSource source) {
  DataFileMeta meta;
  meta.file_name = std::move(name);
  meta.file_size = file.size;
  meta.row_count = file.num_rows;
  meta.min_key = meta.max_key = std::string(EmptySerializedRow());
  meta.key_stats = SimpleStats::Empty();
  meta.value_stats = std::move(stats.stats);
  meta.value_stats_cols = std::move(stats.columns);
  meta.min_sequence_number = first_sequence;
  meta.max_sequence_number = first_sequence + file.num_rows - 1;
  meta.schema_id = schema_id;
  meta.creation_time_millis = LocalWallClockMillis();
  meta.delete_row_count = 0;
  meta.file_source = source;
  return meta;
}

}  // namespace bactrian
