#include <algorithm>
#include <chrono>
#include <cmath>

#include "bactrian/base/json.h"
#include "bactrian/meta/snapshot.h"

namespace bactrian {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kTagPrefix = "tag-";
constexpr std::string_view kBranchPrefix = "branch-";

/// Jackson's LocalDateTime: [year, month, day, hour, minute] and then second and nanosecond unless they and what follows is
/// zero.
arrow::Result<TimestampValue> ParseLocalDateTime(const json& array) {
  int64_t parts[7] = {1970, 1, 1, 0, 0, 0, 0};
  constexpr int64_t kMin[7] = {-999999, 1, 1, 0, 0, 0, 0};
  constexpr int64_t kMax[7] = {999999, 12, 31, 23, 59, 59, 999999999};
  if (!array.is_array() || array.size() < 3 || array.size() > 7) return Corrupt("tag: malformed \"tagCreateTime\"");
  for (size_t i = 0; i < array.size(); ++i) {
    if (!array[i].is_number_integer()) return Corrupt("tag: malformed \"tagCreateTime\"");
    parts[i] = array[i].get<int64_t>();
    if (parts[i] < kMin[i] || parts[i] > kMax[i]) return Corrupt("tag: \"tagCreateTime\" out of range");
  }
  using namespace std::chrono;  // NOLINT(build/namespaces)
  // std::chrono's years hold ±32767, as much as any clock will say.
  if (std::abs(parts[0]) > 32767) return Corrupt("tag: \"tagCreateTime\" out of range");
  sys_days day = year(static_cast<int>(parts[0])) / static_cast<int>(parts[1]) / static_cast<int>(parts[2]);
  int64_t seconds = int64_t{day.time_since_epoch().count()} * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5];
  return TimestampValue{seconds * 1000 + parts[6] / 1000000, static_cast<int32_t>(parts[6] % 1000000)};
}

ordered_json LocalDateTimeJson(const TimestampValue& time) {
  using namespace std::chrono;  // NOLINT(build/namespaces)
  sys_time<milliseconds> instant{milliseconds(time.millis)};
  auto day = floor<days>(instant);
  year_month_day date{day};
  hh_mm_ss clock{instant - day};
  int64_t nanos = clock.subseconds().count() * 1000000 + time.nanos;
  ordered_json array = {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                        clock.hours().count(), clock.minutes().count()};
  if (clock.seconds().count() > 0 || nanos > 0) array.push_back(clock.seconds().count());
  if (nanos > 0) array.push_back(nanos);
  return array;
}

arrow::Status CheckTagName(std::string_view name) {
  const bool blank = name.find_first_not_of(" \t\n\r") == std::string_view::npos;
  if (blank || name.find('/') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    return Invalid("tag name \"", name, "\" is blank or holds a slash");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<Tag> Tag::FromJson(std::string_view name, std::string_view text) {
  Tag tag;
  tag.name = name;
  ARROW_ASSIGN_OR_RAISE(tag.snapshot, Snapshot::FromJson(text));
  ARROW_ASSIGN_OR_RAISE(json document, ParseJson(text, "tag"));
  if (auto it = document.find("tagCreateTime"); it != document.end() && !it->is_null()) {
    ARROW_ASSIGN_OR_RAISE(tag.create_time, ParseLocalDateTime(*it));
  }
  if (auto it = document.find("tagTimeRetained"); it != document.end() && !it->is_null()) {
    if (!it->is_number()) return Corrupt("tag: \"tagTimeRetained\" is not a number");
    tag.time_retained_seconds = it->get<double>();
  }
  return tag;
}

std::string Tag::ToJson() const {
  std::string text = snapshot.ToJson();
  text.resize(text.size() - 2);  // "\n}"
  if (create_time) text += ",\n  \"tagCreateTime\" : " + PrettyJson(LocalDateTimeJson(*create_time));
  if (time_retained_seconds) {
    char seconds[64];
    std::snprintf(seconds, sizeof seconds, "%.9f", *time_retained_seconds);
    text += std::string(",\n  \"tagTimeRetained\" : ") + seconds;
  }
  return text + "\n}";
}

arrow::Result<std::optional<Tag>> TagStore::Load(std::string_view name) const {
  ARROW_RETURN_NOT_OK(CheckTagName(name));
  const std::string path = paths_.TagFile(name);
  auto text = store_->ReadAll(path);
  if (!text.ok()) {
    if (KindOf(text.status()) == ErrorKind::kNotFound) return std::nullopt;
    return text.status();
  }
  auto tag = Tag::FromJson(name, *text);
  if (!tag.ok()) return tag.status().WithMessage(path, ": ", tag.status().message());
  return *std::move(tag);
}

arrow::Result<std::vector<Tag>> TagStore::List() const {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileStatus> files, store_->List(paths_.TagDirectory()));
  std::vector<Tag> tags;
  for (const FileStatus& file : files) {
    std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
    if (file.is_directory || name.substr(0, kTagPrefix.size()) != kTagPrefix) continue;
    ARROW_ASSIGN_OR_RAISE(std::optional<Tag> tag, Load(name.substr(kTagPrefix.size())));
    if (tag) tags.push_back(*std::move(tag));  // deleted meanwhile: not there
  }
  std::sort(tags.begin(), tags.end(), [](const Tag& a, const Tag& b) { return a.name < b.name; });
  return tags;
}

arrow::Status TagStore::Create(const Tag& tag, bool replace) const {
  ARROW_RETURN_NOT_OK(CheckTagName(tag.name));
  if (replace) return store_->Overwrite(paths_.TagFile(tag.name), tag.ToJson());
  arrow::Status status = store_->PutIfAbsent(paths_.TagFile(tag.name), tag.ToJson());
  if (!status.ok() && KindOf(status) == ErrorKind::kAlreadyExists)
    return AlreadyExists("tag \"", tag.name, "\" already exists");
  return status;
}

arrow::Status TagStore::Delete(std::string_view name) const {
  ARROW_RETURN_NOT_OK(CheckTagName(name));
  ARROW_ASSIGN_OR_RAISE(bool exists, store_->Exists(paths_.TagFile(name)));
  if (!exists) return NotFound("tag \"", name, "\" does not exist");
  return store_->DeleteFile(paths_.TagFile(name));
}

arrow::Result<std::vector<Branch>> ListBranches(FileStore& store, const TablePaths& paths) {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileStatus> files, store.List(paths.BranchDirectory()));
  std::vector<Branch> branches;
  for (const FileStatus& file : files) {
    std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
    if (!file.is_directory || name.substr(0, kBranchPrefix.size()) != kBranchPrefix) continue;
    branches.push_back({std::string(name.substr(kBranchPrefix.size())), file.modified_millis});
  }
  std::sort(branches.begin(), branches.end(), [](const Branch& a, const Branch& b) { return a.name < b.name; });
  return branches;
}

}  // namespace bactrian
