// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/rssi.hpp"

namespace softfeb::control::rssi {

/// False for parameters no connection can live with: no window, or segments without room for a word.
bool usable(const RssiParameters& parameters);

/// What a server answers to `client`: its values, but window and segment at most `local`'s; out of range
/// values (a client may say anything, and the timers are run by them) are moved into range.
RssiParameters negotiate(const RssiParameters& client, const RssiParameters& local);

/// What a client makes of a server's answer, which it has to follow: the same with its own proposal as limit.
inline RssiParameters adopt(const RssiParameters& server, const RssiParameters& proposal) {
  return negotiate(server, proposal);
}

}  // namespace softfeb::control::rssi
