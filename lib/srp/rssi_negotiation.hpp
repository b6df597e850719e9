// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rssi.hpp"

namespace softfeb::srp::rssi {

/// Returns false if no connection is possible with the parameters, because the window is 0 or the segments
/// are too small for one word.
bool usable(const RssiParameters& parameters);

/// A server's answer to `client`: the client's values, with window and segment size limited to those of
/// `local`. Out-of-range values are clamped, since they come from the network and set our timers.
RssiParameters negotiate(const RssiParameters& client, const RssiParameters& local);

/// Parameters that a client adopts from a server's answer. The rules of negotiate() apply, with the
/// client's own proposal as the limit.
inline RssiParameters adopt(const RssiParameters& server, const RssiParameters& proposal) {
  return negotiate(server, proposal);
}

}  // namespace softfeb::srp::rssi
