// SPDX-License-Identifier: BSD-3-Clause
#include "remote_access.hpp"

namespace softfeb::sink {

int supported_access(const Device& device) {
  const bool atomics = device.attributes().atomic_cap != IBV_ATOMIC_NONE;
  return IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | (atomics ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

int access_flags(const std::optional<RemoteAccess>& access, roce::Transport transport, int supported) {
  if (!access) return transport == roce::Transport::kUc ? IBV_ACCESS_REMOTE_WRITE : supported;
  const int flags = (access->write ? IBV_ACCESS_REMOTE_WRITE : 0) |
                    (access->read ? IBV_ACCESS_REMOTE_READ : 0) |
                    (access->atomic ? IBV_ACCESS_REMOTE_ATOMIC : 0);
  if ((flags & ~supported) != 0)
    throw Refusal("the device has no atomic operations; fix: leave \"atomic\" out of 'access'");
  return flags;
}

}  // namespace softfeb::sink
