#include "bactrian/status.h"

#include <memory>

namespace bactrian {
namespace {

constexpr char kDetailType[] = "bactrian::ErrorKind";

class KindDetail : public arrow::StatusDetail {
 public:
  explicit KindDetail(ErrorKind kind) : kind_(kind) {}
  const char* type_id() const override { return kDetailType; }
  std::string ToString() const override { return std::string(ErrorKindName(kind_)); }
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

arrow::StatusCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid:
      return arrow::StatusCode::Invalid;
    case ErrorKind::kNotFound:
      return arrow::StatusCode::KeyError;
    case ErrorKind::kAlreadyExists:
      return arrow::StatusCode::AlreadyExists;
    case ErrorKind::kUnsupported:
      return arrow::StatusCode::NotImplemented;
    case ErrorKind::kCorrupt:
      return arrow::StatusCode::SerializationError;
    case ErrorKind::kSnapshotExpired:
      return arrow::StatusCode::KeyError;
    case ErrorKind::kCommitConflict:
    case ErrorKind::kCommitOutcomeUnknown:
    case ErrorKind::kUnknown:
      break;
  }
  return arrow::StatusCode::UnknownError;
}

}  // namespace

ErrorKind KindOf(const arrow::Status& status) {
  const auto& detail = status.detail();
  if (detail == nullptr || std::string_view(detail->type_id()) != kDetailType) return ErrorKind::kUnknown;
  return static_cast<const KindDetail&>(*detail).kind();
}

std::string_view ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUnknown:
      return "error";
    case ErrorKind::kInvalid:
      return "invalid";
    case ErrorKind::kNotFound:
      return "not found";
    case ErrorKind::kAlreadyExists:
      return "already exists";
    case ErrorKind::kCorrupt:
      return "corrupt";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kCommitConflict:
      return "commit conflict";
    case ErrorKind::kCommitOutcomeUnknown:
      return "commit outcome unknown";
    case ErrorKind::kSnapshotExpired:
      return "snapshot expired";
  }
  return "error";
}

arrow::Status MakeError(ErrorKind kind, std::string message) {
  return arrow::Status(CodeOf(kind), std::move(message), std::make_shared<KindDetail>(kind));
}

}  // namespace bactrian
