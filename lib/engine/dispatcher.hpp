// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "roce/work.hpp"

#include <cstdint>

namespace softfeb::engine {

/// The firmware's WorkReqDispatcher (Simple-10GbE-RUDP-KCU105-Example, WorkReqDispatcher.vhd): makes bursts
/// of WRITE requests with immediate that go round a ring of slots at RemAddr. doc/dispatcher.md.
class Dispatcher {
 public:
  /// Channel of the receiver's stream; on the wire 00 00 00 01.
  static constexpr std::uint32_t kImmediate = 1;

  /// Registers as they are after a write, and perhaps an edge. An edge during a burst starts none; so does a
  /// count of 0 (with which the firmware's comparison underflows, to 2^24 requests).
  void write(const board::Dispatch& registers);

  const board::Dispatch& registers() const { return registers_; }
  /// Requests of the burst that are still to be made.
  std::uint32_t waiting() const;
  /// The next of them, but for its id and where its payload lies, which are its QP's. Requires waiting() !=
  /// 0.
  roce::WorkRequest next();
  /// Ends the burst as if all of them had been made; how many they were.
  std::uint32_t drop();

 private:
  void advance(std::uint32_t requests);

  board::Dispatch registers_{.remote_address = UINT64_MAX};
  std::uint32_t made_ = 0;  ///< of the burst
  std::uint32_t slot_ = 0;  ///< of the address ring; 24 bits
  bool sending_ = false;
};

}  // namespace softfeb::engine
