// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hello.hpp"
#include "options.hpp"

#include <cstdint>

namespace softfeb::sink {

/// Capacity limits of a device (ibv_query_device). Some devices report 0 or negative numbers, so check the
/// values before use.
struct DeviceLimits {
  int max_cqe = 0;     ///< completions in a completion queue
  int max_qp_wr = 0;   ///< receive work requests in a queue pair
  int max_srq = 0;     ///< shared receive queues; 0 if the device has none
  int max_srq_wr = 0;  ///< receive work requests in a shared receive queue
};

/// Resources of each QP of a session.
struct Shares {
  std::uint64_t length = 0;  ///< bytes of memory of each QP
  std::uint64_t slots = 0;   ///< number of messages that fit into this memory
  /// Maximum number of receive work requests: of each QP or, with a shared receive queue, of all QPs
  /// together.
  std::uint32_t capacity = 0;
  /// Number of receive work requests posted at the start: for each QP or, with a shared receive queue, for
  /// all QPs together.
  std::uint32_t receives = 0;
  std::uint32_t completions = 0;  ///< size of the completion queue
  bool live = false;              ///< messages can be checked as they arrive (ReceiveAccounting)
};

/// Returns the reason why the device does not support the options, and the fix. Returns an empty string if it
/// supports them.
std::string missing_feature(const Options& options, const DeviceLimits& device);

/// Divides the resources among the QPs. Throws Refusal if the memory or the device's limits are
/// insufficient.
Shares share_out(const Options& options, const Hello& hello, const DeviceLimits& device);
/// Throws Refusal if the client describes a layout of events that differs from the layout of --events.
void check_event_layout(const Options& options, const Hello& hello);
/// Like share_out(), but for --events: all QPs share the memory of the events.
Shares share_out_events(const Options& options, const Hello& hello, const DeviceLimits& device);
/// Like share_out(), but for --registration: all QPs share the memory of the transfers, and `slots` counts
/// transfers.
Shares share_out_transfers(const Options& options, const Hello& hello, const DeviceLimits& device);

}  // namespace softfeb::sink
