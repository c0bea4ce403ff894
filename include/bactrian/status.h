/// Errors of the library. Every call returns arrow::Status or arrow::Result<T>; the kind of an error is carried in
/// one StatusDetail, so that callers decide on the kind and people read the message.
///
///   auto table = catalog->GetTable({"db", "t"});
///   if (!table.ok() && KindOf(table.status()) == ErrorKind::kNotFound) { … }
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <string>
#include <string_view>
#include <utility>

#include "bactrian/export.h"

namespace bactrian {

enum class ErrorKind {
  kUnknown,               ///< an error that another library made (I/O, out of memory, cancelled, …)
  kInvalid,               ///< the caller's input is wrong: an option, a predicate, a schema change, a row
  kNotFound,              ///< database, table, snapshot, tag, branch, column or file does not exist
  kAlreadyExists,         ///< put-if-absent lost, or the object to create is there
  kCorrupt,               ///< a file's bytes contradict the format; the message names the file
  kUnsupported,           ///< valid, but this build cannot do it; the message names the feature
  kCommitConflict,        ///< another commit made this one impossible; nothing was published
  kCommitOutcomeUnknown,  ///< the publish may or may not have happened; nothing was deleted
  kSnapshotExpired,       ///< the snapshot was there once
};

/// The kind of `status`; kUnknown for an error without our detail. Must not be called with an OK status.
BACTRIAN_EXPORT ErrorKind KindOf(const arrow::Status& status);

/// The name of a kind as errors print it, e.g. "commit conflict".
BACTRIAN_EXPORT std::string_view ErrorKindName(ErrorKind kind);

BACTRIAN_EXPORT arrow::Status MakeError(ErrorKind kind, std::string message);

/// Makers that join their arguments like arrow::Status::Invalid does: Corrupt("manifest ", name, ": …").
template <typename... Args>
arrow::Status Invalid(Args&&... args) {
  return MakeError(ErrorKind::kInvalid, arrow::internal::JoinToString(std::forward<Args>(args)...));
}
template <typename... Args>
arrow::Status NotFound(Args&&... args) {
  return MakeError(ErrorKind::kNotFound, arrow::internal::JoinToString(std::forward<Args>(args)...));
}
template <typename... Args>
arrow::Status AlreadyExists(Args&&... args) {
  return MakeError(ErrorKind::kAlreadyExists, arrow::internal::JoinToString(std::forward<Args>(args)...));
}
template <typename... Args>
arrow::Status Corrupt(Args&&... args) {
  return MakeError(ErrorKind::kCorrupt, arrow::internal::JoinToString(std::forward<Args>(args)...));
}
template <typename... Args>
arrow::Status Unsupported(Args&&... args) {
  return MakeError(ErrorKind::kUnsupported, arrow::internal::JoinToString(std::forward<Args>(args)...));
}
template <typename... Args>
arrow::Status CommitConflict(Args&&... args) {
  return MakeError(ErrorKind::kCommitConflict, arrow::internal::JoinToString(std::forward<Args>(args)...));
}

}  // namespace bactrian
