/// Following a table: a state first, where the start asks for one, then the changes of one snapshot after the other
/// (format reference: query.md §5).
///
///   ARROW_ASSIGN_OR_RAISE(std::unique_ptr<ChangeStream> stream, table->NewScan().OpenStream());
///   stream->Restore(checkpoint);                                   // of an earlier run, if there was one
///   while (true) {
///     ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, stream->Poll());
///     if (!plan) break;                                            // nothing new: try again later
///     … read plan->splits(), select "_VALUE_KIND" to tell changes apart …
///     if (auto next = stream->Checkpoint()) { … store *next; ARROW_RETURN_NOT_OK(stream->Acknowledge(*next)); }
///   }
///
/// The start is that of the table's or handle's options: a consumer's progress (option `consumer-id`, unless
/// `consumer.ignore-progress`), else `scan.mode` and the position it needs: latest-full (default), latest, from-timestamp,
/// from-snapshot (changes from that id on), from-snapshot-full (that state, then changes), compacted-full,
/// from-creation-timestamp, from-file-creation-time. Without a changelog producer the changes are the rows that APPEND
/// snapshots added, each with its kind; with one they are the changelog. Overwrites show with `streaming-read-overwrite`
/// (append tables: `streaming-read-append-overwrite`, new rows only). Snapshots that have expired are read from their changelog
/// where the table keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "bactrian/scan.h"
#include "bactrian/status.h"

namespace bactrian {

/// A pull: nothing runs between calls. Not thread-safe; plans that it returned are immutable and may be read in other threads.
class BACTRIAN_EXPORT ChangeStream {
 public:
  virtual ~ChangeStream() = default;

  /// The next plan that has splits; nullptr: nothing new, or ended(). Errors leave the stream where it was. kSnapshotExpired:
  /// the next snapshot is gone and so is its changelog; kNotFound: it is further on than the table, which was rolled back or
  /// made anew.
  virtual arrow::Result<std::shared_ptr<Plan>> Poll() = 0;
  /// A snapshot with a watermark at or above `scan.bounded.watermark` was reached.
  virtual bool ended() const = 0;
  /// Of the last plan.
  virtual std::optional<int64_t> watermark() const = 0;

  /// The snapshot that the next Poll looks at; nullopt before the first plan. All before it has been returned.
  virtual std::optional<int64_t> Checkpoint() const = 0;
  /// Goes on from a checkpoint; nullopt: from the start.
  virtual void Restore(std::optional<int64_t> next_snapshot) = 0;
  /// Records that all before `next_snapshot` has been processed under the option `consumer-id`, so that expiry keeps what comes
  /// after it. Does nothing without a consumer.
  virtual arrow::Status Acknowledge(int64_t next_snapshot) = 0;
};

}  // namespace bactrian
