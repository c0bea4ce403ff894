// The file that DuckDB loads as the extension. It has no DuckDB symbol itself, so it opens in any host, and then opens the
// engine bound to a DuckDB:
//  - Hosts that are shared libraries (Python's module) export their DuckDB, but were opened for themselves alone (RTLD_LOCAL):
//    opened once more with RTLD_GLOBAL, their symbols are there for the engine.
//  - The stock command line is linked statically and exports nothing: the engine gets a DuckDB of the same version that lies
//    beside it. Objects pass between the two since the C++ ABI of a version is exact.
#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace {

using Init = void (*)(void* loader);

std::string FileOf(void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// The engine's entry point; nullptr with `errors` extended if the library cannot be opened.
Init Open(const std::string& library, std::string& errors) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const init = handle == nullptr ? nullptr : dlsym(handle, "paimon_duckdb_cpp_init");
  if (init == nullptr) errors += std::string("; ") + dlerror();
  return reinterpret_cast<Init>(init);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void paimon_duckdb_cpp_init(void* loader) {
  const std::string host = FileOf(__builtin_return_address(0));
  const std::string self = FileOf(reinterpret_cast<void*>(&paimon_duckdb_cpp_init));
  const std::string folder = self.substr(0, self.rfind('/') + 1);
  dlopen(host.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);  // fails for a program, whose symbols are global as it is
  std::string errors;
  Init init = Open(folder + "libpaimon_engine.so", errors);
  if (init == nullptr) init = Open(folder + "libpaimon_standalone.so", errors);
  // DuckDB turns this into the error of the LOAD statement.
  if (init == nullptr) throw std::runtime_error("Paimon cannot bind to the DuckDB of " + host + errors);
  init(loader);
}
