#include "bactrian/table/write/external_paths.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <charconv>
#include <random>
#include <string_view>

#include "bactrian/io/file_store.h"
#include "bactrian/types/core_options.h"

namespace bactrian {

namespace {

constexpr std::string_view kPathsKey = "data-file.external-paths";

std::vector<std::string> SplitByComma(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && (part.back() == ' ' || part.back() == '/')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

/// Murmur3 x86-32 with seed 0, as it stands in the books (the one of binary rows treats trailing bytes otherwise).
uint32_t Murmur3(std::string_view bytes) {
  constexpr uint32_t kFirst = 0xcc9e2d51, kSecond = 0x1b873593;
  const auto scramble = [](uint32_t word) { return std::rotl(word * kFirst, 15) * kSecond; };
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])); };
  uint32_t hash = 0;
  size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) {
    hash ^= scramble(byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24);
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
  }
  uint32_t tail = 0;
  for (size_t k = bytes.size(); k > i; --k) tail = tail << 8 | byte(k - 1);
  if (i < bytes.size()) hash ^= scramble(tail);
  hash ^= static_cast<uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

/// The last 20 bits of the file name's hash as three directories of four bits and one of eight, so that object stores spread
/// the load.
std::string EntropyDirectories(std::string_view file_name) {
  const std::string bits = std::bitset<20>(Murmur3(file_name)).to_string();
  return bits.substr(0, 4) + '/' + bits.substr(4, 4) + '/' + bits.substr(8, 4) + '/' + bits.substr(12);
}

}  // namespace

arrow::Result<ExternalPaths> ExternalPaths::Make(const Options& map) {
  const CoreOptions options(map);
  ExternalPaths result;
  const std::string strategy = options.GetString(std::string(kPathsKey) + ".strategy", "none");
  if (strategy == "none") return result;
  if (strategy != "specific-fs" && strategy != "round-robin" && strategy != "weight-robin" && strategy != "entropy-inject") {
    return Invalid("option ", kPathsKey, ".strategy: '", strategy,
                   "' is none of none, specific-fs, round-robin, weight-robin, entropy-inject");
  }
  for (std::string& uri : SplitByComma(options.GetString(kPathsKey, ""))) {
    if (uri.find("://") == std::string::npos && !uri.starts_with("file:/")) {
      return Invalid("option ", kPathsKey, ": '", uri, "' has no scheme");
    }
    result.roots_.push_back({.uri = std::move(uri)});
  }
  if (strategy == "specific-fs") {
    const std::string scheme = options.GetString(std::string(kPathsKey) + ".specific-fs", "");
    if (scheme.empty()) return Invalid("option ", kPathsKey, ".specific-fs must name a scheme");
    std::erase_if(result.roots_, [&](const Root& root) { return !root.uri.starts_with(scheme + ":"); });
  }
  if (result.roots_.empty()) return Invalid("option ", kPathsKey, " names no path for strategy ", strategy);
  if (strategy == "weight-robin") {
    const std::string key = std::string(kPathsKey) + ".weights";
    const std::vector<std::string> weights = SplitByComma(options.GetString(key, ""));
    if (weights.size() != result.roots_.size()) return Invalid("option ", key, " must give one weight a path");
    for (size_t i = 0; i < weights.size(); ++i) {
      const char* end = weights[i].data() + weights[i].size();
      const auto [stop, error] = std::from_chars(weights[i].data(), end, result.roots_[i].weight);
      if (error != std::errc() || stop != end || result.roots_[i].weight <= 0) {
        return Invalid("option ", key, ": '", weights[i], "' is no positive number");
      }
    }
  }
  // A random start spreads the first files of many short writers.
  std::rotate(result.roots_.begin(), result.roots_.begin() + std::random_device{}() % result.roots_.size(),
              result.roots_.end());
  result.inject_entropy_ = strategy == "entropy-inject";
  return result;
}

std::string ExternalPaths::NextFile(const std::string& relative_bucket_path, const std::string& file_name) {
  int64_t total = 0;
  Root* next = &roots_.front();
  for (Root& root : roots_) {
    root.credit += root.weight;
    total += root.weight;
    if (root.credit > next->credit) next = &root;
  }
  next->credit -= total;
  std::string directory = JoinPath(next->uri, relative_bucket_path);
  if (inject_entropy_) directory = JoinPath(directory, EntropyDirectories(file_name));
  return JoinPath(directory, file_name);
}

}  // namespace bactrian
