#pragma once

#include <memory>
#include <span>

#include "bactrian/scan.h"
#include "bactrian/table/read/read_spec.h"

namespace bactrian {

/// What the metadata of a plan's splits tells about its result, with the precision it has. `filtered`: rows of kept files may
/// still be dropped by the predicate.
PlanStatistics ComputeStatistics(const ReadSpec& spec, const std::vector<std::shared_ptr<const Split>>& splits, bool filtered);

}  // namespace bactrian
