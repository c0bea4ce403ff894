#include "bactrian/io/fault_store.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <utility>

#include "bactrian/io/ranged_input.h"

namespace bactrian {
namespace {

constexpr std::string_view kScheme = "fault:";

std::string BasePath(const std::string& path) { return path.starts_with(kScheme) ? path.substr(kScheme.size()) : path; }

/// The path of the base store in the form in which `asked` came.
std::string FaultPath(std::string path, const std::string& asked) {
  return asked.starts_with(kScheme) ? std::string(kScheme) + path : path;
}

/// Whether operation `op` is `kind`, or one of several that it stands for.
bool Is(FileOp op, FileOp kind) {
  switch (kind) {
    case FileOp::kAny:
      return true;
    case FileOp::kAnyMutation:
      return op >= FileOp::kOpenOutput;
    case FileOp::kAnyWrite:
      return op >= FileOp::kOpenOutput && op <= FileOp::kCreateDirectory;
    default:
      return op == kind;
  }
}

bool Matches(const Fault& fault, FileOp op, std::string_view path) {
  return Is(op, fault.op) && path.find(fault.path_contains) != std::string_view::npos;
}

arrow::Status Injected(std::string_view path) { return arrow::Status::IOError("fault: injected error at ", path); }

}  // namespace

void FaultStore::Arm(Fault fault) {
  std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}

void FaultStore::Heal() {
  std::lock_guard lock(mutex_);
  faults_.clear();
  crashed_ = false;
}

int64_t FaultStore::Count(FileOp op) const {
  std::lock_guard lock(mutex_);
  int64_t total = 0;
  for (const auto& [kind, count] : counts_) {
    if (Is(kind, op)) total += count;
  }
  return total;
}

std::optional<FaultMoment> FaultStore::Begin(FileOp op, std::string_view path) {
  std::lock_guard lock(mutex_);
  ++counts_[op];
  if (crashed_) return FaultMoment::kBefore;
  std::optional<FaultMoment> moment;
  for (Fault& fault : faults_) {
    if (!Matches(fault, op, path)) continue;
    --fault.nth;
    if (fault.nth == 0 || (fault.nth < 0 && fault.repeat)) {
      moment = fault.moment;
      if (fault.crash) crashed_ = true;
    }
  }
  return moment;
}

template <typename Effect, typename Torn>
auto FaultStore::Run(FileOp op, std::string_view path, Effect effect, Torn torn) -> decltype(effect()) {
  const std::optional<FaultMoment> moment = Begin(op, path);
  if (!moment.has_value()) return effect();
  if (*moment == FaultMoment::kAfter) {
    auto outcome = effect();
    if (!outcome.ok()) return outcome;
  } else if (*moment == FaultMoment::kTorn) {
    ARROW_RETURN_NOT_OK(torn());
  }
  return Injected(path);
}

template <typename Effect>
auto FaultStore::Run(FileOp op, std::string_view path, Effect effect) -> decltype(effect()) {
  return Run(op, path, std::move(effect), [] { return arrow::Status::OK(); });
}

class FaultInput : public RangedInput {
 public:
  FaultInput(std::shared_ptr<FaultStore> store, std::string path, std::shared_ptr<arrow::io::RandomAccessFile> base,
             int64_t length)
      : RangedInput(std::move(path), length, length), store_(std::move(store)), base_(std::move(base)) {}

 protected:
  arrow::Status ReadRange(int64_t position, int64_t nbytes, uint8_t* out) override {
    return store_->Run(FileOp::kRead, path_, [&] { return base_->ReadAt(position, nbytes, out).status(); });
  }

 private:
  const std::shared_ptr<FaultStore> store_;
  const std::shared_ptr<arrow::io::RandomAccessFile> base_;
};

class FaultOutput : public arrow::io::OutputStream {
 public:
  FaultOutput(std::shared_ptr<FaultStore> store, std::string path, std::shared_ptr<arrow::io::OutputStream> base)
      : store_(std::move(store)), path_(std::move(path)), base_(std::move(base)) {}
  bool closed() const override { return base_->closed(); }
  arrow::Result<int64_t> Tell() const override { return base_->Tell(); }
  arrow::Status Write(const void* data, int64_t nbytes) override {
    return store_->Run(
        FileOp::kWrite, path_, [&] { return base_->Write(data, nbytes); }, [&] { return base_->Write(data, nbytes / 2); });
  }
  arrow::Status Close() override {
    return store_->Run(FileOp::kClose, path_, [&] { return base_->Close(); });
  }
  arrow::Status Abort() override { return base_->Abort(); }

 private:
  const std::shared_ptr<FaultStore> store_;
  const std::string path_;
  const std::shared_ptr<arrow::io::OutputStream> base_;
};

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> FaultStore::OpenInput(const std::string& path,
                                                                                  std::optional<int64_t> length) {
  using File = std::shared_ptr<arrow::io::RandomAccessFile>;
  return Run(FileOp::kOpenInput, path, [&]() -> arrow::Result<File> {
    ARROW_ASSIGN_OR_RAISE(File base, base_->OpenInput(BasePath(path), length));
    ARROW_ASSIGN_OR_RAISE(const int64_t size, base->GetSize());
    return std::make_shared<FaultInput>(shared_from_this(), path, std::move(base), size);
  });
}

arrow::Result<std::shared_ptr<arrow::io::OutputStream>> FaultStore::OpenOutput(const std::string& path) {
  using File = std::shared_ptr<arrow::io::OutputStream>;
  return Run(FileOp::kOpenOutput, path, [&]() -> arrow::Result<File> {
    ARROW_ASSIGN_OR_RAISE(File base, base_->OpenOutput(BasePath(path)));
    return std::make_shared<FaultOutput>(shared_from_this(), path, std::move(base));
  });
}

arrow::Status FaultStore::PutIfAbsent(const std::string& path, std::string_view bytes) {
  const std::string base_path = BasePath(path);
  return Run(
      FileOp::kPutIfAbsent, path, [&] { return base_->PutIfAbsent(base_path, bytes); },
      [&] {
        const size_t name = base_path.rfind('/') + 1;
        return base_->Overwrite(base_path.substr(0, name) + "." + base_path.substr(name) + ".torn.tmp",
                                bytes.substr(0, bytes.size() / 2));
      });
}

arrow::Status FaultStore::Overwrite(const std::string& path, std::string_view bytes) {
  return Run(
      FileOp::kOverwrite, path, [&] { return base_->Overwrite(BasePath(path), bytes); },
      [&] { return base_->Overwrite(BasePath(path), bytes.substr(0, bytes.size() / 2)); });
}

arrow::Result<std::vector<FileStatus>> FaultStore::List(const std::string& directory, bool recursive) {
  return Run(FileOp::kList, directory, [&]() -> arrow::Result<std::vector<FileStatus>> {
    ARROW_ASSIGN_OR_RAISE(auto entries, base_->List(BasePath(directory), recursive));
    for (FileStatus& entry : entries) entry.path = FaultPath(std::move(entry.path), directory);
    return entries;
  });
}

arrow::Result<std::optional<FileStatus>> FaultStore::Stat(const std::string& path) {
  return Run(FileOp::kStat, path, [&]() -> arrow::Result<std::optional<FileStatus>> {
    ARROW_ASSIGN_OR_RAISE(auto status, base_->Stat(BasePath(path)));
    if (status.has_value()) status->path = FaultPath(std::move(status->path), path);
    return status;
  });
}

arrow::Status FaultStore::CreateDirectory(const std::string& path) {
  return Run(FileOp::kCreateDirectory, path, [&] { return base_->CreateDirectory(BasePath(path)); });
}
arrow::Status FaultStore::DeleteFile(const std::string& path) {
  return Run(FileOp::kDeleteFile, path, [&] { return base_->DeleteFile(BasePath(path)); });
}
arrow::Status FaultStore::DeleteDirectory(const std::string& path) {
  return Run(FileOp::kDeleteDirectory, path, [&] { return base_->DeleteDirectory(BasePath(path)); });
}
arrow::Status FaultStore::RenameDirectory(const std::string& from, const std::string& to) {
  return Run(FileOp::kRenameDirectory, from, [&] { return base_->RenameDirectory(BasePath(from), BasePath(to)); });
}

}  // namespace bactrian
