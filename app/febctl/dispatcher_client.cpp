// SPDX-License-Identifier: BSD-3-Clause
#include "dispatcher_client.hpp"

#include "access.hpp"
#include "failure.hpp"

#include <thread>

namespace softfeb::febctl {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::uint32_t kCounterMask = (1U << 24) - 1;
}  // namespace

Completions Completions::since(const Completions& before) const {
  return {(ok - before.ok) & kCounterMask, (failed - before.failed) & kCounterMask};
}

DispatcherClient::DispatcherClient(RegisterPort& board, const Catalogue& catalogue)
    : board_(board),
      catalogue_(catalogue),
      start_(catalogue.one("RoceDispatcher.StartDispatching")),
      count_(catalogue.one("RoceDispatcher.DispatchCounter")),
      length_(catalogue.one("RoceDispatcher.Len")),
      ok_(catalogue.one("RoceChecker.SuccessCounter")),
      failed_(catalogue.one("RoceChecker.UnsuccessCounter")) {}

/// Writes the target to the registers. The slot counter restarts only when the address changes, so this
/// function first writes a different address.
void DispatcherClient::set_target(const DispatchTarget& target) {
  const auto set = [this](const char* name, std::uint64_t value) {
    write_number(board_, catalogue_, catalogue_.one(name), value);
  };
  set("RoceDispatcher.Len", target.length);
  set("RoceDispatcher.RKey", target.rkey);
  set("RoceDispatcher.RemAddr", ~target.address);
  set("RoceDispatcher.RemAddr", target.address);
  set("RoceDispatcher.AddrWrapCount", target.slots);
  set("RoceDispatcher.SQpn", target.sqpn);
  set("RoceDispatcher.LKey", target.lkey);
}

void DispatcherClient::set_length(std::uint32_t bytes) { write_number(board_, catalogue_, length_, bytes); }

std::uint32_t DispatcherClient::length() { return static_cast<std::uint32_t>(read_number(board_, length_)); }

Completions DispatcherClient::completions() {
  const std::vector<Reading> both = read_registers(board_, {ok_, failed_});
  for (const Reading& r : both) {
    if (!r.error.empty()) throw Refusal(r.reg.path + ": " + r.error);
  }
  return {static_cast<std::uint32_t>(low64(both[0].bits)), static_cast<std::uint32_t>(low64(both[1].bits))};
}

void DispatcherClient::reset_counters() {
  const Register reset = catalogue_.one("RoceChecker.ResetCounters");
  for (const std::uint32_t level : {0U, 1U, 0U}) write_number(board_, catalogue_, reset, level);
}

Completions DispatcherClient::start(std::uint32_t count) {
  const Completions before = completions();
  write_number(board_, catalogue_, start_, 0);
  write_number(board_, catalogue_, count_, count);
  write_number(board_, catalogue_, start_, 1);
  write_number(board_, catalogue_, start_, 0);
  return before;
}

Burst DispatcherClient::wait(std::uint32_t count, const Completions& before, Clock::time_point started,
                             std::chrono::duration<double> limit, const std::function<bool()>& stopped) {
  Burst burst{.count = count, .length = length()};
  while (true) {
    burst.done = completions().since(before);
    burst.seconds = std::chrono::duration<double>(Clock::now() - started).count();
    if (burst.done.ok + burst.done.failed >= count || burst.seconds > limit.count() || stopped())
      return burst;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

}  // namespace softfeb::febctl
