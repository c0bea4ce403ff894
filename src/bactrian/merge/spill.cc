#include "bactrian/merge/spill.h"

#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace bactrian {
namespace {

/// A file that is gone once it is closed.
arrow::Result<int> OpenUnnamedFile(const std::string& directory) {
  std::string path = directory + "/bactrian-spill-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return arrow::Status::IOError("a merge that exceeds its memory cannot write to ", directory, ": ", std::strerror(errno));
  }
  unlink(path.c_str());
  return descriptor;
}

}  // namespace

arrow::Result<SortedRun> SpillRuns(const KeyValueLayout& layout, std::vector<SortedRun> runs, int64_t batch_rows,
                                   const std::string& directory, arrow::MemoryPool* pool) {
  const int32_t level = runs.front().level;
  MergeOptions merge;
  merge.only_interleave = merge.keep_retracts = true;
  merge.batch_rows = batch_rows;
  merge.pool = pool;
  ARROW_ASSIGN_OR_RAISE(auto interleaved, MergeRuns(layout, std::move(runs), MakeDeduplicate(layout, false), merge));

  ARROW_ASSIGN_OR_RAISE(const int descriptor, OpenUnnamedFile(directory));
  const int read_descriptor = dup(descriptor);
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(descriptor));
  ARROW_ASSIGN_OR_RAISE(auto source,
                        arrow::io::ReadableFile::Open(read_descriptor, pool ? pool : arrow::default_memory_pool()));
  arrow::ipc::IpcWriteOptions write = arrow::ipc::IpcWriteOptions::Defaults();
  write.use_threads = false;
  if (pool != nullptr) write.memory_pool = pool;
  ARROW_ASSIGN_OR_RAISE(write.codec, arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(file, interleaved->schema(), write));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, interleaved->Next());
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  }
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_RETURN_NOT_OK(file->Close());
  ARROW_RETURN_NOT_OK(source->Seek(0));
  arrow::ipc::IpcReadOptions read = arrow::ipc::IpcReadOptions::Defaults();
  read.use_threads = false;
  if (pool != nullptr) read.memory_pool = pool;
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(source, read));
  return SortedRun{std::move(reader), level};
}

}  // namespace bactrian
