#include "bactrian/scan.h"

#include "bactrian/status.h"
#include "bactrian/table.h"

namespace bactrian {

arrow::Result<std::shared_ptr<Plan>> Scan::MakePlan() const {
  if (!table_) return Invalid("a scan needs a table");
  return table_->MakePlan(*this);
}

}  // namespace bactrian
