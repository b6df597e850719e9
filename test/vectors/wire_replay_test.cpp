// SPDX-License-Identifier: BSD-3-Clause
// Replays every file of $SOFTFEB_VECTORS/wire that contains work requests.
#include "wire_replay.hpp"

#include "wire_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>

using namespace softfeb::test;
namespace fs = std::filesystem;

namespace {

fs::path wire_directory() {
  const char* set = std::getenv("SOFTFEB_VECTORS");
  return fs::path(set != nullptr ? set : SOFTFEB_VECTORS_DEFAULT) / "wire";
}

std::vector<fs::path> wire_files() {
  std::vector<fs::path> out;
  if (!fs::is_directory(wire_directory())) return out;
  for (const auto& entry : fs::directory_iterator(wire_directory())) {
    if (entry.path().extension() == ".txt") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("wire: the requester sends and completes like the firmware", "[wire]") {
  const auto paths = wire_files();
  if (paths.empty()) WARN("no files in " << wire_directory() << ": nothing replayed");
  for (const fs::path& path : paths) {
    const WireFile file = read_wire_file(path);
    if (!file.has_data_path()) continue;
    DYNAMIC_SECTION(file.name) { WireReplay(file).run(); }
  }
}
