#pragma once

#include <string>
#include <vector>

#include "bactrian/predicate.h"

namespace bactrian {

/// The conjuncts of `predicate` whose columns are all in `columns` (`inside`), or those of which some column is not.
PredicatePtr ConjunctsOver(const PredicatePtr& predicate, const std::vector<std::string>& columns, bool inside);

}  // namespace bactrian
