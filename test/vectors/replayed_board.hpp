// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/board_registers.hpp"
#include "control_capture.hpp"
#include "srp/bus.hpp"

namespace softfeb::test {

/// Returns the identity of a captured board (build stamp, git hash and addresses), as far as the client has
/// read it.
board::BoardRegistersConfig configuration_of(const CapturedConnection& connection);

/// The registers of a board without a data path. All requests of a burst complete immediately.
class ReplayedBoard final : public srp::Bus {
 public:
  explicit ReplayedBoard(const board::BoardRegistersConfig& config);

  void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) override;
  void write(std::uint32_t address, ByteSpan data, Time now, Done done) override;

 private:
  board::BoardRegisters registers_;
  board::LiveState live_;
  board::Actions actions_;
  bool destroyed_ = false;  ///< whether the last metadata message was a destroy request for a QP
};

}  // namespace softfeb::test
