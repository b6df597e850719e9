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

/// Returns every JSON file below the folder `cc` of the vectors whose name begins with `prefix`, sorted.
inline std::vector<std::filesystem::path> cc_files(std::string_view prefix) {
  auto files = vector_files("cc", ".json", Depth::kRecursive);
  std::erase_if(files, [prefix](const auto& path) { return !path.filename().string().starts_with(prefix); });
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
