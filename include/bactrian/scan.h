/// Reading: a Scan says what is wanted, a Plan says which files hold it, a reader streams Arrow batches of a split.
///
///   auto scan = table->NewScan();
///   scan.Select({"id", "name"}).Filter(predicate).Limit(100);
///   ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, scan.MakePlan());
///   for (const auto& split : plan->splits()) {
///     ARROW_ASSIGN_OR_RAISE(auto reader, plan->Read(*split));
///     for (std::shared_ptr<arrow::RecordBatch> batch; reader->ReadNext(&batch).ok() && batch;) Use(*batch);
///   }
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/predicate.h"
#include "bactrian/schema.h"

namespace bactrian {

class ChangeStream;
class Table;

/// How sure a figure is.
enum class Precision : uint8_t { kAbsent, kBound, kExact };

struct ColumnStatistics {
  Precision precision = Precision::kAbsent;  ///< of min and max: kExact, or bounds that hold all values
  Value min, max;
  std::optional<int64_t> null_count;      ///< exact, or absent
  std::optional<int64_t> distinct_count;  ///< an estimate, from the table's statistics file
};

struct PlanStatistics {
  Precision row_count_precision = Precision::kAbsent;
  int64_t row_count = 0;
  int64_t bytes = 0;  ///< of the data files
  std::map<std::string, ColumnStatistics> columns;
};

/// What planning did, for EXPLAIN and for tests.
struct PlanMetrics {
  int64_t manifests_total = 0, manifests_read = 0;
  int64_t entries_read = 0;  ///< decoded whole
  int64_t files_total = 0;   ///< live in the manifests that were read
  int64_t files_after_partition = 0, files_after_bucket = 0, files_after_stats = 0, files_after_index = 0, files_kept = 0;
};

/// Which layers may prune (tests switch them off; results never change).
struct ScanPruning {
  bool manifests = true, partitions = true, buckets = true, file_stats = true, file_index = true;
  bool row_groups = true, pages = true, bloom_filters = true, late_materialization = true;
};

/// A unit of work that one thread reads: files of one partition and bucket. Immutable.
class BACTRIAN_EXPORT Split {
 public:
  virtual ~Split() = default;
  virtual int64_t row_count() const = 0;  ///< physical rows, deleted ones included
  virtual int64_t bytes() const = 0;
  virtual int num_files() const = 0;
  virtual int32_t bucket() const = 0;
  virtual const std::string& bucket_path() const = 0;       ///< absolute
  virtual const std::vector<Value>& partition() const = 0;  ///< in partition-key order
  /// Rows after deletes, where that is known exactly.
  virtual std::optional<int64_t> exact_row_count() const = 0;
};

/// Immutable; may be read from many threads, each split by one thread at a time.
class BACTRIAN_EXPORT Plan {
 public:
  virtual ~Plan() = default;
  virtual std::optional<int64_t> snapshot_id() const = 0;  ///< nullopt: the table has no snapshot
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  virtual const std::vector<std::shared_ptr<const Split>>& splits() const = 0;
  virtual const PlanStatistics& statistics() const = 0;
  virtual const PlanMetrics& metrics() const = 0;
  /// Batches of one split with schema(). The scan's filter has been applied exactly; the limit bounds each reader.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const Split& split) const = 0;
  /// All splits one after the other, at most `limit` rows in all.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadAll() const = 0;
};

/// Not thread-safe; cheap to copy.
class BACTRIAN_EXPORT Scan {
 public:
  explicit Scan(std::shared_ptr<Table> table) : table_(std::move(table)) {}
  /// Columns in order; the default is all of the table's. kInvalid at MakePlan for an unknown one. Besides columns,
  /// `_VALUE_KIND` (int8, the row kind: 0 +I, 1 -U, 2 +U, 3 -D) may be named, and `_SEQUENCE_NUMBER` (int64) of primary-key
  /// tables and of those with row tracking, which have `_ROW_ID` (int64) as well.
  Scan& Select(std::vector<std::string> columns) {
    columns_ = std::move(columns);
    return *this;
  }
  Scan& Filter(PredicatePtr predicate) {
    predicate_ = std::move(predicate);
    return *this;
  }
  Scan& Limit(int64_t limit) {
    limit_ = limit;
    return *this;
  }
  Scan& BatchRows(int64_t rows) {
    batch_rows_ = rows;
    return *this;
  }
  Scan& StringViews(bool views) {
    string_views_ = views;
    return *this;
  }
  /// Rows that a merge by primary key ends as deleted are returned too, with kind -D (as in the audit log).
  Scan& KeepDeletes(bool keep) {
    keep_deletes_ = keep;
    return *this;
  }
  Scan& Pruning(ScanPruning pruning) {
    pruning_ = pruning;
    return *this;
  }
  arrow::Result<std::shared_ptr<Plan>> MakePlan() const;
  /// The scan over states and changes as they come (stream.h). The limit bounds each plan. kUnsupported for tables that cannot
  /// be followed (system tables but the audit log and the binlog).
  arrow::Result<std::unique_ptr<ChangeStream>> OpenStream() const;

  const std::shared_ptr<Table>& table() const { return table_; }
  const std::optional<std::vector<std::string>>& columns() const { return columns_; }
  const PredicatePtr& predicate() const { return predicate_; }
  std::optional<int64_t> limit() const { return limit_; }
  int64_t batch_rows() const { return batch_rows_; }
  bool string_views() const { return string_views_; }
  bool keep_deletes() const { return keep_deletes_; }
  const ScanPruning& pruning() const { return pruning_; }

 private:
  std::shared_ptr<Table> table_;
  std::optional<std::vector<std::string>> columns_;
  PredicatePtr predicate_;
  std::optional<int64_t> limit_;
  int64_t batch_rows_ = 16384;
  bool string_views_ = false;
  bool keep_deletes_ = false;
  ScanPruning pruning_;
};

}  // namespace bactrian
