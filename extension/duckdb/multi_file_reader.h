#pragma once

#include <memory>

#include "duckdb/common/multi_file/multi_file_function.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "file_list.h"

namespace bactrian::sql {

/// What a table's scan function carries into its binding.
struct ScanFunctionInfo final : public duckdb::TableFunctionInfo {
  duckdb::shared_ptr<PaimonFileList> files;
  duckdb::shared_ptr<duckdb::TableCatalogEntry> entry;  ///< keeps the table alive for plans that outlive a transaction
};

/// DuckDB's multi-file scan over the files of a plan: columns are found by field id, partition keys are constants, deletion
/// vectors are its delete filters. A file whose columns DuckDB would decode otherwise than the library goes to a SplitReader.
class PaimonMultiFileReader final : public duckdb::MultiFileReader {
 public:
  explicit PaimonMultiFileReader(duckdb::shared_ptr<ScanFunctionInfo> info) : info_(std::move(info)) {}
  static duckdb::unique_ptr<duckdb::MultiFileReader> Create(const BoundFunction& function);

  const ScanFunctionInfo& info() const { return *info_; }

  duckdb::unique_ptr<duckdb::MultiFileReader> Copy() const override;
  duckdb::shared_ptr<duckdb::MultiFileList> CreateFileList(duckdb::ClientContext& context,
                                                           const duckdb::vector<duckdb::string>& paths,
                                                           const duckdb::FileGlobInput& glob_input) override;
  bool Bind(duckdb::MultiFileOptions& options, duckdb::MultiFileList& files, duckdb::vector<duckdb::LogicalType>& types,
            duckdb::vector<SqlName>& names, duckdb::MultiFileReaderBindData& bind_data) override;
  void BindOptions(duckdb::MultiFileOptions& options, duckdb::MultiFileList& files, duckdb::vector<duckdb::LogicalType>& types,
                   duckdb::vector<SqlName>& names, duckdb::MultiFileReaderBindData& bind_data) override;
  duckdb::unique_ptr<duckdb::MultiFileReaderGlobalState> InitializeGlobalState(
      duckdb::ClientContext& context, const duckdb::MultiFileOptions& options, const duckdb::MultiFileReaderBindData& bind_data,
      const duckdb::MultiFileList& files, const duckdb::vector<duckdb::MultiFileColumnDefinition>& global_columns,
      const duckdb::vector<duckdb::ColumnIndex>& global_column_ids) override;
  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(duckdb::ClientContext& context,
                                                          duckdb::GlobalTableFunctionState& gstate,
                                                          const duckdb::OpenFileInfo& file, duckdb::idx_t file_idx,
                                                          const duckdb::MultiFileBindData& bind_data) override;
  duckdb::ReaderInitializeType InitializeReader(duckdb::MultiFileReaderData& reader_data,
                                                const duckdb::MultiFileBindData& bind_data,
                                                const duckdb::vector<duckdb::MultiFileColumnDefinition>& global_columns,
                                                const duckdb::vector<duckdb::ColumnIndex>& global_column_ids,
                                                duckdb::optional_ptr<duckdb::TableFilterSet> table_filters,
                                                duckdb::ClientContext& context, duckdb::MultiFileGlobalState& gstate) override;

 private:
  duckdb::shared_ptr<ScanFunctionInfo> info_;
};

}  // namespace bactrian::sql
