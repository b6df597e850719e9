// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"

#include <cstdint>

namespace softfeb::config {

/// Section `dcqcn` of a board or a QP: congestion control.
struct DcqcnConfig {
  enum class Algorithm : std::uint8_t {
    kOff,
    kFirmware,  ///< the board's algorithm, clock-exact
    kPaper,     ///< DCQCN paper (SIGCOMM 2015), or a commercial NIC's variant by parameters
  };
  /// Which QPs of the board share a rate.
  enum class Scope : std::uint8_t {
    kQp,      ///< none: each QP has its own
    kBoard,   ///< all with this section: the firmware has one reaction point and one bucket
    kIpPair,  ///< those with the same peer IP address
  };
  Algorithm algorithm = Algorithm::kOff;
  Scope scope = Scope::kQp;
  dcqcn::FirmwareSettings firmware;
  dcqcn::PaperSettings paper;
  Where where;
};

}  // namespace softfeb::config
