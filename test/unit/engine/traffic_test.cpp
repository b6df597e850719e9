// SPDX-License-Identifier: BSD-3-Clause
#include "engine/traffic.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

TrafficConfig three_messages(SignalPolicy signaled) {
  TrafficConfig c;
  c.plan = board::MessagePlan::of(2500, 1000);
  c.messages = 3;
  c.remote_address = 0x10000;
  c.slots = 2;
  c.rkey = 7;
  c.immediate = 40;
  c.immediate_kind = ImmediateKind::kCounter;
  c.verb = roce::WrOpcode::kWriteImm;
  c.signaled = signaled;
  c.solicited = true;
  return c;
}

std::vector<roce::WorkRequest> all_of(Traffic& traffic) {
  std::vector<roce::WorkRequest> all;
  while (!traffic.finished()) all.push_back(traffic.make());
  return all;
}

std::vector<bool> signals(SignalPolicy policy) {
  Traffic traffic(three_messages(policy));
  std::vector<bool> out;
  for (const roce::WorkRequest& w : all_of(traffic)) out.push_back(w.signaled);
  return out;
}

}  // namespace

TEST_CASE("traffic: which messages request a completion", "[traffic]") {
  CHECK(signals(SignalPolicy::kAll) == std::vector<bool>{true, true, true});
  CHECK(signals(SignalPolicy::kLast) == std::vector<bool>{false, false, true});
  CHECK(signals(SignalPolicy::kNone) == std::vector<bool>{false, false, false});
}

TEST_CASE("traffic: messages as configured, and reproducible", "[traffic]") {
  Traffic traffic(three_messages(SignalPolicy::kAll));
  const std::vector<roce::WorkRequest> made = all_of(traffic);
  REQUIRE(made.size() == 3);
  for (std::uint32_t n = 0; n < 3; ++n) {
    const roce::WorkRequest again = Traffic::again(&traffic, 3 - n);
    for (const roce::WorkRequest& w : {made[n], again}) {
      CHECK(w.id == n);
      CHECK(w.opcode == roce::WrOpcode::kWriteImm);
      CHECK(w.solicited);
      CHECK(w.remote_address == 0x10000 + n % 2 * 1000);
      CHECK(w.rkey == 7);
      CHECK(w.length == (n == 2 ? 500 : 1000));
      CHECK(w.immediate == 40 + n);
      CHECK(w.payload_offset == n * 1000);
    }
  }
}
