// SPDX-License-Identifier: BSD-3-Clause
// Tests that the packet path does not allocate, lock, print or make system calls after a warm-up. A worker
// that sleeps when idle (`idle: sleep`) makes only the system calls for sleeping (detector_test.cpp).
#include "steady_rig.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::steady;
using softfeb::dataplane::IdlePolicy;

namespace {

constexpr std::uint64_t kWarm = 10'000;  // packets sent before the watch starts
constexpr std::uint64_t kWatched = 30'000;

struct Watched {
  Traffic before, after;
};

/// Warms up, then watches all workers while packets leave, registers are accessed, parameters change and
/// snapshots are taken.
Watched watch(SteadyRig& rig, unsigned workers) {
  rig.run(kWarm);
  rig.command();
  Watched w;
  w.before = rig.traffic();
  for (unsigned i = 0; i < workers; ++i) rig.probe(i).begin();
  rig.run(kWatched / 2);
  rig.command();
  rig.run(kWatched / 2);
  w.after = rig.traffic();
  for (unsigned i = 0; i < workers; ++i) rig.probe(i).end();
  return w;
}

void check(const Probe& probe) {
  REQUIRE(probe.error() == 0);
  CHECK(probe.turns() > 1000);
  INFO(probe.watch().text());
  CHECK(probe.watch().total() == 0);
  CHECK(probe.waits() == 0);
  CHECK(probe.major_faults() == 0);
}

}  // namespace

TEST_CASE("boards on net_null", "[steady]") {
  const IdlePolicy idle = GENERATE(IdlePolicy::kSpin, IdlePolicy::kPause);
  SteadyRig rig({.ring = false, .idle = idle});
  const Watched w = watch(rig, 1);
  check(rig.probe(0));
  CHECK(w.after.packets - w.before.packets >= kWatched / 2);
  CHECK(w.after.cnps > w.before.cnps);
  CHECK(w.after.arp_requests > w.before.arp_requests);
  CHECK(w.after.control > w.before.control);
}

TEST_CASE("acknowledgements, windows and congestion control headers", "[steady]") {
  const std::string_view algorithm = GENERATE("timely", "swift", "hpcc", "homa");
  INFO(algorithm);
  SteadyRig rig({.ring = true, .algorithm = algorithm});
  const Watched w = watch(rig, 1);
  check(rig.probe(0));
  const std::uint64_t grants = w.after.grants - w.before.grants;
  CHECK(grants >= (algorithm == "homa" ? kWatched / 20 : 0));
  // kWatched also counts the frames of the receiver: at most one acknowledgement for each packet of the
  // boards, the grants, and a few NAKs and CNPs. Twice the packets of the boards, plus the grants, plus a
  // tenth of kWatched for the NAKs and CNPs, therefore make up at least kWatched.
  CHECK(w.after.packets - w.before.packets + grants / 2 >= kWatched / 2 - kWatched / 20);
  CHECK(w.after.acknowledgements - w.before.acknowledgements >= kWatched / 20);
  CHECK(w.after.naks > w.before.naks);
  CHECK(w.after.retransmitted > w.before.retransmitted);
  CHECK(w.after.received_bytes > w.before.received_bytes);
}

TEST_CASE("boards and a receiver on a ring, packets lost and marked", "[steady]") {
  const unsigned workers = GENERATE(1U, 2U);
  SteadyRig rig({.ring = true, .workers = workers});
  const Watched w = watch(rig, workers);
  for (unsigned i = 0; i < workers; ++i) check(rig.probe(i));
  CHECK(w.after.packets - w.before.packets >= kWatched / 2);
  CHECK(w.after.acknowledgements > w.before.acknowledgements);
  CHECK(w.after.naks > w.before.naks);
  CHECK(w.after.retransmitted > w.before.retransmitted);
  CHECK(w.after.cnps > w.before.cnps);
  CHECK(w.after.arp_requests > w.before.arp_requests);
  CHECK(w.after.control > w.before.control);
  CHECK(w.after.received_bytes > w.before.received_bytes);
}

TEST_CASE("fault rules with every action", "[steady]") {
  SteadyRig rig({.ring = true, .rules = true});
  const Watched w = watch(rig, 1);
  check(rig.probe(0));
  CHECK(w.after.retransmitted > w.before.retransmitted);
  CHECK(w.after.received_bytes > w.before.received_bytes);
  rig.stop();
  const auto rules = rig.rule_counters();
  REQUIRE(rules.size() == 22);
  for (std::size_t r = 0; r < rules.size(); ++r) {
    INFO("rule " << r);
    // Rule 21 is refused, because no response has the PSN that it replays.
    CHECK((r == 21 ? rules[r].refused : rules[r].hits) != 0);
  }
}

TEST_CASE("windows of UC streams and registered transfers", "[steady]") {
  SteadyRig rig({.ring = true, .detector = true});
  const Watched w = watch(rig, 1);
  check(rig.probe(0));
  CHECK(w.after.retransmitted > w.before.retransmitted);
  CHECK(w.after.transfers > w.before.transfers);
  CHECK(w.after.windows > w.before.windows);
}

TEST_CASE("event data of boards that share triggers", "[steady]") {
  const unsigned workers = GENERATE(1U, 2U);
  SteadyRig rig({.ring = true, .workers = workers, .events = true});
  const Watched w = watch(rig, workers);
  for (unsigned i = 0; i < workers; ++i) check(rig.probe(i));
  CHECK(w.after.triggers - w.before.triggers >
        300);  // the boards and the receiver send up to 30 packets per trigger
  CHECK(w.after.retransmitted > w.before.retransmitted);
  CHECK(w.after.received_bytes > w.before.received_bytes);
}
