// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// Chooses the frames with which tests measure the shared memory of a switch, and finds out how many of these
/// frames are in headroom.
namespace softfeb::switchtest {

struct MemoryClass {
  std::uint8_t dscp = 0;
  bool lossless = false;   ///< the switch pauses the senders, so that frames may be in headroom
  Capacity large;          ///< capacity of the queue for frames of `size` from port A to port D
  std::uint32_t size = 0;  ///< with FCS
};

/// Finds a class that port D can freeze and that has no headroom or, if there is none, a class with headroom.
/// Returns std::nullopt if the test has ended without a result.
std::optional<MemoryClass> find_memory_class(Context& ctx);

/// Returns Settings::dscp and the DSCPs of other queues, without those that port D cannot freeze.
std::vector<std::uint8_t> freezable_dscps(const Context& ctx);

/// Sends more frames of this DSCP and size (with FCS) from port A than the queue of port D can hold, and
/// returns the capacity of this queue. Returns std::nullopt if no trial was valid; the test has then ended.
std::optional<Capacity> capacity_of_class(Context& ctx, std::uint8_t dscp, std::uint32_t size);

/// Returns DSCPs that port D can freeze and that may belong to queues other than the queue of `dscp`. If the
/// queues are known, there is one DSCP for each queue.
std::vector<std::uint8_t> dscps_of_other_queues(const Context& ctx, std::uint8_t dscp);

/// Returns a port other than ports A and D that can fill a queue of D, or std::nullopt if there is none.
std::optional<std::uint16_t> second_sender(const Context& ctx);

/// Returns the number of frames that the headroom of one ingress port holds. Port A first fills a queue until
/// the switch accepts no more frames from A; the result is the number of frames that the switch then still
/// accepts from port `second`. `filling` must be a number of frames that overfills the queue. Returns
/// std::nullopt if no trial was valid.
std::optional<FrameCount> headroom_frames(Context& ctx, const FrameKind& frame, std::uint16_t second,
                                          std::uint64_t filling);

}  // namespace softfeb::switchtest
