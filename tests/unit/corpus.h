/// The tables that the reference wrote, for tests that read all of them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace bactrian {

/// Folders that hold one folder a case: the carried corpus, unpacked once a process, and those of $BACTRIAN_CORPUS (separated
/// by colons).
inline const std::vector<std::filesystem::path>& Corpora() {
  struct Unpacked {
    Unpacked() {
      const std::string archive = BACTRIAN_TEST_SOURCE_DIR "/interop/corpus-2.0.tar.xz";
      directory = std::filesystem::temp_directory_path() / ("bactrian-corpus-" + std::to_string(getpid()));
      std::filesystem::create_directories(directory);
      const std::string command = "tar -xJf '" + archive + "' -C '" + directory.string() + "'";
      if (std::system(command.c_str()) != 0) ADD_FAILURE() << command;
      corpora.push_back(directory);
      if (const char* more = std::getenv("BACTRIAN_CORPUS")) {
        for (std::string rest = more; !rest.empty();) {
          const std::string part = rest.substr(0, rest.find(':'));
          rest.erase(0, part.size() + 1);
          if (!part.empty()) corpora.emplace_back(part);
        }
      }
    }
    ~Unpacked() {
      std::error_code ignored;
      std::filesystem::remove_all(directory, ignored);
    }
    std::filesystem::path directory;
    std::vector<std::filesystem::path> corpora;
  };
  static const Unpacked unpacked;
  return unpacked.corpora;
}

/// Files under the corpora whose path has `part` in it and whose name begins with `prefix`.
inline std::vector<std::filesystem::path> CorpusFiles(const std::string& part, const std::string& prefix) {
  std::vector<std::filesystem::path> files;
  for (const auto& corpus : Corpora()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
      const std::string path = entry.path().string();
      if (entry.is_regular_file() && path.find(part) != std::string::npos &&
          entry.path().filename().string().rfind(prefix, 0) == 0) {
        files.push_back(entry.path());
      }
    }
  }
  return files;
}

}  // namespace bactrian
