// SPDX-License-Identifier: BSD-3-Clause
#include "study/store.hpp"

#include "base/error.hpp"
#include "base/json_nesting.hpp"
#include "config/error.hpp"
#include "study/durable_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace softfeb::study {

namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "sweep.json";
constexpr const char* kPoints = "points";
constexpr const char* kLog = "log";
constexpr int kSchemaVersion = 1;

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw EnvironmentError("cannot create the folder " + path + ": " + error.message(),
                           "fix: name one in a writable folder");
  }
}

std::vector<std::string> files_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    names.push_back(i->path().filename().string());
  if (error) {
    throw EnvironmentError("cannot read the folder " + folder + ": " + error.message(),
                           "fix: check that it exists and that you may read it");
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json manifest_json(const Grid& grid, const Manifest& m) {
  Json axes = Json::array();
  for (const config::SweepAxis& axis : grid.axes())
    axes.push_back({{"key", axis.key}, {"values", axis.values}});
  return {{"schema_version", kSchemaVersion},
          {"softfeb", m.version},
          {"axes", std::move(axes)},
          {"config", m.config},
          {"keys", m.keys}};
}

/// Returns the content of a file of the study. Returns a discarded value if the file is not JSON, or if its
/// nesting is deeper than that of the files that softfeb writes.
Json parse_file(const std::string& file) {
  const std::string text = read_file(file);
  if (json_nesting(text) > kMaxJsonNesting) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

/// True if `key` has the form of a key. Keys become parts of file names, so a manifest that other users can
/// change must not contain a path in place of a key.
bool is_key(const Json& key) {
  const std::string text = key.is_string() ? key.get<std::string>() : "";
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

[[noreturn]] void refuse_manifest(const std::string& file, const std::string& message,
                                  const std::string& fix) {
  throw config::ConfigError({{{file, 0, ""}, message, fix}});
}

std::string shortened(const Json& value) {
  constexpr std::size_t kLongest = 60;
  const std::string text = value.dump();
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

/// Describes the first differences between the stored manifest and that of this study.
std::string differences(const Json& stored, const Json& ours) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t n = 0;
  for (const Json& change : Json::diff(stored, ours)) {
    const std::string where = change["path"];
    const Json::json_pointer place(where);
    // For an element that is appended to a list, `place` is the end of the list, which does not exist in the
    // stored manifest.
    const std::string was = stored.contains(place) ? shortened(stored[place]) : "absent";
    const std::string now = change["op"] == "remove" ? "absent" : shortened(change["value"]);
    if (n++ < kMost) text += fmt::format("{}{} was {} and is now {}", n == 1 ? "" : "; ", where, was, now);
  }
  if (n > kMost) text += fmt::format("; and {} more", n - kMost);
  return text;
}

}  // namespace

std::string process_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return fmt::format("host.{}", getpid());
  return fmt::format("{}.{}", host.data(), getpid());
}

Store::Store(std::string folder, const Grid& grid) : folder_(std::move(folder)), grid_(grid) {}

bool Store::exists() const {
  std::error_code error;
  return fs::exists(path(kManifest), error);
}

void Store::create(const Manifest& manifest) {
  make_folder(path(kPoints));
  make_folder(path(kLog));
  keys_ = manifest.keys;
  write_durably(path(kManifest), manifest_json(grid_, manifest).dump(1) + "\n", process_name());
}

void Store::open(const Manifest& expected) {
  const std::string file = path(kManifest);
  Json stored = parse_file(file);
  if (!stored.is_object() || !stored.contains("keys") || !stored["keys"].is_array() ||
      !std::all_of(stored["keys"].begin(), stored["keys"].end(), is_key))
    refuse_manifest(file, "is not the manifest of a study",
                    "name another folder with --out, or remove this one");
  keys_ = std::move(stored["keys"]).get<std::vector<std::string>>();
  Json ours = manifest_json(grid_, expected);
  stored.erase("keys");
  ours.erase("keys");
  if (stored != ours) {
    refuse_manifest(
        file, "belongs to another study: " + differences(stored, ours),
        "name another folder with --out, or use the file, the options and the version with which the study "
        "began");
  }
  if (keys_.size() != grid_.size())
    refuse_manifest(file, fmt::format("has {} keys for {} points", keys_.size(), grid_.size()),
                    "name another folder with --out, or remove this one");
  make_folder(path(kPoints));
  make_folder(path(kLog));
}

std::string Store::point_name(std::size_t point) const {
  const std::size_t digits = std::to_string(grid_.size()).size();
  return fmt::format("{:0{}}-{}.json", point + 1, digits, key(point));
}

bool Store::has(std::size_t point) const { return read(point).has_value(); }

std::vector<std::size_t> Store::missing(std::vector<std::size_t> points) const {
  std::erase_if(points, [this](std::size_t p) { return has(p); });
  return points;
}

std::optional<Json> Store::read(std::size_t point) const {
  const std::string file = path(kPoints) + '/' + point_name(point);
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  Json result = parse_file(file);
  if (!result.is_object() || !result.contains("values")) return std::nullopt;
  return result;
}

void Store::write(std::size_t point, const Json& result) const {
  write_durably(path(kPoints) + '/' + point_name(point), result.dump(1) + "\n", process_name());
}

void Store::log(const Json& line) const {
  append_line(path(kLog) + '/' + process_name() + ".jsonl", line.dump());
}

std::vector<std::string> Store::unknown_files() const {
  std::set<std::string> known;
  for (std::size_t p = 0; p < grid_.size(); ++p) known.insert(point_name(p));
  std::vector<std::string> unknown;
  for (const std::string& name : files_in(path(kPoints))) {
    if (known.count(name) == 0) unknown.push_back(name);
  }
  return unknown;
}

}  // namespace softfeb::study
