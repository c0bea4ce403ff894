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

/// Whether the rows of the table are those of the split's files, less deleted ones: not where a log's rows, changes or another
/// branch's are read, or files are merged.
bool HoldsRowsAsStored(const ScanSource& source, const Split& split);

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
  /// The items of these numbers, to be scanned in this order; they keep their numbers.
  duckdb::shared_ptr<PaimonFileList> Choose(std::vector<size_t> order) const;

  const ScanSource& source() const { return *source_; }
  const std::shared_ptr<const ScanSource>& source_ptr() const { return source_; }
  const Plan& plan() const { return *plan_; }
  const PredicatePtr& predicate() const { return predicate_; }
  /// All of the plan, by number.
  const std::vector<Item>& items() const { return *items_; }
  /// The item of a file that GetFile or Scan handed out.
  const Item& item(const duckdb::OpenFileInfo& file) const;
  /// Its number in the list: what `file_index` shows.
  static duckdb::idx_t ItemIndex(const duckdb::OpenFileInfo& file);

  duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
      duckdb::ClientContext& context, const duckdb::MultiFileOptions& options, duckdb::MultiFilePushdownInfo& info,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const override;

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
  duckdb::FileExpandResult GetExpandResult() const override;
  duckdb::idx_t GetTotalFileCount() const override { return order_.size(); }
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;

 protected:
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

 private:
  std::shared_ptr<const ScanSource> source_;
  std::shared_ptr<Plan> plan_;
  PredicatePtr predicate_;
  std::shared_ptr<const std::vector<Item>> items_;
  std::vector<size_t> order_;  ///< what of the items is scanned
};

}  // namespace bactrian::sql
