/// Columns of manifest lists, manifests and index manifests, in the order in which the reference writes them (format reference:
/// manifest.md §2, §3, §5). Readers find columns by name; positions below are ours.
#pragma once

#include <vector>

#include "bactrian/data_type.h"

namespace bactrian {

const std::vector<Field>& ManifestListFields();
const std::vector<Field>& ManifestFields();
const std::vector<Field>& IndexManifestFields();

inline constexpr int64_t kManifestVersion = 2;
inline constexpr int64_t kIndexManifestVersion = 1;

}  // namespace bactrian
