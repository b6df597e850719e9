// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

/// The folder of the golden vectors is $SOFTFEB_VECTORS, or by default the one in the source tree
/// (SOFTFEB_VECTORS_DEFAULT, set by meson).
namespace softfeb::test {

inline bool vectors_are_ours() { return std::getenv("SOFTFEB_VECTORS") == nullptr; }

enum class Depth : std::uint8_t { kFolder, kRecursive };

/// Returns the files of `folder` with this extension, sorted; empty if the folder does not exist.
inline std::vector<std::filesystem::path> vector_files(const char* folder, const char* extension,
                                                       Depth depth = Depth::kFolder) {
  const char* set = std::getenv("SOFTFEB_VECTORS");
  const auto directory = std::filesystem::path(set != nullptr ? set : SOFTFEB_VECTORS_DEFAULT) / folder;
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(directory)) {
    WARN("passed over, not there: " << directory.string());
    return files;
  }
  for (std::filesystem::recursive_directory_iterator entry(directory), end; entry != end; ++entry) {
    if (depth == Depth::kFolder) entry.disable_recursion_pending();
    if (entry->is_regular_file() && entry->path().extension() == extension) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace softfeb::test
