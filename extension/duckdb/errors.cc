#include "errors.h"

#include "compat.h"

namespace bactrian::sql {

void ThrowStatus(const arrow::Status& status) {
  const std::string& message = status.message();
  switch (KindOf(status)) {
    case ErrorKind::kInvalid:
      throw duckdb::InvalidInputException(message);
    case ErrorKind::kNotFound:
    case ErrorKind::kAlreadyExists:
      throw duckdb::CatalogException(message);
    case ErrorKind::kUnsupported:
      throw duckdb::NotImplementedException(message);
    case ErrorKind::kCommitConflict:
    case ErrorKind::kCommitOutcomeUnknown:
      throw duckdb::TransactionException(message);
    case ErrorKind::kCorrupt:
    case ErrorKind::kSnapshotExpired:
      throw duckdb::IOException(message);
    case ErrorKind::kUnknown:
      break;
  }
  if (status.IsOutOfMemory()) throw duckdb::OutOfMemoryException(message);
  throw duckdb::IOException(status.ToString());
}

}  // namespace bactrian::sql
