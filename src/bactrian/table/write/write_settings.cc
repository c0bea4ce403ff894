#include "bactrian/table/write/write_settings.h"

#include <limits>

#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

constexpr int64_t kDefaultAppendFileBytes = int64_t{256} << 20;

/// The first type in `type` that no writer of ours takes, or nullptr.
const DataType* FindUnwritableType(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBlob:
    case TypeRoot::kGeometry:
    case TypeRoot::kGeography:
      return &type;
    default:
      break;
  }
  for (const TypePtr& child : type.children()) {
    if (const DataType* found = FindUnwritableType(*child)) return found;
  }
  for (const Field& field : type.fields()) {
    if (const DataType* found = FindUnwritableType(*field.type)) return found;
  }
  return nullptr;
}

arrow::Status CheckColumns(const TableSchema& schema) {
  for (const Field& field : schema.fields) {
    if (const DataType* type = FindUnwritableType(*field.type)) {
      return Unsupported("column ", field.name, ": writing ", type->ToSqlString(), " is not supported yet");
    }
  }
  for (const Field& field : schema.PartitionFields()) {
    // The reference names the directory of a binary partition by an object id, so its readers cannot find it.
    if (field.type->is_binary() || field.type->is_nested() || field.type->root() == TypeRoot::kVariant) {
      return Invalid("column ", field.name, ": ", field.type->ToSqlString(), " cannot be a partition key");
    }
  }
  return arrow::Status::OK();
}

/// Options under which files need more than an append writer gives them.
arrow::Status CheckFeatures(const TableSchema& schema) {
  const CoreOptions options(schema.options);
  for (const auto& [key, value] : schema.options) {
    if (key.starts_with("file-index.") && key.ends_with(".columns")) {
      return Unsupported("option ", key, ": writing file indexes is not supported yet");
    }
  }
  for (const char* key : {"row-tracking.enabled", "data-evolution.enabled"}) {
    ARROW_ASSIGN_OR_RAISE(bool enabled, options.GetBool(key, false));
    if (enabled) return Unsupported("option ", key, ": writing such tables is not supported yet");
  }
  return arrow::Status::OK();
}

/// layout.md §2: the codec may stand before the format.
arrow::Result<std::string> FileExtension(const CoreOptions& options, std::string_view format) {
  ARROW_ASSIGN_OR_RAISE(bool with_codec, options.GetBool("file.suffix.include.compression", false));
  std::string extension = "." + std::string(format);
  if (with_codec) extension = "." + options.GetString("file.compression", "zstd") + extension;
  return extension;
}

/// The format checks its options and the columns' types when it opens a file: one that is never written.
arrow::Status CheckFileOptions(const FileFormat& format, const TableContext& context) {
  const std::string path = "memory://write_settings/check";
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<FileStore> nowhere, FileStore::Open(path));
  const WriteRequest request{.fields = context.schema->fields, .options = context.schema->options, .pool = context.pool};
  return format.OpenWriter(nowhere, path, request).status();
}

}  // namespace

arrow::Result<WriteSettings> WriteSettings::Make(const TableContext& context) {
  const TableSchema& schema = *context.schema;
  const CoreOptions options(schema.options);
  ARROW_RETURN_NOT_OK(CheckColumns(schema));
  ARROW_RETURN_NOT_OK(CheckFeatures(schema));
  WriteSettings settings;
  settings.context = context;
  ARROW_ASSIGN_OR_RAISE(settings.paths, DataFilePaths::Make(context.paths, schema));
  ARROW_ASSIGN_OR_RAISE(settings.external, ExternalPaths::Make(schema.options));
  ARROW_ASSIGN_OR_RAISE(settings.format, GetFormat(options.file_format()));
  ARROW_RETURN_NOT_OK(CheckFileOptions(*settings.format, context));
  settings.file_prefix = options.GetString("data-file.prefix", "data-");
  ARROW_ASSIGN_OR_RAISE(settings.file_extension, FileExtension(options, settings.format->identifier()));
  ARROW_RETURN_NOT_OK(ValidateFileName(settings.file_prefix + "x" + settings.file_extension, "option data-file.prefix"));
  ARROW_ASSIGN_OR_RAISE(settings.target_file_bytes, options.GetMemorySize("target-file-size", kDefaultAppendFileBytes));
  ARROW_ASSIGN_OR_RAISE(settings.target_file_rows, options.GetInt("target-file-row-num", std::numeric_limits<int64_t>::max()));
  if (settings.target_file_bytes <= 0) return Invalid("option target-file-size must be positive");
  if (settings.target_file_rows <= 0) return Invalid("option target-file-row-num must be positive");
  ARROW_ASSIGN_OR_RAISE(settings.stats_modes, StatsModes(schema));
  ARROW_ASSIGN_OR_RAISE(settings.dense_stats, options.GetBool("metadata.stats-dense-store", true));
  return settings;
}

}  // namespace bactrian
