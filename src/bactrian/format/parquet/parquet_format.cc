#include "bactrian/format/parquet/parquet_format.h"

#include "bactrian/format/parquet/parquet_file.h"
#include "bactrian/format/parquet/parquet_writer.h"

namespace bactrian {
namespace {

class Parquet final : public FileFormat {
 public:
  std::string_view identifier() const override { return "parquet"; }

  arrow::Result<std::shared_ptr<FileHandle>> Open(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                  int64_t length) const override {
    return ParquetFile::Open(store, path, length);
  }

  arrow::Result<std::unique_ptr<FileWriter>> OpenWriter(const std::shared_ptr<FileStore>& store, const std::string& path,
                                                        const WriteRequest& request) const override {
    return MakeParquetWriter(store, path, request);
  }
};

}  // namespace

const FileFormat* ParquetFormat() {
  static const Parquet format;
  return &format;
}

}  // namespace bactrian
