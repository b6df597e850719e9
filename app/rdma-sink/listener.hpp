// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace softfeb::sink {

/// Opens a listening socket; `port` 0 selects any free port. Throws NoDevice (exit code 3) with the fix.
int listen_on(const std::string& address, std::uint16_t port);
/// Returns "ADDRESS:PORT" of a listening socket.
std::string local_name(int fd);

}  // namespace softfeb::sink
