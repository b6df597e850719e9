// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"

#include <cstdint>

namespace softfeb::config {

/// Section `dcqcn` of a board or a QP: its congestion control.
struct DcqcnConfig {
  enum class Algorithm : std::uint8_t {
    kOff,
    kFirmware,  ///< the board's, exact to its clock
    kPaper,     ///< SIGCOMM 2015, or a commercial NIC's with its parameters
  };
  /// Which QPs of the board share one rate.
  enum class Scope : std::uint8_t {
    kQp,      ///< none
    kBoard,   ///< all that have this section: the firmware has one reaction point and one bucket
    kIpPair,  ///< those with the same peer address
  };
  Algorithm algorithm = Algorithm::kOff;
  Scope scope = Scope::kQp;
  dcqcn::FirmwareProfile firmware;
  dcqcn::PaperProfile paper;
  Where where;
};

}  // namespace softfeb::config
