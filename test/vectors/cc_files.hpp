// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/vector_files.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace softfeb::test {

/// Returns every JSON file below the folder `cc` of the vectors whose name begins with `prefix`, sorted;
/// empty if the folder does not exist.
inline std::vector<std::filesystem::path> cc_files(std::string_view prefix) {
  namespace fs = std::filesystem;
  const char* set = std::getenv("SOFTFEB_VECTORS");
  const fs::path folder = fs::path(set != nullptr ? set : SOFTFEB_VECTORS_DEFAULT) / "cc";
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) {
    WARN("passed over, not there: " << folder.string());
    return files;
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.filename().string().rfind(prefix, 0) == 0) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Reads a golden file, whose format must be the known one.
inline nlohmann::json read_cc_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  auto document = nlohmann::json::parse(in);
  INFO("unknown format of " << path);
  REQUIRE(document.at("format") == 1);
  return document;
}

}  // namespace softfeb::test
