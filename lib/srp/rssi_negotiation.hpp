// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rssi.hpp"

namespace softfeb::srp::rssi {

/// False if the parameters do not allow a connection: no window, or segments too small for one word.
bool usable(const RssiParameters& parameters);

/// A server's answer to `client`: the client's values, with window and segment size limited to those of
/// `local`. Out-of-range values are clamped, since they come from the network and set our timers.
RssiParameters negotiate(const RssiParameters& client, const RssiParameters& local);

/// Parameters that a client adopts from a server's answer: the same rules, with its own proposal as the
/// limit.
inline RssiParameters adopt(const RssiParameters& server, const RssiParameters& proposal) {
  return negotiate(server, proposal);
}

}  // namespace softfeb::srp::rssi
