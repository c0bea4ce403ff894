#include <arrow/api.h>
#include <arrow/io/interfaces.h>

#include <random>
#include <utility>

#include "bactrian/format/avro/avro_codec.h"
#include "bactrian/format/avro/avro_container.h"
#include "bactrian/format/avro/avro_encoder.h"
#include "bactrian/format/avro/avro_file.h"

namespace bactrian {
namespace {

std::string RandomSyncMarker() {
  std::random_device random;
  std::string marker;
  while (marker.size() < AvroContainer::kSyncBytes) marker += static_cast<char>(random());
  return marker;
}

class ContainerWriter : public AvroFileWriter {
 public:
  ContainerWriter(std::shared_ptr<arrow::io::OutputStream> sink, std::shared_ptr<arrow::Schema> schema,
                  std::unique_ptr<AvroRecordEncoder> encoder, std::unique_ptr<AvroCodec> codec, int64_t block_bytes)
      : sink_(std::move(sink)),
        schema_(std::move(schema)),
        encoder_(std::move(encoder)),
        codec_(std::move(codec)),
        block_bytes_(block_bytes),
        sync_(RandomSyncMarker()) {}

  arrow::Status WriteHeader(std::string_view schema_json, std::string_view codec) {
    AvroOutput out;
    out.WriteRaw(std::string_view("Obj\x01", 4));
    out.WriteLong(2);
    out.WriteBytes("avro.schema");
    out.WriteBytes(schema_json);
    out.WriteBytes("avro.codec");
    out.WriteBytes(codec);
    out.WriteLong(0);
    out.WriteRaw(sync_);
    return Append(out.bytes());
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    if (!batch.schema()->Equals(*schema_, /*check_metadata=*/false)) {
      return Invalid("a batch of ", batch.schema()->ToString(), " for an Avro file of ", schema_->ToString());
    }
    const arrow::ArrayVector columns = batch.columns();
    ARROW_RETURN_NOT_OK(encoder_->Bind(columns));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      ARROW_RETURN_NOT_OK(encoder_->Encode(row, block_));
      ++block_records_;
      if (static_cast<int64_t>(block_.bytes().size()) >= block_bytes_) ARROW_RETURN_NOT_OK(FlushBlock());
    }
    return arrow::Status::OK();
  }

  arrow::Result<int64_t> bytes_written() const override { return position_ + static_cast<int64_t>(block_.bytes().size()); }

  arrow::Status Close() override {
    ARROW_RETURN_NOT_OK(FlushBlock());
    return sink_->Close();
  }

 private:
  arrow::Status FlushBlock() {
    if (block_records_ == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const std::string_view data, codec_->Compress(block_.bytes()));
    AvroOutput head;
    head.WriteLong(block_records_);
    head.WriteLong(static_cast<int64_t>(data.size()));
    ARROW_RETURN_NOT_OK(Append(head.bytes()));
    ARROW_RETURN_NOT_OK(Append(data));
    ARROW_RETURN_NOT_OK(Append(sync_));
    block_.Clear();
    block_records_ = 0;
    return arrow::Status::OK();
  }

  arrow::Status Append(std::string_view bytes) {
    position_ += static_cast<int64_t>(bytes.size());
    return sink_->Write(bytes);
  }

  const std::shared_ptr<arrow::io::OutputStream> sink_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::unique_ptr<AvroRecordEncoder> encoder_;
  const std::unique_ptr<AvroCodec> codec_;
  const int64_t block_bytes_;
  const std::string sync_;
  AvroOutput block_;
  int64_t block_records_ = 0;
  int64_t position_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<AvroFileWriter>> AvroFileWriter::Make(std::shared_ptr<arrow::io::OutputStream> sink,
                                                                    const std::vector<Field>& fields,
                                                                    const AvroWriteOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const std::string schema_json, AvroSchemaJson(fields, options.root_name));
  ARROW_ASSIGN_OR_RAISE(auto schema, ToArrowSchema(fields));
  ARROW_ASSIGN_OR_RAISE(auto encoder, AvroRecordEncoder::Make(fields));
  ARROW_ASSIGN_OR_RAISE(auto codec, AvroCodec::Make(options.codec, options.zstd_level));
  auto writer = std::make_unique<ContainerWriter>(std::move(sink), std::move(schema), std::move(encoder), std::move(codec),
                                                  options.block_bytes);
  ARROW_RETURN_NOT_OK(writer->WriteHeader(schema_json, options.codec));
  return writer;
}

}  // namespace bactrian
