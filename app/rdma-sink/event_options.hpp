// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_layout.hpp"

#include <cstdint>
#include <string>

namespace softfeb::sink {

/// The options of --events.
struct EventOptions {
  detector::EventLayout layout;  ///< one QP per board
  std::uint32_t builder = 0;     ///< index of this builder, below layout.builders
  std::uint32_t window = 256;
  std::uint64_t timeout_us = 5000;
  std::uint32_t remember = 1024;
  double loss_limit_percent = 0;  ///< highest share of incomplete events that is not reported as a problem
  std::string out;                ///< event file; empty: none
  std::uint32_t channels = 0;     ///< channels of /waveforms in the event file
  std::uint32_t samples = 0;
  std::uint32_t run = 0;
};

}  // namespace softfeb::sink
