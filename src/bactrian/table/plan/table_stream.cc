#include "bactrian/table/plan/table_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bactrian/base/wall_clock.h"
#include "bactrian/meta/changelog_store.h"
#include "bactrian/meta/consumer_store.h"
#include "bactrian/table/plan/scan_target.h"
#include "bactrian/table/plan/table_plan.h"
#include "bactrian/types/core_options.h"

namespace bactrian {
namespace {

/// Where a stream begins: at a state, which is read whole, or with the changes of a snapshot.
struct Start {
  std::optional<ScanTarget> state = std::nullopt;
  std::optional<int64_t> next = std::nullopt;  ///< neither: the table has no snapshot yet
};

/// Finds the start in the options. Not thread-safe.
class StartFinder {
 public:
  explicit StartFinder(const TableContext& context)
      : context_(context), options_(context.schema->options), changelogs_(context.store, context.paths) {}

  arrow::Result<Start> Find() const {
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> progress, ConsumerProgress());
    if (progress) return FromSnapshot(*progress);
    ARROW_ASSIGN_OR_RAISE(const ScanStart start, ResolveScanStart(context_));
    switch (start.mode) {
      case ScanStartMode::kLatest: {
        ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> latest, context_.snapshots->LatestId());
        return Start{.next = latest ? std::optional(*latest + 1) : std::nullopt};
      }
      case ScanStartMode::kFromTime:
        return FromTime(start.number);
      case ScanStartMode::kFromSnapshot:
        return FromSnapshot(start.number);
      case ScanStartMode::kFromSnapshotFull: {
        ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> earliest, context_.snapshots->EarliestId());
        if (!earliest) return Start{};
        ARROW_ASSIGN_OR_RAISE(Snapshot snapshot, context_.snapshots->Load(std::max(start.number, *earliest)));
        return Start{.state = ScanTarget{.snapshot = std::move(snapshot)}};
      }
      case ScanStartMode::kState:
        break;
    }
    ARROW_ASSIGN_OR_RAISE(ScanTarget target, ResolveScanTarget(context_));
    if (!target.snapshot) return Start{};
    return Start{.state = std::move(target)};
  }

 private:
  arrow::Result<std::optional<int64_t>> ConsumerProgress() const {
    const std::optional<std::string> id = options_.Get("consumer-id");
    ARROW_ASSIGN_OR_RAISE(const bool ignored, options_.GetBool("consumer.ignore-progress", false));
    if (!id || ignored) return std::nullopt;
    ARROW_ASSIGN_OR_RAISE(const std::optional<Consumer> consumer, ConsumerStore(context_.store, context_.paths).Load(*id));
    return consumer ? std::optional(consumer->next_snapshot) : std::nullopt;
  }

  /// The oldest snapshot or changelog that is left.
  arrow::Result<std::optional<int64_t>> Earliest() const {
    ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> changelogs, changelogs_.ListIds());
    if (!changelogs.empty()) return changelogs.front();
    return context_.snapshots->EarliestId();
  }

  arrow::Result<Start> FromSnapshot(int64_t id) const {
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> earliest, Earliest());
    if (!earliest) return Start{};
    return Start{.next = std::max(id, *earliest)};
  }

  /// The first snapshot or changelog at or after the time.
  arrow::Result<Start> FromTime(int64_t millis) const {
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> earliest, Earliest());
    if (!earliest) return Start{};
    ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> before, context_.snapshots->AtOrBeforeTime(millis - 1));
    if (before) return Start{.next = before->id + 1};
    ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> changelogs, changelogs_.ListIds());
    for (int64_t id : changelogs) {
      ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> changelog, changelogs_.Load(id));
      if (changelog && changelog->time_millis >= millis) return Start{.next = id};
    }
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> snapshot, context_.snapshots->EarliestId());
    return Start{.next = snapshot};
  }

  const TableContext& context_;
  const CoreOptions options_;
  const ChangelogStore changelogs_;
};

class TableStream final : public ChangeStream {
 public:
  TableStream(const TableContext& context, std::shared_ptr<Session> session, const Scan& scan)
      : context_(context),
        session_(std::move(session)),
        scan_(scan),
        options_(context_.schema->options),
        changelogs_(context_.store, context_.paths) {}

  arrow::Status Init() {
    const std::string producer = options_.GetString("changelog-producer", "none");
    has_changelog_ = producer != "none";
    if (producer == "lookup") state_levels_ = ScanLevels::kAboveZero;
    if (producer == "full-compaction") state_levels_ = ScanLevels::kTop;
    const bool has_keys = context_.schema->is_primary_key_table();
    ARROW_ASSIGN_OR_RAISE(reads_overwrites_,
                          options_.GetBool(has_keys ? "streaming-read-overwrite" : "streaming-read-append-overwrite", false));
    if (has_keys && reads_overwrites_ && state_levels_ != ScanLevels::kAll) {
      return Invalid("option streaming-read-overwrite: changes would show twice with changelog-producer=", producer);
    }
    if (options_.Get("scan.bounded.watermark")) {
      ARROW_ASSIGN_OR_RAISE(bounded_watermark_, options_.GetInt("scan.bounded.watermark", 0));
    }
    ARROW_ASSIGN_OR_RAISE(delay_millis_, options_.GetDurationMillis("streaming.read.snapshot.delay", 0));
    return CheckStart();
  }

  arrow::Result<std::shared_ptr<Plan>> Poll() override {
    if (ended_) return nullptr;
    if (!next_) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> state, First());
      if (state || ended_ || !next_) return state;
    }
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> snapshot, Next());
      if (!snapshot) return nullptr;
      if (Ends(*snapshot)) {
        ended_ = true;
        return nullptr;
      }
      if (delay_millis_ > 0 && snapshot->time_millis > WallClockMillis() - delay_millis_) return nullptr;
      std::shared_ptr<Plan> plan;
      if (const std::optional<ScanTarget> changes = ChangesOf(*snapshot)) {
        ARROW_ASSIGN_OR_RAISE(plan, PlanTarget(context_, session_, scan_, *changes));
      }
      next_ = snapshot->id + 1;
      watermark_ = snapshot->watermark;
      if (plan && !plan->splits().empty()) return plan;
    }
  }

  bool ended() const override { return ended_; }
  std::optional<int64_t> watermark() const override { return watermark_; }
  std::optional<int64_t> Checkpoint() const override { return next_; }
  void Restore(std::optional<int64_t> next_snapshot) override {
    next_ = next_snapshot;
    ended_ = false;
  }

  arrow::Status Acknowledge(int64_t next_snapshot) override {
    const std::optional<std::string> id = options_.Get("consumer-id");
    if (!id) return arrow::Status::OK();
    return ConsumerStore(context_.store, context_.paths).Put({*id, next_snapshot});
  }

 private:
  /// Errors of the options show when the stream is made, also while the table is empty.
  arrow::Status CheckStart() const { return StartFinder(context_).Find().status(); }

  /// Sets next_ unless the table is empty; the state to begin with, if there is one.
  arrow::Result<std::shared_ptr<Plan>> First() {
    ARROW_ASSIGN_OR_RAISE(Start start, StartFinder(context_).Find());
    if (!start.state) {
      next_ = start.next;
      return nullptr;
    }
    start.state->levels = state_levels_;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Plan> plan, PlanTarget(context_, session_, scan_, *start.state));
    const Snapshot& snapshot = *start.state->snapshot;
    next_ = snapshot.id + 1;
    watermark_ = snapshot.watermark;
    ended_ = Ends(snapshot);
    return plan->splits().empty() ? nullptr : plan;
  }

  bool Ends(const Snapshot& snapshot) const {
    return bounded_watermark_ && snapshot.watermark && *snapshot.watermark > *bounded_watermark_;
  }

  /// The snapshot to look at, or what is left of it; nullopt while it is not there yet.
  arrow::Result<std::optional<Snapshot>> Next() const {
    arrow::Result<Snapshot> snapshot = context_.snapshots->Load(*next_);
    if (snapshot.ok()) return *std::move(snapshot);
    const ErrorKind error = KindOf(snapshot.status());
    if (error != ErrorKind::kNotFound && error != ErrorKind::kSnapshotExpired) return snapshot.status();
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> changelog, changelogs_.Load(*next_));
    if (changelog) return changelog;
    if (error == ErrorKind::kSnapshotExpired) return snapshot.status();
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> latest, context_.snapshots->LatestId());
    if (*next_ > latest.value_or(0) + 1) {
      return NotFound("snapshot ", *next_, " of ", context_.paths.MetaRoot(), " is to come next, but the newest is ",
                      latest.value_or(0), ": the table was rolled back or made anew");
    }
    return std::nullopt;
  }

  std::optional<ScanTarget> ChangesOf(const Snapshot& snapshot) const {
    if (snapshot.commit_kind == CommitKind::kOverwrite && reads_overwrites_) {
      if (context_.schema->is_primary_key_table()) return ScanTarget{.snapshot = snapshot, .replaced = true};
      return ScanTarget{.snapshot = snapshot, .changes_of = {{snapshot}}};
    }
    const bool shows =
        has_changelog_ ? snapshot.changelog_manifest_list.has_value() : snapshot.commit_kind == CommitKind::kAppend;
    if (!shows) return std::nullopt;
    return ScanTarget{.snapshot = snapshot, .changes_of = {{snapshot}}, .changelog = has_changelog_};
  }

  const TableContext context_;
  const std::shared_ptr<Session> session_;
  const Scan scan_;
  const CoreOptions options_;
  const ChangelogStore changelogs_;
  bool has_changelog_ = false, reads_overwrites_ = false;
  ScanLevels state_levels_ = ScanLevels::kAll;
  std::optional<int64_t> bounded_watermark_;
  int64_t delay_millis_ = 0;

  std::optional<int64_t> next_, watermark_;
  bool ended_ = false;
};

}  // namespace

arrow::Result<std::unique_ptr<ChangeStream>> MakeTableStream(const TableContext& context, std::shared_ptr<Session> session,
                                                             const Scan& scan) {
  auto stream = std::make_unique<TableStream>(context, std::move(session), scan);
  ARROW_RETURN_NOT_OK(stream->Init());
  return stream;
}

}  // namespace bactrian
