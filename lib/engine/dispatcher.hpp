// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "roce/work.hpp"

#include <cstdint>

namespace softfeb::engine {

/// The firmware's WorkReqDispatcher (Simple-10GbE-RUDP-KCU105-Example, WorkReqDispatcher.vhd). Generates
/// bursts of requests (RDMA WRITE with immediate). Their remote addresses cycle through a ring of slots that
/// starts at RemAddr. See doc/dispatcher.md.
class Dispatcher {
 public:
  /// Immediate of every request. The host uses it as the channel number of the data. The bytes on the wire
  /// are 00 00 00 01.
  static constexpr std::uint32_t kImmediate = 1;

  /// Sets the registers. `start` means a rising edge of the start bit. An edge is ignored during a burst,
  /// and also if the count is 0. (In the firmware, a count of 0 makes a comparison underflow and generates
  /// 2^24 requests.)
  void write(const board::Dispatch& registers);

  const board::Dispatch& registers() const { return registers_; }
  /// Number of remaining requests of the burst.
  std::uint32_t waiting() const;
  /// Returns the next request. The caller fills in its id and payload offset, which depend on the QP.
  /// Requires waiting() != 0.
  roce::WorkRequest next();
  /// Ends the burst as if all its requests had been generated. Returns the number of requests dropped.
  std::uint32_t drop();

 private:
  void advance(std::uint32_t requests);

  board::Dispatch registers_{.remote_address = UINT64_MAX};
  std::uint32_t made_ = 0;  ///< requests generated in this burst
  std::uint32_t slot_ = 0;  ///< position in the address ring; 24 bits
  bool sending_ = false;
};

/// The firmware's WorkCompChecker. Counts the successful and failed work completions of the metadata bus's
/// QPs. While its reset is asserted, it counts nothing.
class CompletionChecker {
 public:
  void count(std::uint64_t ok, std::uint64_t failed) {
    if (reset_) return;
    ok_ += ok;
    failed_ += failed;
  }

  void set_reset(bool level) {
    reset_ = level;
    if (level) ok_ = failed_ = 0;
  }

  std::uint64_t ok() const { return ok_; }
  std::uint64_t failed() const { return failed_; }

 private:
  std::uint64_t ok_ = 0;
  std::uint64_t failed_ = 0;
  bool reset_ = false;
};

}  // namespace softfeb::engine
