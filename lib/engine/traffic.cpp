// SPDX-License-Identifier: BSD-3-Clause
#include "engine/traffic.hpp"

namespace softfeb::engine {

bool Traffic::signaled(std::uint64_t number) const {
  switch (config_.signaled) {
    case SignalPolicy::kAll:
      return true;
    case SignalPolicy::kLast:
      return config_.messages && number + 1 == *config_.messages;
    case SignalPolicy::kNone:
      return false;
  }
  return true;
}

roce::WorkRequest Traffic::make() {
  const std::uint64_t n = made_++;
  const board::MessageSlice slice = config_.plan.at(n);
  roce::WorkRequest w;
  w.id = n;
  w.opcode = config_.verb;
  w.signaled = signaled(n);
  w.solicited = config_.solicited;
  w.remote_address = config_.remote_address + (n % config_.slots) * config_.plan.message_length();
  w.rkey = config_.rkey;
  w.length = slice.length;
  w.immediate = config_.immediate_kind == ImmediateKind::kCounter
                    ? config_.immediate + static_cast<std::uint32_t>(n)
                    : config_.immediate;
  w.payload_offset = slice.offset;
  return w;
}

}  // namespace softfeb::engine
