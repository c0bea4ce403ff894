#pragma once

#include <memory>
#include <mutex>
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

  /// No plan: that of all of the source's snapshot, made when it is first asked for.
  PaimonFileList(std::shared_ptr<const ScanSource> source, std::shared_ptr<Plan> plan, PredicatePtr predicate);

  /// All of the source's snapshot, not planned before a filter may have narrowed it.
  static duckdb::shared_ptr<PaimonFileList> Make(std::shared_ptr<const ScanSource> source);
  /// The items of these numbers, to be scanned in this order; they keep their numbers.
  duckdb::shared_ptr<PaimonFileList> Choose(std::vector<size_t> order) const;

  const ScanSource& source() const { return *source_; }
  const std::shared_ptr<const ScanSource>& source_ptr() const { return source_; }
  const Plan& plan() const { return *contents().plan; }
  const PredicatePtr& predicate() const { return predicate_; }
  /// All of the plan, by number.
  const std::vector<Item>& items() const { return contents().items; }
  /// The item of a file that GetFile or Scan handed out.
  const Item& item(const duckdb::OpenFileInfo& file) const;
  /// Its number in the list: what `file_index` shows.
  static duckdb::idx_t ItemIndex(const duckdb::OpenFileInfo& file);

  duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
      duckdb::ClientContext& context, const duckdb::MultiFileOptions& options, duckdb::MultiFilePushdownInfo& info,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const override;

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
  duckdb::FileExpandResult GetExpandResult() const override;
  duckdb::idx_t GetTotalFileCount() const override { return order_ ? order_->size() : items().size(); }
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;

 protected:
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

 private:
  struct Contents {
    std::once_flag planned;
    std::shared_ptr<Plan> plan;
    std::vector<Item> items;
  };

  const Contents& contents() const;
  /// The number of the i-th item that is scanned.
  size_t NumberAt(duckdb::idx_t i) const { return order_ ? (*order_)[i] : i; }

  std::shared_ptr<const ScanSource> source_;
  std::shared_ptr<Contents> contents_;
  PredicatePtr predicate_;
  std::optional<std::vector<size_t>> order_;  ///< what of the items is scanned; nullopt: all
};

}  // namespace bactrian::sql
