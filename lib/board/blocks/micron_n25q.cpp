// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/tables.hpp"

namespace softfeb::board {
namespace micron_n25q_block {
namespace {

constexpr RegisterSpec kRegisters[] = {
    rw("PasswordLock", 0x000, 32),
    rw("ModeReg", 0x004, 32),
    rw("AddrReg", 0x008, 32),
    rw("CmdReg", 0x00c, 32),
    rw("DataReg", 0x200, 64 * 32).values(64),
};

}  // namespace
}  // namespace micron_n25q_block

/// Returns the registers of the block, which are plain memory; no flash is emulated.
tables::Table tables::micron_n25q() {
  using namespace micron_n25q_block;
  return kRegisters;
}

}  // namespace softfeb::board
