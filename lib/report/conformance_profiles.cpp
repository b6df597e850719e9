// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_profiles.hpp"

#include "config/installation.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace softfeb::report {

namespace {

namespace fs = std::filesystem;
using conformance::NotationError;
using conformance::ProfileText;

constexpr const char* kEnding = ".yaml";
constexpr std::uintmax_t kLargest = 1U << 20;  ///< maximum size of a profile in bytes

/// Folder of the profiles; empty if the installation has none.
fs::path profile_folder() { return config::data_folder("conf/conformance"); }

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || fs::path(name).extension() == kEnding;
}

/// Returns the place where the name of a base profile occurs, for use in messages.
std::string place_of(const std::string& named_by) { return named_by.empty() ? "" : named_by + ": base: "; }

[[noreturn]] void unknown_profile(const std::string& name, const std::string& named_by) {
  const std::vector<std::string> known = installed_profiles();
  if (known.empty()) {
    throw NotationError(
        place_of(named_by) + "profile '" + name +
        "': the installation has no profiles; fix: reinstall softfeb, or give the path of a file");
  }
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return conformance::edit_distance(name, a) < conformance::edit_distance(name, b);
  });
  throw NotationError(place_of(named_by) + "unknown profile '" + name + "'; the nearest is " + *nearest +
                      "; fix: use one of " + all + ", or the path of a file");
}

std::string read_file(const fs::path& path, const std::string& named_by) {
  std::error_code error;
  const auto size = fs::is_directory(path, error) ? 0 : fs::file_size(path, error);
  if (!error && size > kLargest) {
    throw NotationError(place_of(named_by) + path.string() +
                        " is longer than 1 MiB, so it is no profile; fix: name another file");
  }
  const auto refuse = [&](int reason) {
    throw NotationError(place_of(named_by) + "cannot read " + path.string() + ": " +
                        std::strerror(reason != 0 ? reason : EIO) + "; fix: name a profile that can be read");
  };
  if (fs::is_directory(path, error)) refuse(EISDIR);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(errno);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) refuse(errno);
  return text;
}

ProfileText find_profile(const std::string& name, const std::string& named_by) {
  fs::path path;
  if (is_path(name)) {
    path = fs::path(name);
    if (path.is_relative() && !named_by.empty()) path = fs::path(named_by).parent_path() / path;
  } else {
    path = profile_folder() / (name + kEnding);
    std::error_code error;
    if (name.empty() || !fs::exists(path, error)) unknown_profile(name, named_by);
  }
  return {.text = read_file(path, named_by), .file = path.lexically_normal().string()};
}

}  // namespace

std::vector<std::string> installed_profiles() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(profile_folder(), error)) {
    if (entry.path().extension() == kEnding) out.push_back(entry.path().stem().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string absolute_profile(const std::string& name) {
  return is_path(name) ? fs::absolute(name).lexically_normal().string() : name;
}

conformance::Profile load_profile(std::string_view name, const conformance::Catalogue& catalogue) {
  return conformance::resolve_profile(name, catalogue, find_profile);
}

}  // namespace softfeb::report
