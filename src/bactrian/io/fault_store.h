/// A store that fails on purpose, for crash and fault tests.
///
///   auto faults = std::make_shared<FaultStore>(base);
///   faults->Arm({.op = FileOp::kPutIfAbsent, .nth = 1, .moment = FaultMoment::kAfter});   // acknowledged as failed, yet there
///   faults->Arm({.op = FileOp::kAnyMutation, .nth = n, .crash = true});                   // for n = 1, 2, … to the end
///
/// To put it under a whole Session, open it as "fault:<path of the base store>":
///   FileStore::Register("fault", [=](std::string_view) { return faults; });
///   session->OpenCatalog({.warehouse = "fault:/tmp/lake"});
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bactrian/io/file_store.h"

namespace bactrian {

enum class FileOp : uint8_t {
  kOpenInput,
  kRead,
  kList,
  kStat,
  kOpenOutput,
  kWrite,
  kClose,
  kPutIfAbsent,
  kOverwrite,
  kCreateDirectory,
  kDeleteFile,
  kDeleteDirectory,
  kRenameDirectory,
  kAny,          ///< in a Fault: every operation
  kAnyMutation,  ///< in a Fault: every operation from kOpenOutput on
  kAnyWrite,     ///< in a Fault: what takes space on a disk, so neither deletions nor renames
};

enum class FaultMoment : uint8_t {
  kBefore,  ///< nothing happened
  kAfter,   ///< it happened, the caller is told that it failed
  kTorn,    ///< half of the bytes happened (kWrite, kOverwrite); a left-over temp file (kPutIfAbsent); else as kBefore
};

struct Fault {
  FileOp op = FileOp::kAny;
  int64_t nth = 1;  ///< which matching operation from now on fails, from 1
  FaultMoment moment = FaultMoment::kBefore;
  bool crash = false;              ///< every operation after it fails too, as if the process were gone
  bool repeat = false;             ///< the operations after the n-th that match fail too
  std::string path_contains = {};  ///< only operations on such paths match; empty: all
};

/// Passes everything on to `base`, paths "fault:p" as "p" and others as they are. Thread-safe. Errors it makes are I/O errors
/// (kUnknown) whose message starts with "fault: ". Its counters stay 0: read the base's.
class FaultStore : public FileStore, public std::enable_shared_from_this<FaultStore> {
 public:
  explicit FaultStore(std::shared_ptr<FileStore> base) : base_(std::move(base)) {}

  void Arm(Fault fault);  ///< adds one
  void Heal();            ///< drops all faults and the crash
  bool crashed() const { return crashed_; }
  /// Operations begun since the store was made, per kind or (kAny, kAnyMutation) summed up.
  int64_t Count(FileOp op) const;

  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& path,
                                                                        std::optional<int64_t> length = std::nullopt) override;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutput(const std::string& path) override;
  arrow::Status PutIfAbsent(const std::string& path, std::string_view bytes) override;
  arrow::Status Overwrite(const std::string& path, std::string_view bytes) override;
  arrow::Result<std::vector<FileStatus>> List(const std::string& directory, bool recursive = false) override;
  arrow::Result<std::optional<FileStatus>> Stat(const std::string& path) override;
  arrow::Status CreateDirectory(const std::string& path) override;
  arrow::Status DeleteFile(const std::string& path) override;
  arrow::Status DeleteDirectory(const std::string& path) override;
  arrow::Status RenameDirectory(const std::string& from, const std::string& to) override;

 private:
  friend class FaultInput;
  friend class FaultOutput;

  /// What is to happen to an operation that begins now.
  std::optional<FaultMoment> Begin(FileOp op, std::string_view path);
  /// Runs `effect` under the faults; `torn` does what is left of it when it is torn.
  template <typename Effect, typename Torn>
  auto Run(FileOp op, std::string_view path, Effect effect, Torn torn) -> decltype(effect());
  template <typename Effect>
  auto Run(FileOp op, std::string_view path, Effect effect) -> decltype(effect());

  const std::shared_ptr<FileStore> base_;
  mutable std::mutex mutex_;
  std::vector<Fault> faults_;
  std::map<FileOp, int64_t> counts_;
  std::atomic<bool> crashed_{false};
};

}  // namespace bactrian
