#include "bactrian/table/plan/scan_target.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "bactrian/types/core_options.h"
#include "bactrian/value.h"

namespace bactrian {
namespace {

constexpr std::string_view kSnapshotId = "scan.snapshot-id";
constexpr std::string_view kTagName = "scan.tag-name";
constexpr std::string_view kTimestampMillis = "scan.timestamp-millis";
constexpr std::string_view kTimestamp = "scan.timestamp";
constexpr std::string_view kWatermark = "scan.watermark";
constexpr std::string_view kVersion = "scan.version";
constexpr std::string_view kCreationTime = "scan.creation-time-millis";
constexpr std::string_view kFileCreationTime = "scan.file-creation-time-millis";
constexpr std::string_view kBetween = "incremental-between";
constexpr std::string_view kBetweenTimestamp = "incremental-between-timestamp";
constexpr std::string_view kToAutoTag = "incremental-to-auto-tag";
constexpr std::string_view kIncrementalMode = "incremental-between-scan-mode";

constexpr std::string_view kPositions[] = {kSnapshotId, kTagName,          kTimestampMillis, kTimestamp,
                                           kWatermark,  kVersion,          kCreationTime,    kFileCreationTime,
                                           kBetween,    kBetweenTimestamp, kToAutoTag};

/// Positions that a scan.mode takes; a mode that is not here takes none.
const std::map<std::string_view, std::vector<std::string_view>>& PositionsOfModes() {
  static const auto* kModes = new std::map<std::string_view, std::vector<std::string_view>>{
      {"from-timestamp", {kTimestampMillis, kTimestamp}},
      {"from-snapshot", {kSnapshotId, kTagName, kWatermark, kVersion}},
      {"from-snapshot-full", {kSnapshotId}},
      {"from-creation-timestamp", {kCreationTime}},
      {"from-file-creation-time", {kFileCreationTime}},
      {"incremental", {kBetween, kBetweenTimestamp, kToAutoTag}}};
  return *kModes;
}

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Milliseconds since the epoch from digits or a time as text, read in UTC.
arrow::Result<int64_t> ParseTime(std::string_view option, const std::string& text) {
  if (auto millis = ParseInt(text)) return *millis;
  auto value = ParseValue(text, *DataType::WithPrecision(TypeRoot::kTimestamp, 3));
  if (!value.ok()) return Invalid("option ", option, ": '", text, "' is no time");
  return std::get<TimestampValue>(*value).millis;
}

class Resolver {
 public:
  explicit Resolver(const TableContext& context)
      : snapshots_(*context.snapshots), tags_(context.store, context.paths), options_(context.schema->options) {}

  arrow::Result<ScanTarget> Resolve() {
    ARROW_RETURN_NOT_OK(Check());
    const std::string mode = options_.GetString("scan.mode", "default");
    if (position_.empty()) return WithoutPosition(mode);
    if (position_ == kBetween || position_ == kBetweenTimestamp || position_ == kToAutoTag) return Incremental();
    ScanTarget target;
    target.pins_schema = true;
    if (position_ == kCreationTime) return FromCreationTime();
    if (position_ == kFileCreationTime) {
      ARROW_ASSIGN_OR_RAISE(target.snapshot, snapshots_.Latest());
      ARROW_ASSIGN_OR_RAISE(int64_t millis, Number(kFileCreationTime));
      target.created_from_millis = millis + 1;
      target.pins_schema = false;
      return target;
    }
    ARROW_ASSIGN_OR_RAISE(target.snapshot, Position());
    return target;
  }

  arrow::Result<ScanStart> ResolveStart() {
    ARROW_RETURN_NOT_OK(Check());
    const std::string mode = options_.GetString("scan.mode", "default");
    ScanStart start;
    if (position_.empty() || position_ == kFileCreationTime) {
      if (mode == "latest-delta") return Invalid("option scan.mode=latest-delta: no stream can start from it");
      if (mode == "latest") start.mode = ScanStartMode::kLatest;
      return start;
    }
    if (position_ == kSnapshotId) {
      start.mode = mode == "from-snapshot-full" ? ScanStartMode::kFromSnapshotFull : ScanStartMode::kFromSnapshot;
      ARROW_ASSIGN_OR_RAISE(start.number, Number(kSnapshotId));
      return start;
    }
    if (position_ == kTimestamp || position_ == kTimestampMillis) {
      start.mode = ScanStartMode::kFromTime;
      ARROW_ASSIGN_OR_RAISE(start.number, ParseTime(position_, options_.GetString(position_, "")));
      return start;
    }
    if (position_ != kCreationTime) return Invalid("option ", position_, ": no stream can start from it");
    ARROW_ASSIGN_OR_RAISE(const ScanTarget target, FromCreationTime());
    if (!target.snapshot || target.created_from_millis) return start;
    return ScanStart{ScanStartMode::kFromSnapshot, target.snapshot->id};
  }

 private:
  /// Exactly one position, and one that the mode takes.
  arrow::Status Check() {
    for (std::string_view option : kPositions) {
      if (!options_.Get(option)) continue;
      if (!position_.empty()) return Invalid("options ", position_, " and ", option, " exclude each other");
      position_ = option;
    }
    const std::string mode = options_.GetString("scan.mode", "default");
    if (mode == "default") return arrow::Status::OK();
    const auto found = PositionsOfModes().find(mode);
    if (found == PositionsOfModes().end()) {
      static constexpr std::string_view kModes[] = {"latest-full", "full", "latest", "latest-delta", "compacted-full"};
      if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes)) {
        return Invalid("option scan.mode: unknown mode '", mode, "'");
      }
      if (!position_.empty()) return Invalid("options scan.mode=", mode, " and ", position_, " exclude each other");
      return arrow::Status::OK();
    }
    if (std::find(found->second.begin(), found->second.end(), position_) != found->second.end()) return arrow::Status::OK();
    if (position_.empty()) return Invalid("option scan.mode=", mode, " needs option ", found->second.front());
    return Invalid("options scan.mode=", mode, " and ", position_, " exclude each other");
  }

  arrow::Result<int64_t> Number(std::string_view option) {
    const std::string text = options_.GetString(option, "");
    if (auto value = ParseInt(text)) return *value;
    return Invalid("option ", option, ": '", text, "' is no number");
  }

  arrow::Result<ScanTarget> WithoutPosition(const std::string& mode) {
    ScanTarget target;
    ARROW_ASSIGN_OR_RAISE(target.snapshot, snapshots_.Latest());
    if (!target.snapshot) return target;
    if (mode == "latest-delta") target.changes_of = {*target.snapshot};
    if (mode == "compacted-full") {
      ARROW_ASSIGN_OR_RAISE(target.snapshot, LatestCompacted(target.snapshot->id));
    }
    return target;
  }

  /// The newest COMPACT snapshot, or the newest on a multiple of full-compaction.delta-commits where that is set.
  arrow::Result<std::optional<Snapshot>> LatestCompacted(int64_t latest) {
    ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> earliest, snapshots_.EarliestId());
    ARROW_ASSIGN_OR_RAISE(int64_t delta_commits, options_.GetInt("full-compaction.delta-commits", 0));
    for (int64_t id = latest; id >= earliest.value_or(1); --id) {
      ARROW_ASSIGN_OR_RAISE(Snapshot snapshot, snapshots_.Load(id));
      const bool multiple = delta_commits > 0 && snapshot.commit_identifier % delta_commits == 0;
      if (snapshot.commit_kind == CommitKind::kCompact &&
          (delta_commits <= 0 || multiple || snapshot.commit_identifier == INT64_MAX)) {
        return snapshot;
      }
    }
    return std::nullopt;
  }

  arrow::Result<Snapshot> OfTag(const std::string& name) {
    ARROW_ASSIGN_OR_RAISE(std::optional<Tag> tag, tags_.Load(name));
    if (!tag) return NotFound("there is no tag '", name, "'");
    return tag->snapshot;
  }

  arrow::Result<Snapshot> AtTime(int64_t millis) {
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> snapshot, snapshots_.AtOrBeforeTime(millis));
    if (!snapshot) return NotFound("there is no snapshot at or before time ", millis, " (milliseconds since the epoch)");
    return *snapshot;
  }

  arrow::Result<Snapshot> AtWatermark(int64_t watermark) {
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> snapshot, snapshots_.AtOrAfterWatermark(watermark));
    if (!snapshot) return NotFound("there is no snapshot with a watermark of at least ", watermark);
    return *snapshot;
  }

  /// A tag's name, "watermark-<n>" or a snapshot id, tried in this order.
  arrow::Result<Snapshot> OfVersion(const std::string& version) {
    constexpr std::string_view kWatermarkPrefix = "watermark-";
    ARROW_ASSIGN_OR_RAISE(std::optional<Tag> tag, tags_.Load(version));
    if (tag) return tag->snapshot;
    if (version.starts_with(kWatermarkPrefix)) {
      if (auto watermark = ParseInt(std::string_view(version).substr(kWatermarkPrefix.size()))) return AtWatermark(*watermark);
    }
    if (auto id = ParseInt(version)) return snapshots_.Load(*id);
    return NotFound("version '", version, "' is neither a tag nor a snapshot id");
  }

  arrow::Result<Snapshot> Position() {
    const std::string text = options_.GetString(position_, "");
    if (position_ == kTagName) return OfTag(text);
    if (position_ == kVersion) return OfVersion(text);
    if (position_ == kTimestamp || position_ == kTimestampMillis) {
      ARROW_ASSIGN_OR_RAISE(int64_t millis, ParseTime(position_, text));
      return AtTime(millis);
    }
    ARROW_ASSIGN_OR_RAISE(int64_t number, Number(position_));
    return position_ == kWatermark ? AtWatermark(number) : snapshots_.Load(number);
  }

  /// The first snapshot at or after the time if an older one proves that none was expired, else the newest state's files
  /// since then.
  arrow::Result<ScanTarget> FromCreationTime() {
    ScanTarget target;
    ARROW_ASSIGN_OR_RAISE(int64_t millis, Number(kCreationTime));
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> before, snapshots_.AtOrBeforeTime(millis - 1));
    ARROW_ASSIGN_OR_RAISE(target.snapshot, snapshots_.Latest());
    if (before && target.snapshot && before->id < target.snapshot->id) {
      ARROW_ASSIGN_OR_RAISE(target.snapshot, snapshots_.Load(before->id + 1));
      target.pins_schema = true;
    } else {
      target.created_from_millis = millis;
    }
    return target;
  }

  arrow::Result<ScanTarget> Incremental() {
    if (position_ == kToAutoTag) return Unsupported("option ", kToAutoTag, " is not supported yet");
    const std::string text = options_.GetString(position_, "");
    const size_t comma = text.find(',');
    if (comma == std::string::npos) return Invalid("option ", position_, ": '", text, "' is not of the form start,end");
    const std::string start = text.substr(0, comma), end = text.substr(comma + 1);
    const std::string mode = options_.GetString(kIncrementalMode, "auto");
    if (mode != "auto" && mode != "delta" && mode != "changelog" && mode != "diff") {
      return Invalid("option ", kIncrementalMode, ": unknown mode '", mode, "'");
    }
    if (position_ == kBetween) {
      ARROW_ASSIGN_OR_RAISE(std::optional<Tag> start_tag, tags_.Load(start));
      ARROW_ASSIGN_OR_RAISE(std::optional<Tag> end_tag, tags_.Load(end));
      if (start_tag && end_tag) return BetweenTags(*start_tag, *end_tag, mode);
      if (!ParseInt(start) || !ParseInt(end)) return Invalid("option ", position_, ": '", text, "' names neither tags nor ids");
      return BetweenIds(*ParseInt(start), *ParseInt(end), mode);
    }
    ARROW_ASSIGN_OR_RAISE(int64_t start_millis, ParseTime(position_, start));
    ARROW_ASSIGN_OR_RAISE(int64_t end_millis, ParseTime(position_, end));
    return BetweenTimes(start_millis, end_millis, mode);
  }

  arrow::Result<ScanTarget> BetweenTimes(int64_t start, int64_t end, const std::string& mode) {
    if (end < start) return Invalid("option ", position_, ": the end ", end, " is before the start ", start);
    ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> earliest, snapshots_.EarliestId());
    if (!earliest) return ScanTarget{};
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> first, snapshots_.AtOrBeforeTime(start));
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> last, snapshots_.AtOrBeforeTime(end));
    if (!last) return ScanTarget{};
    // What an expired snapshot held is not known: a difference can only start at the earliest that is left.
    int64_t start_id = *earliest - 1;
    if (first) {
      start_id = first->id;
    } else if (mode == "diff" && *earliest > 1) {
      start_id = *earliest;
    }
    return BetweenIds(start_id, last->id, mode);
  }

  arrow::Result<ScanTarget> BetweenTags(const Tag& start, const Tag& end, const std::string& mode) {
    ARROW_ASSIGN_OR_RAISE(bool to_snapshot, options_.GetBool("incremental-between-tag-to-snapshot", false));
    if (to_snapshot) return BetweenIds(start.snapshot.id, end.snapshot.id, mode);
    if (end.snapshot.id < start.snapshot.id) {
      return Invalid("option ", position_, ": tag ", end.name, " is of an older snapshot than tag ", start.name);
    }
    ScanTarget target;
    if (end.snapshot.id == start.snapshot.id) return target;
    target.snapshot = end.snapshot;
    target.since = start.snapshot;
    return target;
  }

  arrow::Result<ScanTarget> BetweenIds(int64_t start, int64_t end, const std::string& mode) {
    ScanTarget target;
    if (end < start) return Invalid("option ", position_, ": the end ", end, " is before the start ", start);
    ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> earliest, snapshots_.EarliestId());
    ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> latest, snapshots_.LatestId());
    if (!earliest || !latest || start == end) return target;
    if (start < *earliest - 1 || end > *latest) {
      return Invalid("option ", position_, ": (", start, ", ", end, "] is not within the snapshots ", *earliest, " to ",
                     *latest);
    }
    if (mode == "diff") {
      ARROW_ASSIGN_OR_RAISE(target.snapshot, snapshots_.Load(end));
      if (start >= *earliest) {
        ARROW_ASSIGN_OR_RAISE(target.since, snapshots_.Load(start));
      }
      return target;
    }
    const bool has_changelog = options_.GetString("changelog-producer", "none") != "none";
    if (mode == "changelog" || (mode == "auto" && has_changelog)) {
      target.changelog = true;
    }
    target.changes_of.emplace();
    for (int64_t id = start + 1; id <= end; ++id) {
      ARROW_ASSIGN_OR_RAISE(Snapshot snapshot, snapshots_.Load(id));
      target.snapshot = snapshot;
      const bool shows =
          target.changelog ? snapshot.commit_kind != CommitKind::kOverwrite : snapshot.commit_kind == CommitKind::kAppend;
      if (shows) target.changes_of->push_back(std::move(snapshot));
    }
    return target;
  }

  const SnapshotStore& snapshots_;
  TagStore tags_;
  CoreOptions options_;
  std::string_view position_;
};

}  // namespace

Options ScanTargetOptions(const Options& options) {
  Options named;
  for (const auto& [key, value] : options) {
    const bool is_position = std::find(std::begin(kPositions), std::end(kPositions), key) != std::end(kPositions);
    if (is_position || key == "scan.mode" || key == kIncrementalMode) named.emplace(key, value);
  }
  return named;
}

bool NamesScanTarget(const Options& options) {
  return std::any_of(std::begin(kPositions), std::end(kPositions),
                     [&](std::string_view option) { return options.contains(std::string(option)); });
}

arrow::Result<ScanTarget> ResolveScanTarget(const TableContext& context) { return Resolver(context).Resolve(); }

arrow::Result<ScanStart> ResolveScanStart(const TableContext& context) { return Resolver(context).ResolveStart(); }

}  // namespace bactrian
