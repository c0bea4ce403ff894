#include "multi_file_reader.h"

#include <algorithm>

#include "bactrian/index/deletion_vector.h"
#include "bactrian/table/table_context.h"
#include "column_mapping.h"
#include "errors.h"
#include "file_statistics.h"
#include "split_reader.h"
#include "type_mapping.h"

namespace bactrian::sql {

namespace {

/// Rows of a file that a deletion vector leaves. Positions are asked for in ascending order within a row group, by many
/// threads.
class RowRangesDeleteFilter final : public duckdb::DeleteFilter {
 public:
  explicit RowRangesDeleteFilter(RowRanges deleted) : deleted_(std::move(deleted)) {}

  duckdb::idx_t Filter(duckdb::row_t start, duckdb::idx_t count, duckdb::SelectionVector& selection) override {
    if (count == 0) return 0;
    selection.Initialize(STANDARD_VECTOR_SIZE);
    const auto& ranges = deleted_.ranges();
    auto range = std::upper_bound(ranges.begin(), ranges.end(), start,
                                  [](int64_t position, const RowRange& candidate) { return position < candidate.end; });
    duckdb::idx_t kept = 0;
    for (duckdb::idx_t i = 0; i < count; ++i) {
      const int64_t position = start + static_cast<int64_t>(i);
      while (range != ranges.end() && range->end <= position) ++range;
      if (range == ranges.end() || position < range->begin) selection.set_index(kept++, i);
    }
    return kept;
  }

 private:
  RowRanges deleted_;
};

const PaimonFileList& FileList(const duckdb::MultiFileBindData& bind_data) {
  return bind_data.file_list->Cast<PaimonFileList>();
}

duckdb::shared_ptr<SplitReader> MakeSplitReader(const PaimonFileList& files, const duckdb::OpenFileInfo& file) {
  return duckdb::make_shared_ptr<SplitReader>(file, files.source_ptr(), files.predicate(), files.item(file));
}

/// Stands for a file until it is known that it must be opened.
class UnopenedFile final : public ScanFileReader {
 public:
  explicit UnopenedFile(duckdb::OpenFileInfo file) : ScanFileReader(std::move(file)) {}
  bool TryInitializeScan(duckdb::ClientContext&, duckdb::GlobalTableFunctionState&, duckdb::LocalTableFunctionState&) override {
    throw duckdb::InternalException("%s was not opened", file.path);
  }
  duckdb::AsyncResult Scan(duckdb::ClientContext&, duckdb::GlobalTableFunctionState&, duckdb::LocalTableFunctionState&,
                           duckdb::DataChunk&) override {
    throw duckdb::InternalException("%s was not opened", file.path);
  }
  duckdb::string GetReaderType() const override { return "Paimon"; }
};

duckdb::unique_ptr<duckdb::DeleteFilter> ReadDeleteFilter(const ScanSource& source, const SplitFile& file) {
  if (!file.deletion) return nullptr;
  std::shared_ptr<const RoaringBitmap> deleted =
      ValueOrThrow(ReadDeletionVector(*source.table->context()->store, file.deletion->path, file.deletion->range));
  return duckdb::make_uniq<RowRangesDeleteFilter>(deleted->ToRanges(file.meta->row_count));
}

/// Sets `reader_data` up to let DuckDB decode the file, or says that it must not.
bool PrepareParquetReader(const PaimonFileList& files, const PaimonFileList::Item& item, duckdb::BaseFileReader& reader,
                          const duckdb::vector<duckdb::ColumnIndex>& global_column_ids) {
  const ScanSource& source = files.source();
  const SplitFile& file = static_cast<const DataSplit&>(*item.split).files[*item.file];
  const std::shared_ptr<const TableSchema> file_schema = ValueOrThrow(source.FileSchema(*file.meta));
  const auto compression = file_schema->options.find("file.compression");
  if (compression != file_schema->options.end() && duckdb::StringUtil::CIEquals(compression->second, "lz4")) {
    return false;  // Hadoop's framing, which DuckDB does not read
  }
  AssignFieldIds(reader.columns, file_schema->fields);
  for (const duckdb::ColumnIndex& id : global_column_ids) {
    if (id.IsVirtualColumn()) continue;
    const Field& field = source.fields()[id.GetPrimaryIndex()];
    if (!source.PartitionKeyIndex(field.name) && !DecodesAlike(field, file_schema->fields, reader.columns)) return false;
  }
  reader.deletion_filter = ReadDeleteFilter(source, file);
  return true;
}

/// What is one value for a whole item: its number, its name, and for a file that DuckDB decodes the partition keys.
void AddConstants(const PaimonFileList& files, const PaimonFileList::Item& item, bool parquet,
                  const duckdb::vector<duckdb::ColumnIndex>& global_column_ids, duckdb::MultiFileReaderData& reader_data) {
  const ScanSource& source = files.source();
  const duckdb::OpenFileInfo& file = reader_data.reader->file;
  for (duckdb::idx_t i = 0; i < global_column_ids.size(); ++i) {
    const duckdb::column_t column = global_column_ids[i].GetPrimaryIndex();
    const duckdb::MultiFileGlobalIndex index(i);
    if (column == duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX) {
      reader_data.constant_map.Add(index, duckdb::Value::UBIGINT(PaimonFileList::ItemIndex(file)));
    } else if (column == duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILENAME) {
      const std::string& name = item.file ? static_cast<const DataSplit&>(*item.split).files[*item.file].path : file.path;
      reader_data.constant_map.Add(index, duckdb::Value(name));
    } else if (parquet && !global_column_ids[i].IsVirtualColumn()) {
      const Field& field = source.fields()[column];
      const std::optional<size_t> key = source.PartitionKeyIndex(field.name);
      if (!key) continue;
      reader_data.constant_map.Add(index, ValueOrThrow(FromPaimonValue(item.split->partition().at(*key), *field.type)));
    }
  }
}

/// Whether the column has another type among those of a file.
bool IsCast(const duckdb::MultiFileColumnDefinition& column,
            const duckdb::vector<duckdb::MultiFileColumnDefinition>& file_columns) {
  return std::any_of(file_columns.begin(), file_columns.end(), [&](const duckdb::MultiFileColumnDefinition& candidate) {
    return candidate.identifier == column.identifier && candidate.type != column.type;
  });
}

}  // namespace

duckdb::unique_ptr<duckdb::MultiFileReader> PaimonMultiFileReader::Create(const BoundFunction& function) {
  return duckdb::make_uniq<PaimonMultiFileReader>(
      duckdb::shared_ptr_cast<duckdb::TableFunctionInfo, ScanFunctionInfo>(function.function_info));
}

duckdb::unique_ptr<duckdb::MultiFileReader> PaimonMultiFileReader::Copy() const {
  return duckdb::make_uniq<PaimonMultiFileReader>(info_);
}

duckdb::shared_ptr<duckdb::MultiFileList> PaimonMultiFileReader::CreateFileList(duckdb::ClientContext&,
                                                                                const duckdb::vector<duckdb::string>&,
                                                                                const duckdb::FileGlobInput&) {
  return info_->files;
}

bool PaimonMultiFileReader::Bind(duckdb::MultiFileOptions&, duckdb::MultiFileList&, duckdb::vector<duckdb::LogicalType>& types,
                                 duckdb::vector<SqlName>& names, duckdb::MultiFileReaderBindData& bind_data) {
  for (const auto& column : info_->files->source().columns) {
    types.push_back(column.type);
    names.push_back(ToSqlName(column.name));
  }
  bind_data.schema = GlobalColumns(info_->files->source());
  bind_data.mapping = duckdb::MultiFileColumnMappingMode::BY_FIELD_ID;
  return true;
}

void PaimonMultiFileReader::BindOptions(duckdb::MultiFileOptions& options, duckdb::MultiFileList&,
                                        duckdb::vector<duckdb::LogicalType>&, duckdb::vector<SqlName>&,
                                        duckdb::MultiFileReaderBindData&) {
  options.auto_detect_hive_partitioning = false;
  options.hive_partitioning = false;
  options.union_by_name = false;
}

duckdb::unique_ptr<duckdb::MultiFileReaderGlobalState> PaimonMultiFileReader::InitializeGlobalState(
    duckdb::ClientContext&, const duckdb::MultiFileOptions&, const duckdb::MultiFileReaderBindData&,
    const duckdb::MultiFileList& files, const duckdb::vector<duckdb::MultiFileColumnDefinition>&,
    const duckdb::vector<duckdb::ColumnIndex>& global_column_ids) {
  for (const duckdb::ColumnIndex& id : global_column_ids) {
    if (!id.IsVirtualColumn()) CheckOk(info_->files->source().columns[id.GetPrimaryIndex()].error);
  }
  return duckdb::make_uniq<duckdb::MultiFileReaderGlobalState>(duckdb::vector<duckdb::LogicalType>(), &files);
}

duckdb::shared_ptr<duckdb::BaseFileReader> PaimonMultiFileReader::CreateReader(duckdb::ClientContext&,
                                                                               duckdb::GlobalTableFunctionState&,
                                                                               const duckdb::OpenFileInfo& file, duckdb::idx_t,
                                                                               const duckdb::MultiFileBindData&) {
  return duckdb::make_shared_ptr<UnopenedFile>(file);
}

duckdb::ReaderInitializeType PaimonMultiFileReader::InitializeReader(
    duckdb::MultiFileReaderData& reader_data, const duckdb::MultiFileBindData& bind_data,
    const duckdb::vector<duckdb::MultiFileColumnDefinition>& global_columns,
    const duckdb::vector<duckdb::ColumnIndex>& global_column_ids, duckdb::optional_ptr<duckdb::TableFilterSet> table_filters,
    duckdb::ClientContext& context, duckdb::MultiFileGlobalState& gstate) {
  const PaimonFileList& files = FileList(bind_data);
  const duckdb::OpenFileInfo file = reader_data.reader->file;
  const duckdb::idx_t file_index = reader_data.reader->file_list_idx.GetIndex();
  const PaimonFileList::Item& item = files.item(file);
  if (table_filters && !MayPass(context, files, PaimonFileList::ItemIndex(file), global_column_ids, *table_filters)) {
    return duckdb::ReaderInitializeType::SKIP_READING_FILE;
  }
  bool parquet = item.file.has_value();
  if (parquet) {
    reader_data.reader = MultiFileReader::CreateReader(context, *gstate.global_state, file, file_index, bind_data);
    parquet = PrepareParquetReader(files, item, *reader_data.reader, global_column_ids);
  }
  if (!parquet) reader_data.reader = MakeSplitReader(files, file);
  reader_data.reader->file_list_idx = file_index;
  AddConstants(files, item, parquet, global_column_ids, reader_data);
  duckdb::unique_ptr<duckdb::TableFilterSet> sound;
  if (table_filters) {
    sound = SoundFilters(*table_filters, [&](duckdb::idx_t i) {
      const duckdb::ColumnIndex& id = global_column_ids[i];
      return !id.IsVirtualColumn() && IsCast(global_columns[id.GetPrimaryIndex()], reader_data.reader->columns);
    });
    if (sound) table_filters = sound.get();
  }
  return CreateMapping(context, reader_data, global_columns, global_column_ids, table_filters, gstate.file_list,
                       bind_data.reader_bind, bind_data.virtual_columns);
}

}  // namespace bactrian::sql
