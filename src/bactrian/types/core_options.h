/// Table options as typed values, with the reference's defaults (format reference: options.md). Unknown options are kept and
/// ignored; a malformed value of a known one is kInvalid and names the option.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bactrian/schema.h"
#include "bactrian/status.h"

namespace bactrian {

/// "128 mb", "128MB", "134217728" to bytes.
arrow::Result<int64_t> ParseMemorySize(std::string_view text);
/// "1 h", "10 ms", "1d" to milliseconds.
arrow::Result<int64_t> ParseDurationMillis(std::string_view text);

/// Reads options by key. Holds a reference: the map must outlive it.
class CoreOptions {
 public:
  explicit CoreOptions(const Options& options) : options_(options) {}

  std::optional<std::string> Get(std::string_view key) const;
  arrow::Result<int64_t> GetInt(std::string_view key, int64_t default_value) const;
  arrow::Result<bool> GetBool(std::string_view key, bool default_value) const;
  arrow::Result<double> GetDouble(std::string_view key, double default_value) const;
  arrow::Result<int64_t> GetMemorySize(std::string_view key, int64_t default_value) const;
  arrow::Result<int64_t> GetDurationMillis(std::string_view key, int64_t default_value) const;
  std::string GetString(std::string_view key, std::string_view default_value) const;

  arrow::Result<int64_t> bucket() const { return GetInt("bucket", -1); }
  std::string file_format() const { return GetString("file.format", "parquet"); }

 private:
  const Options& options_;
};

}  // namespace bactrian
