#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace bactrian {

/// The unpacked 2.0 corpus, tables that the reference wrote: environment variable BACTRIAN_CORPUS, else the archive beside the
/// interop tests, unpacked once a process.
inline std::string CorpusWarehouse(const std::string& test_case) {
  static const std::filesystem::path root = [] {
    if (const char* given = std::getenv("BACTRIAN_CORPUS")) return std::filesystem::path(given);
    static const struct Scratch {
      Scratch() {
        std::string pattern = (std::filesystem::temp_directory_path() / "bactrian-corpus-XXXXXX").string();
        EXPECT_NE(mkdtemp(pattern.data()), nullptr);
        path = pattern;
      }
      ~Scratch() { std::filesystem::remove_all(path); }
      std::filesystem::path path;
    } scratch;
    const std::string archive = std::string(BACTRIAN_TEST_SOURCE_DIR) + "/interop/corpus-2.0.tar.xz";
    EXPECT_EQ(std::system(("tar -xf '" + archive + "' -C '" + scratch.path.string() + "'").c_str()), 0);
    return std::filesystem::directory_iterator(scratch.path)->path();
  }();
  return (root / test_case / "warehouse").string();
}

}  // namespace bactrian
