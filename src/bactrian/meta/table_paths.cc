#include "bactrian/meta/snapshot.h"

namespace bactrian {

std::string TablePaths::MetaRoot() const { return branch == "main" ? root : JoinPath(BranchDirectory(), "branch-" + branch); }
std::string TablePaths::SchemaDirectory() const { return JoinPath(MetaRoot(), "schema"); }
std::string TablePaths::SchemaFile(int64_t id) const { return JoinPath(SchemaDirectory(), "schema-" + std::to_string(id)); }
std::string TablePaths::SnapshotDirectory() const { return JoinPath(MetaRoot(), "snapshot"); }
std::string TablePaths::SnapshotFile(int64_t id) const {
  return JoinPath(SnapshotDirectory(), "snapshot-" + std::to_string(id));
}
std::string TablePaths::ChangelogDirectory() const { return JoinPath(MetaRoot(), "changelog"); }
std::string TablePaths::TagDirectory() const { return JoinPath(MetaRoot(), "tag"); }
std::string TablePaths::TagFile(std::string_view name) const { return JoinPath(TagDirectory(), "tag-" + std::string(name)); }
std::string TablePaths::ConsumerDirectory() const { return JoinPath(MetaRoot(), "consumer"); }
std::string TablePaths::BranchDirectory() const { return JoinPath(root, "branch"); }
std::string TablePaths::ManifestFile(std::string_view name) const { return JoinPath(JoinPath(root, "manifest"), name); }
std::string TablePaths::IndexFile(std::string_view name) const { return JoinPath(JoinPath(root, "index"), name); }
std::string TablePaths::StatisticsFile(std::string_view name) const { return JoinPath(JoinPath(root, "statistics"), name); }

arrow::Status ValidateFileName(std::string_view name, std::string_view named_by) {
  const bool plain = !name.empty() && name != "." && name != ".." && name.find_first_of("/\\:") == std::string_view::npos &&
                     name.find('\0') == std::string_view::npos;
  if (plain) return arrow::Status::OK();
  return Corrupt(named_by, ": \"", name, "\" is not a plain file name");
}

}  // namespace bactrian
