// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// lib/study contains the parts of a parameter study (`softfeb lab sweep`) that do not concern a single run:
/// the grid of points, the folder that stores their results, the division into tasks, the table, and the
/// submission to Slurm or GNU parallel. It does not run points; lib/experiment does. Begin with store.hpp.
namespace softfeb::study {

/// All combinations of the values of `lab.sweep`. Points are numbered from 0; the last axis varies fastest.
class Grid {
 public:
  /// Each axis must have at least one value.
  explicit Grid(std::vector<config::SweepAxis> axes);

  const std::vector<config::SweepAxis>& axes() const { return axes_; }
  std::size_t size() const { return size_; }

  /// Returns the point's value on each axis.
  std::vector<std::string> values(std::size_t point) const;
  /// Returns the point's values as KEY=VALUE, in the syntax of `--set`.
  std::vector<std::string> overrides(std::size_t point) const;
  /// Returns the last part of the axis's key if no other axis has the same last part, otherwise the whole
  /// key.
  std::string heading(std::size_t axis) const;
  /// Returns the name of a point for messages, such as "kmin=20KiB rhai=24Mb/s".
  std::string name(std::size_t point) const;

 private:
  std::vector<config::SweepAxis> axes_;
  std::size_t size_ = 1;
};

}  // namespace softfeb::study
