// The tables of a snapshot's data files: files, file_key_ranges.
#include "bactrian/table/data_file_paths.h"
#include "bactrian/table/system/live_files.h"
#include "bactrian/table/system/row_text.h"
#include "bactrian/table/system/system_readers.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

/// What both tables show of a file, and what they need to show it.
class FileRows {
 public:
  static arrow::Result<FileRows> Make(const SystemTableContext& context) {
    ARROW_ASSIGN_OR_RAISE(DataFilePaths paths, DataFilePaths::Make(context.paths, *context.schema));
    FileRows files(context, std::move(paths));
    ARROW_ASSIGN_OR_RAISE(files.hide_level_0_, HidesLevelZero(*context.schema));
    for (const Field& field : context.schema->PartitionFields()) files.partition_types_.push_back(field.type);
    return files;
  }

  /// These tables list the files that a batch read looks at (query.md §1).
  bool Shows(const ManifestEntry& entry) const {
    if (!context_.schema->is_primary_key_table()) return true;
    return entry.bucket != -2 && !(hide_level_0_ && entry.file.level == 0);
  }

  /// partition … file_size_in_bytes.
  arrow::Status AppendHead(const ManifestEntry& entry, StructAppender* row) const {
    ARROW_ASSIGN_OR_RAISE(const std::string partition, RowText(entry.partition, partition_types_));
    ARROW_ASSIGN_OR_RAISE(const std::string path, paths_.DataFile(entry.partition, entry.bucket, entry.file));
    ARROW_RETURN_NOT_OK(row->Bytes(partition));
    ARROW_RETURN_NOT_OK(row->Int(entry.bucket));
    ARROW_RETURN_NOT_OK(row->Bytes(path));
    ARROW_RETURN_NOT_OK(row->Bytes(FormatName(entry.file.file_name)));
    ARROW_RETURN_NOT_OK(row->Long(entry.file.schema_id));
    ARROW_RETURN_NOT_OK(row->Int(entry.file.level));
    ARROW_RETURN_NOT_OK(row->Long(entry.file.row_count));
    return row->Long(entry.file.file_size);
  }

  /// min_key, max_key.
  arrow::Status AppendKeys(const ManifestEntry& entry, StructAppender* row) const {
    if (!context_.schema->is_primary_key_table()) {
      ARROW_RETURN_NOT_OK(row->OptionalBytes(std::nullopt));
      return row->OptionalBytes(std::nullopt);
    }
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> data_schema, schemas_->Load(entry.file.schema_id));
    std::vector<TypePtr> types;
    for (const std::string& key : data_schema->TrimmedPrimaryKeys()) types.push_back(data_schema->FindField(key)->type);
    ARROW_ASSIGN_OR_RAISE(const std::string min, KeyText(entry.file.min_key, types));
    ARROW_ASSIGN_OR_RAISE(const std::string max, KeyText(entry.file.max_key, types));
    ARROW_RETURN_NOT_OK(row->Bytes(min));
    return row->Bytes(max);
  }

  const SchemaStore& schemas() const { return *schemas_; }

 private:
  FileRows(const SystemTableContext& context, DataFilePaths paths)
      : context_(context), paths_(std::move(paths)), schemas_(std::make_unique<SchemaStore>(context.store, context.paths)) {}

  static arrow::Result<bool> HidesLevelZero(const TableSchema& schema) {
    CoreOptions options(schema.options);
    if (options.GetString("merge-engine", "deduplicate") == "first-row") return true;
    ARROW_ASSIGN_OR_RAISE(const bool vectors, options.GetBool("deletion-vectors.enabled", false));
    ARROW_ASSIGN_OR_RAISE(const bool merge_on_read, options.GetBool("deletion-vectors.merge-on-read", false));
    return vectors && !merge_on_read;
  }

  /// The last extension, or the one before a codec's (layout.md §2).
  static std::string_view FormatName(std::string_view name) {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return name;
    const std::string_view last = name.substr(dot + 1);
    for (std::string_view codec : {"gz", "bz2", "deflate", "snappy", "lz4", "zst"}) {
      if (last == codec) return FormatName(name.substr(0, dot));
    }
    return last;
  }

  const SystemTableContext& context_;
  DataFilePaths paths_;
  std::unique_ptr<SchemaStore> schemas_;
  std::vector<TypePtr> partition_types_;
  bool hide_level_0_ = false;
};

std::optional<std::string> SourceName(const std::optional<FileSource>& source) {
  if (!source) return std::nullopt;
  return *source == FileSource::kAppend ? "APPEND" : "COMPACT";
}

}  // namespace

arrow::Status ReadFiles(const SystemTableContext& context, BatchBuilder* rows) {
  ARROW_ASSIGN_OR_RAISE(const FileRows files, FileRows::Make(context));
  const StatsPrinter stats_printer(context.schema, files.schemas());
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> entries, LiveFiles(context));
  for (const ManifestEntry& entry : entries) {
    if (!files.Shows(entry)) continue;
    ARROW_ASSIGN_OR_RAISE(const StatsText stats, stats_printer.Print(entry.file));
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(files.AppendHead(entry, &row));
    ARROW_RETURN_NOT_OK(files.AppendKeys(entry, &row));
    ARROW_RETURN_NOT_OK(row.Bytes(stats.null_counts));
    ARROW_RETURN_NOT_OK(row.Bytes(stats.min));
    ARROW_RETURN_NOT_OK(row.Bytes(stats.max));
    ARROW_RETURN_NOT_OK(row.Long(entry.file.min_sequence_number));
    ARROW_RETURN_NOT_OK(row.Long(entry.file.max_sequence_number));
    ARROW_RETURN_NOT_OK(row.Timestamp(entry.file.creation_time_millis));
    ARROW_RETURN_NOT_OK(row.Long(entry.file.delete_row_count));
    ARROW_RETURN_NOT_OK(row.OptionalBytes(SourceName(entry.file.file_source)));
    ARROW_RETURN_NOT_OK(row.Long(entry.file.first_row_id));
    ARROW_RETURN_NOT_OK(row.Strings(entry.file.write_cols));
  }
  return arrow::Status::OK();
}

arrow::Status ReadFileKeyRanges(const SystemTableContext& context, BatchBuilder* rows) {
  ARROW_ASSIGN_OR_RAISE(const FileRows files, FileRows::Make(context));
  ARROW_ASSIGN_OR_RAISE(const std::vector<ManifestEntry> entries, LiveFiles(context));
  for (const ManifestEntry& entry : entries) {
    if (!files.Shows(entry)) continue;
    StructAppender row = rows->NewRow();
    ARROW_RETURN_NOT_OK(files.AppendHead(entry, &row));
    ARROW_RETURN_NOT_OK(files.AppendKeys(entry, &row));
    ARROW_RETURN_NOT_OK(row.Long(entry.file.first_row_id));
  }
  return arrow::Status::OK();
}

}  // namespace bactrian
