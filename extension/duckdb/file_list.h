#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/scan.h"
#include "bactrian/table/plan/data_split.h"
#include "compat.h"
#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "scan_source.h"

namespace bactrian::sql {

/// The files and splits of a plan in the shape that DuckDB's multi-file scan goes through: a Parquet file of a raw split is an
/// item of its own and decoded by DuckDB; any other split is one item, read by the library. Immutable.
class PaimonFileList final : public duckdb::MultiFileList {
 public:
  struct Item {
    std::shared_ptr<const Split> split;
    /// Index into the split's files: DuckDB reads this one. nullopt: the library reads the split.
    std::optional<size_t> file;
  };

  PaimonFileList(std::shared_ptr<const ScanSource> source, std::shared_ptr<Plan> plan, PredicatePtr predicate);

  /// All of the source's snapshot.
  static duckdb::shared_ptr<PaimonFileList> Make(std::shared_ptr<const ScanSource> source);

  const ScanSource& source() const { return *source_; }
  const std::shared_ptr<const ScanSource>& source_ptr() const { return source_; }
  const Plan& plan() const { return *plan_; }
  const PredicatePtr& predicate() const { return predicate_; }
  /// The item of a file that GetFile or Scan handed out.
  const Item& item(const duckdb::OpenFileInfo& file) const;
  /// Its number in the list: what `file_index` shows.
  static duckdb::idx_t ItemIndex(const duckdb::OpenFileInfo& file);

  duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
      duckdb::ClientContext& context, const duckdb::MultiFileOptions& options, duckdb::MultiFilePushdownInfo& info,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const override;

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
  duckdb::FileExpandResult GetExpandResult() const override;
  duckdb::idx_t GetTotalFileCount() const override { return items_.size(); }
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;

 protected:
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

 private:
  std::shared_ptr<const ScanSource> source_;
  std::shared_ptr<Plan> plan_;
  PredicatePtr predicate_;
  std::vector<Item> items_;
};

}  // namespace bactrian::sql
