// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/tables.hpp"

namespace softfeb::board {
namespace {

constexpr RegisterSpec kDataBlock[] = {rw("DataBlock", 0x000, 256 * 32).values(256)};

}  // namespace

tables::Table tables::app_mem() { return kDataBlock; }

}  // namespace softfeb::board
