#include "bactrian/scan.h"

#include "bactrian/status.h"
#include "bactrian/table.h"

namespace bactrian {

arrow::Result<std::shared_ptr<Plan>> Scan::MakePlan() const {
  if (!table_) return Invalid("a scan needs a table");
  return table_->MakePlan(*this);
}

arrow::Result<std::unique_ptr<ChangeStream>> Scan::OpenStream() const {
  if (!table_) return Invalid("a scan needs a table");
  return table_->NewStream(*this);
}

arrow::Result<std::unique_ptr<ChangeStream>> Table::NewStream(const Scan&) {
  return Unsupported("table ", identifier().ToString(), " cannot be read as a stream");
}

arrow::Result<std::shared_ptr<KeyLookup>> Table::NewLookup(const LookupOptions&) {
  return Unsupported("table ", identifier().ToString(), " has no rows to look up by key");
}

}  // namespace bactrian
