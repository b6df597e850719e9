// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "study/grid.hpp"
#include "study/point.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::study {

/// Identifies a study: the same manifest gives the same results.
struct Manifest {
  std::string version;            ///< version of softfeb
  Json config;                    ///< the configuration that all points share, with `lab.sweep`
  std::vector<std::string> keys;  ///< point_key() of each point
};

/// The folder of a study. Any number of processes on any number of hosts may use it at the same time, without
/// locks:
///
/// * `sweep.json` is the manifest.
/// * `points/INDEX-KEY.json` is the result of a point. INDEX begins at 1. The file has a temporary name until
///   it is complete and on the disk. Its contents do not depend on where or when the point was run; if a
///   point is run twice, the second file replaces the first one with the same bytes.
/// * `log/HOST.PID.jsonl` has one line for each point that this process has run.
///
/// Functions throw EnvironmentError if a file cannot be read or written.
class Store {
 public:
  /// Does not access the folder yet.
  Store(std::string folder, const Grid& grid);

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& name) const { return folder_ + '/' + name; }

  /// True if the folder has a manifest.
  bool exists() const;
  /// Creates the folder and writes the manifest.
  void create(const Manifest& manifest);
  /// Reads the manifest. Throws ConfigError with the differences if it belongs to another study. Ignores
  /// `expected.keys`.
  void open(const Manifest& expected);

  /// Key of a point in the manifest. Call after create() or open().
  const std::string& key(std::size_t point) const { return keys_.at(point); }
  /// True if the point has a result.
  bool has(std::size_t point) const;
  /// Returns the elements of `points` that have no result.
  std::vector<std::size_t> missing(std::vector<std::size_t> points) const;
  /// Returns the result of a point; nullopt if there is none, or if the file is damaged.
  std::optional<Json> read(std::size_t point) const;
  /// Stores the result of a point.
  void write(std::size_t point, const Json& result) const;
  /// Adds a line to this process's log.
  void log(const Json& line) const;
  /// Returns the names of files in `points` that do not belong to the study.
  std::vector<std::string> unknown_files() const;

 private:
  std::string point_name(std::size_t point) const;

  std::string folder_;
  const Grid& grid_;
  std::vector<std::string> keys_;
};

/// Returns "HOST.PID" of this process.
std::string process_name();

}  // namespace softfeb::study
