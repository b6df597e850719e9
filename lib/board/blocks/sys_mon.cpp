// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/tables.hpp"

namespace softfeb::board {
namespace sys_mon_block {
namespace {

// Readings have 12 bits, starting at bit 4. According to UG580, temperature = code · 501.3743 / 4096 -
// 273.6777 °C, and supply voltage = code · 3 V / 4096.
constexpr std::uint64_t temperature(double celsius) {
  return static_cast<std::uint64_t>((celsius + 273.6777) * 4096 / 501.3743 + 0.5);
}
constexpr std::uint64_t supply(double volt) { return static_cast<std::uint64_t>(volt * 4096 / 3 + 0.5); }
/// Returns the register value of a user supply. The register map defines the four user supply registers as
/// whole words, in which the 12-bit code begins at bit 4. The code must therefore be shifted here.
constexpr std::uint64_t user_supply(double volt) { return supply(volt) << 4; }

constexpr RegisterSpec reading(const char* name, std::uint32_t offset, std::uint64_t code) {
  return ro(name, offset, 12).bit(4).polled(5).resets_to(code);
}

constexpr RegisterSpec kRegisters[] = {
    ro("SR", 0x004, 32),
    ro("AOSR", 0x008, 32),
    wo("CONVSTR", 0x00c, 32),
    wo("SYSMONRR", 0x010, 32),
    rw("GIER", 0x05c, 32),
    ro("IPISR", 0x060, 32),
    rw("IPIER", 0x068, 32),
    reading("RawTemperature", 0x400, temperature(45.0)),
    reading("RawVccInt", 0x404, supply(0.95)),
    reading("RawVccAux", 0x408, supply(1.8)),
    reading("RawVpVn", 0x40c, 0),
    reading("RawVrefp", 0x410, supply(1.25)),
    reading("RawVrefn", 0x414, 0),
    reading("RawVccBram", 0x418, supply(0.95)),
    reading("RawSupplyOffset", 0x420, 0),
    reading("RawAdcOffset", 0x424, 0),
    reading("RawGainError", 0x428, 0),
    reading("RawVauxpVauxn", 0x440, 0).times(16),
    reading("RawMaxTemperature", 0x480, temperature(47.5)),
    reading("RawMaxVccInt", 0x484, supply(0.953)),
    reading("RawMaxVccAux", 0x488, supply(1.806)),
    reading("RawMaxVccBram", 0x48c, supply(0.953)),
    reading("RawMinTemperature", 0x490, temperature(31.0)),
    reading("RawMinVccInt", 0x494, supply(0.947)),
    reading("RawMinVccAux", 0x498, supply(1.794)),
    reading("RawMinVccBram", 0x49c, supply(0.947)),
    ro("I2cAddress", 0x4e0, 32),
    ro("FlagRegister", 0x4fc, 32),
    rw("OTThresholdDisable", 0x504, 1),
    rw("SequenceReg8", 0x518, 32),
    rw("SequenceReg9", 0x51c, 32),
    rw("SequenceReg_7_0", 0x520, 32).times(8),
    rw("OTAutomaticShutdown", 0x54c, 4).resets_to(3),
    rw("OTUpperThresholdRaw", 0x54c, 12).bit(4).resets_to(temperature(125.0)),
    rw("OTLowerThresholdRaw", 0x55c, 12).bit(4).resets_to(temperature(70.0)),
    rw("AlarmThresholdReg12", 0x570, 32),
    rw("AlarmThresholdReg_25_16", 0x580, 32).times(8),
    ro("Vuser", 0x600, 32).times(4).resets_to(user_supply(1.8)),
    ro("MaxVuser", 0x680, 32).times(4).resets_to(user_supply(1.806)),
    ro("MinVuser", 0x6a0, 32).times(4).resets_to(user_supply(1.794)),
};

}  // namespace
}  // namespace sys_mon_block

/// Returns the registers of the block. All values are constant, because there is no sensor.
tables::Table tables::sys_mon() {
  using namespace sys_mon_block;
  return kRegisters;
}

}  // namespace softfeb::board
