// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/trial.hpp"

#include <cstdint>
#include <span>

namespace softfeb::switchtest {

/// Counts of reordered and duplicated frames (RFC 4737). The frames of each flow are compared only with each
/// other.
struct Reordering {
  std::uint64_t frames = 0;      ///< number of frames, without duplicates
  std::uint64_t reordered = 0;   ///< frames that arrived after a later frame of their flow
  std::uint64_t extent = 0;      ///< largest reordering extent
  std::uint64_t duplicated = 0;  ///< frames that had already arrived
};

/// Counts reordered frames. `arrivals` must be in order of arrival; damaged frames are ignored.
/// `flow_of_kind` assigns a flow to each kind of frames. All frames of a flow must come from one port. The
/// reordering extent of a frame F is the number of frames of its flow that arrived before F, counted from the
/// first frame that overtook F (RFC 4737, section 4.2.1).
Reordering reordering(std::span<const Arrival> arrivals, std::span<const std::uint16_t> flow_of_kind);

}  // namespace softfeb::switchtest
