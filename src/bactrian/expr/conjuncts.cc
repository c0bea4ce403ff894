#include "bactrian/expr/conjuncts.h"

#include <algorithm>
#include <utility>

namespace bactrian {

PredicatePtr ConjunctsOver(const PredicatePtr& predicate, const std::vector<std::string>& columns, bool inside) {
  std::vector<PredicatePtr> kept;
  for (const PredicatePtr& conjunct : SplitConjuncts(predicate)) {
    const std::vector<std::string> used = ColumnsOf(conjunct);
    const bool is_inside = std::all_of(used.begin(), used.end(), [&](const std::string& column) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    });
    if (is_inside == inside) kept.push_back(conjunct);
  }
  return Predicate::And(std::move(kept));
}

}  // namespace bactrian
