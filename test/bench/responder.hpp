// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "craft.hpp"

namespace softfeb::bench {

/// Packets per second that one core receives: parsed, iCRC verified, every payload byte compared and copied,
/// acknowledged. Frames are in memory, without a port; a board builds them beforehand, untimed. `bare`,
/// measured alternately, performs only the CRC, the comparison and the copy. Uses the options of craft except
/// port and workers.
Json bench_responder(const CraftOptions& options);

}  // namespace softfeb::bench
