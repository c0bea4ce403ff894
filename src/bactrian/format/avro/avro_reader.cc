#include <arrow/record_batch.h>

#include <utility>

#include "bactrian/format/avro/avro_batch_reader.h"
#include "bactrian/format/avro/avro_container.h"
#include "bactrian/format/avro/avro_file.h"

namespace bactrian {
namespace {

class ContainerReader : public AvroFileReader {
 public:
  explicit ContainerReader(std::shared_ptr<const AvroContainer> container) : container_(std::move(container)) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const std::vector<Field>& fields, int64_t batch_rows,
                                                                const AvroHeadFilter* head_filter,
                                                                arrow::MemoryPool* pool) override {
    AvroReadOptions options;
    options.fields = fields;
    options.batch_rows = batch_rows;
    options.head_filter = head_filter;
    options.pool = pool;
    return ReadAvroBatches(container_, options);
  }

  arrow::Result<int64_t> CountRows() override { return CountAvroRows(container_); }

 private:
  const std::shared_ptr<const AvroContainer> container_;
};

}  // namespace

arrow::Result<std::unique_ptr<AvroFileReader>> AvroFileReader::Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                                    std::string path, int64_t length) {
  ARROW_ASSIGN_OR_RAISE(auto container, AvroContainer::Open(std::move(file), std::move(path), length));
  return std::make_unique<ContainerReader>(std::move(container));
}

}  // namespace bactrian
