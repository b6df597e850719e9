// SPDX-License-Identifier: BSD-3-Clause
#include "free_registers.hpp"

#include "board/profile.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <stdexcept>

namespace softfeb::test {
namespace {

/// Captures in which Rogue's own server was connected to plain memory instead of registers.
const std::set<std::string> kOfMemory = {"rssi_srp_loopback", "rssi_srp_loss"};
/// Captures with a small server, which implements only the metadata bus, the uptime and a few constants. Its
/// other registers read 0.
const std::set<std::string> kOfSmallServer = {"rssi_srp_initread", "rssi_srp_rootstart",
                                              "rssi_srp_startzmq_roce"};

constexpr const char* kDifferFromMemory[] = {
    "RoceEngine.RecvMetaData",  // memory does not respond to metadata messages
};

/// Registers that change without being written, or that have different values on different boards.
constexpr const char* kDifferFromBoard[] = {
    "AxiVersion.UpTimeCnt",  // uptime in seconds; our clock skips gaps in the capture
    "AxiVersion.FpgaVersion",
    "AxiVersion.FdSerial",
    "AxiVersion.DeviceDna",
};

/// Registers that the small server does not implement. Only bits that it returned as 0 may differ.
constexpr const char* kAnsweredZero[] = {
    // Live values: temperatures, voltages, link states.
    "AxiSysMonUltraScale.*",
    "TenGigEthReg.*",
    "FwRudpServer[?].cur*",
    "FwRudpServer[?].*State",
    // Data that the vendor has stored in the transceiver module.
    "Sfp.*",
    // Constants and reset values of the firmware.
    "FwRudpServer[?].loc*",
    "FwRudpServer[?].HeaderChksumEn",
    "AxisMon.AXIS_CONFIG_G_*",
    "AxisMon.COMMON_CLK_G",
    "AppTx.FrameSize",
};

using Masks = std::map<std::uint32_t, std::uint32_t>;  ///< bit masks by the address of the word

Masks masks_of(std::span<const char* const> patterns) {
  Masks out;
  for (const char* pattern : patterns) {
    const auto registers = board::default_profile().map().match(pattern);
    if (registers.empty()) throw std::logic_error(std::string("no register is called ") + pattern);
    for (const board::Register* r : registers) {
      for (unsigned bit = r->bit_offset; bit < r->bit_offset + r->bit_size; ++bit) {
        out[r->address + bit / 32 * 4] |= 1U << bit % 32;
      }
    }
  }
  return out;
}

std::uint32_t mask_in(const Masks& masks, std::uint32_t address) {
  const auto found = masks.find(address);
  return found == masks.end() ? 0 : found->second;
}

}  // namespace

FreeBits free_bits_of(const std::string& capture) {
  if (kOfMemory.contains(capture)) {
    return [m = masks_of(kDifferFromMemory)](std::uint32_t address, std::uint32_t) {
      return mask_in(m, address);
    };
  }
  if (!kOfSmallServer.contains(capture)) return [](std::uint32_t, std::uint32_t) { return ~0U; };
  return [always = masks_of(kDifferFromBoard), zero = masks_of(kAnsweredZero)](std::uint32_t address,
                                                                               std::uint32_t captured) {
    return mask_in(always, address) | (mask_in(zero, address) & ~captured);
  };
}

}  // namespace softfeb::test
