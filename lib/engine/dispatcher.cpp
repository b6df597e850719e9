// SPDX-License-Identifier: BSD-3-Clause
#include "engine/dispatcher.hpp"

#include <algorithm>

namespace softfeb::engine {

namespace {

constexpr std::uint32_t kCounterSpan = 1U << 24;  // the firmware's DISPATCH_COUNTER_BITS_G is 24

}  // namespace

void Dispatcher::write(const board::Dispatch& registers) {
  // If RemAddr was changed between bursts, the ring restarts at slot 0. If RemAddr was changed during a
  // burst, the slots continue at the new address.
  if (!sending_ && registers.remote_address != registers_.remote_address) slot_ = 0;
  registers_ = registers;
  registers_.count &= kCounterSpan - 1;
  if (registers.start && registers_.count != 0) sending_ = true;
}

std::uint32_t Dispatcher::waiting() const {
  if (!sending_) return 0;
  // If the count was lowered to the number of requests already generated, or below it, the burst ends with
  // the next request.
  return registers_.count > made_ ? registers_.count - made_ : 1;
}

roce::WorkRequest Dispatcher::next() {
  roce::WorkRequest w;
  w.opcode = roce::WrOpcode::kWriteImm;
  w.signaled = true;
  w.remote_address = registers_.remote_address + std::uint64_t{slot_} * registers_.length;
  w.rkey = registers_.rkey;
  w.length = registers_.length;
  w.immediate = kImmediate;
  advance(1);
  return w;
}

std::uint32_t Dispatcher::drop() {
  const std::uint32_t dropped = waiting();
  if (dropped != 0) advance(dropped);
  return dropped;
}

void Dispatcher::advance(std::uint32_t requests) {
  const std::uint32_t ring = std::clamp(registers_.address_wrap_count, 1U, kCounterSpan);
  // If the ring became smaller, slot_ may be beyond the end of the ring. The next slot is then 0.
  const std::uint32_t next = slot_ + 1 >= ring ? 0 : slot_ + 1;
  slot_ = (next + (requests - 1)) % ring;
  made_ += requests;
  if (made_ < registers_.count) return;
  made_ = 0;
  sending_ = false;
}

}  // namespace softfeb::engine
