// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: opens a study whose folder has an arbitrary manifest and an arbitrary point. The files must be
// refused or ignored, or have the form that the study itself writes.
#include "base/error.hpp"
#include "config/error.hpp"
#include "input.hpp"
#include "study/store.hpp"
#include "study/task.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

using namespace softfeb;
using fuzz::require;

namespace {

namespace fs = std::filesystem;

void write_file(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A study of two points in a temporary folder, which is removed at the end of the program.
struct Folder {
  Folder() : path(memory() / ("fuzz_study." + std::to_string(getpid()))) {
    study::Store(path, grid).create(manifest);
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Returns a folder in memory if the machine has one. The study waits until its files are on the disk,
  /// which takes long unless the "disk" is memory.
  static fs::path memory() {
    return fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  }

  std::string path;
  study::Grid grid{{{"lab.seed", {"1", "2"}, {}}}};
  study::Manifest manifest{.version = "1", .config = {{"x", 1}}, .keys = {"a", "b"}};
};

void check_manifest(Folder& folder, std::string_view text) {
  write_file(folder.path + "/sweep.json", text);
  study::Store store(folder.path, folder.grid);
  try {
    store.open(folder.manifest);
  } catch (const config::ConfigError& error) {
    require(!error.problems().empty());
  }
}

void check_point(Folder& folder, std::string_view text) {
  study::Store(folder.path, folder.grid).create(folder.manifest);
  study::Store store(folder.path, folder.grid);
  store.open(folder.manifest);
  write_file(folder.path + "/points/1-a.json", text);
  const auto point = store.read(0);
  require(!point || point->contains("values"));
}

void check_task(const std::string& text) {
  try {
    const study::Task task = study::parse_task(text, [](const char*) { return std::nullopt; });
    require(task.number >= 1 && task.number <= task.count);
  } catch (const config::ConfigError& error) {
    require(!error.problems().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Folder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_manifest(folder, text);
  check_point(folder, text);
  check_task(std::string(text));
  return 0;
}
