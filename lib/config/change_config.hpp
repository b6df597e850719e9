// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/dcqcn.hpp"
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
  /// A range of QPs with the same parameters after the change: first, first + 1, … (QP numbers on the board).
  struct Part {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    DcqcnConfig dcqcn;  ///< complete set, including unchanged parameters
  };
  Time at = 0;                      ///< after the start of traffic
  std::size_t board = 0;            ///< index into RunConfig::boards
  std::optional<std::uint32_t> qp;  ///< QP number on the board; none: all QPs
  std::vector<Part> parts;
  /// Keys and values of `dcqcn`, as written in the file.
  std::vector<std::pair<std::string, std::string>> given;
  Where where;
};

}  // namespace softfeb::config
