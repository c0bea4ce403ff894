#include "bactrian/format/orc/orc_format.h"

#include <arrow/adapters/orc/adapter.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include <utility>

#include "bactrian/format/filtered_read.h"
#include "bactrian/format/orc/orc_reader.h"

namespace bactrian {
namespace {

/// The adapter's reader is neither shared nor cheap to keep, so that each read parses the tail again.
class OrcFile final : public FileHandle {
 public:
  explicit OrcFile(OrcSource source) : source_(std::make_shared<const OrcSource>(std::move(source))) {}

  int64_t num_rows() const override { return source_->num_rows; }
  int64_t memory_bytes() const override { return static_cast<int64_t>(sizeof(*this) + sizeof(OrcSource)); }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const ReadRequest& request) const override {
    return ReadFiltered(request, [&](const std::vector<Field>& fields) { return ReadOrcBatches(source_, fields, request); });
  }

 private:
  const std::shared_ptr<const OrcSource> source_;
};

class Orc final : public FileFormat {
 public:
  std::string_view identifier() const override { return "orc"; }

  arrow::Result<std::shared_ptr<FileHandle>> Open(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                  int64_t length) const override {
    OrcSource source{.path = path};
    ARROW_ASSIGN_OR_RAISE(source.file, store->OpenInput(path, length));
    auto reader = arrow::adapters::orc::ORCFileReader::Open(source.file, arrow::default_memory_pool());
    if (!reader.ok()) {
      if (KindOf(reader.status()) != ErrorKind::kUnknown) return reader.status();
      return Corrupt("orc file ", path, ": ", reader.status().message());
    }
    source.length = length;
    source.num_rows = (*reader)->NumberOfRows();
    if (source.num_rows < 0) return Corrupt("orc file ", path, ": ", source.num_rows, " rows");
    return std::make_shared<OrcFile>(std::move(source));
  }

  arrow::Result<std::unique_ptr<FileWriter>> OpenWriter(const std::shared_ptr<FileStore>&, const std::string&,
                                                        const WriteRequest&) const override {
    return Unsupported("writing the file format 'orc'");
  }
};

}  // namespace

const FileFormat* OrcFormat() {
  static const Orc format;
  return &format;
}

}  // namespace bactrian
