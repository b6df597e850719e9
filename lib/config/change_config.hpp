// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/dcqcn_config.hpp"
#include "config/values.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::config {

/// An element of `changes`: new congestion control parameters for QPs of one board while they send.
struct ChangeConfig {
  /// QPs of the board that have the same parameters from then on: first, first + 1, … (numbers on the board).
  struct Part {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    DcqcnConfig dcqcn;  ///< whole: what the change does not name stays as it was before
  };
  Time at = 0;                      ///< after the beginning of the traffic
  std::size_t board = 0;            ///< index into RunConfig::boards
  std::optional<std::uint32_t> qp;  ///< number on its board; none: all
  std::vector<Part> parts;
  /// Keys and values of `dcqcn` as they were written.
  std::vector<std::pair<std::string, std::string>> given;
  Where where;
};

}  // namespace softfeb::config
