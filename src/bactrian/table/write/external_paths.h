#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bactrian/schema.h"

namespace bactrian {

/// Picks where a new data file goes when the table keeps its data elsewhere (format reference: layout.md §4).
class ExternalPaths {
 public:
  /// Reads data-file.external-paths and its companions; kInvalid names the option.
  static arrow::Result<ExternalPaths> Make(const Options& options);

  /// Whether files lie outside of the table.
  bool enabled() const { return !roots_.empty(); }
  /// The URI of the next file, "<root>/[<hash directories>/]<relative bucket path>/<file name>". Only if enabled.
  std::string NextFile(const std::string& relative_bucket_path, const std::string& file_name);

 private:
  struct Root {
    std::string uri;
    int64_t weight = 1;
    int64_t credit = 0;  ///< smooth weighted round robin: the root with most credit is next
  };
  std::vector<Root> roots_;
  bool inject_entropy_ = false;
};

}  // namespace bactrian
