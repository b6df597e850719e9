// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "craft.hpp"

namespace softfeb::bench {

/// Packets a second that one core receives: parsed, iCRC verified, every payload byte compared and copied,
/// acknowledged; frames in memory, without a port. They are a board's, made beforehand and not timed. Beside
/// it (`bare`), by turns: only the CRC, the comparison and the copy of the same packets. `options` of craft;
/// those of port and workers mean nothing.
Json bench_responder(const CraftOptions& options);

}  // namespace softfeb::bench
