// SPDX-License-Identifier: BSD-3-Clause
#include "config/installation.hpp"

#include <system_error>

namespace softfeb::config {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepestProgram = 4;  ///< maximum number of folders between a program and its build folder

}  // namespace

fs::path data_folder_of(const fs::path& program, const std::string& name) {
  std::error_code error;
  const fs::path here = program.parent_path();
  // SOFTFEB_DATADIR is meson's datadir: relative to the prefix, or absolute.
  const fs::path installed = here.parent_path() / SOFTFEB_DATADIR / "softfeb" / name;
  if (fs::is_directory(installed, error)) return installed;
  fs::path build = here;
  for (int i = 0; i < kDeepestProgram && build.has_relative_path(); ++i, build = build.parent_path()) {
    if (!fs::is_directory(build / "meson-private", error)) continue;
    const fs::path folder = build / "share" / "softfeb" / name;  // a link to the sources
    return fs::is_directory(folder, error) ? fs::canonical(folder, error) : fs::path{};
  }
  return {};
}

fs::path data_folder(const std::string& name) {
  std::error_code error;
  return data_folder_of(fs::read_symlink("/proc/self/exe", error), name);
}

std::string find_configuration(const std::string& path) {
  std::error_code error;
  if (path.empty() || fs::path(path).is_absolute() || fs::exists(path, error)) return path;
  const fs::path folder = data_folder("conf");
  if (folder.empty() || *fs::path(path).begin() != folder.filename()) return path;
  const fs::path own = (folder.parent_path() / path).lexically_normal();
  return fs::is_regular_file(own, error) ? own.string() : path;
}

}  // namespace softfeb::config
