// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/sink_events.hpp"

#include "config/error.hpp"

#include <functional>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::endpoints;

namespace {

const config::Where kTo{"run.yaml", 7, "boards.0.events.to"};
constexpr detector::BuilderLayout kEvents{
    {.boards = 2, .builders = 2, .slots = 16, .slot = 4096, .piece = 1000}, 1};

peers::RemoteEndpoint sink() {
  peers::RemoteEndpoint remote;
  remote.events = kEvents;
  remote.qps.resize(2);
  for (peers::RemoteQp& qp : remote.qps) qp.length = kEvents.layout.memory();
  return remote;
}

/// Returns the only problem that `call` throws.
config::Problem problem_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const config::ConfigError& e) {
    REQUIRE(e.problems().size() == 1);
    return e.problems().front();
  }
  FAIL("no ConfigError");
  return {};
}

config::Problem refused(const std::function<void(peers::RemoteEndpoint&)>& change) {
  peers::RemoteEndpoint remote = sink();
  change(remote);
  return problem_of([&] { check_builder(kTo, "sink://daq", kEvents, remote); });
}

}  // namespace

TEST_CASE("an rdma-sink with the layout of the boards is accepted", "[endpoints]") {
  CHECK_NOTHROW(check_builder(kTo, "sink://daq", kEvents, sink()));
}

TEST_CASE("an rdma-sink with another layout is refused, with place and fix", "[endpoints]") {
  using Catch::Contains;
  config::Problem p = refused([](peers::RemoteEndpoint& r) { r.events.reset(); });
  CHECK(p.where.line == 7);
  CHECK(p.where.key == "boards.0.events.to");
  CHECK_THAT(p.message, Contains("sink://daq builds no events"));
  CHECK_THAT(p.fix, Contains("rdma-sink --events --event-boards 2 --event-slots 16 --event-slot 4096 "
                             "--event-piece 1000 --event-builders 2 --event-builder 1"));
  p = refused([](peers::RemoteEndpoint& r) {
    r.events->layout.slots = 8;
    r.events->builder = 0;
  });
  CHECK_THAT(p.message, Contains("slots is 16, but there 8, builder is 1, but there 0"));
  CHECK_THAT(p.fix, Contains("--event-slots 16"));
  p = refused([](peers::RemoteEndpoint& r) { --r.qps[1].length; });
  CHECK_THAT(p.message, Contains("131071 bytes of memory for events that take 131072"));
}

TEST_CASE("the description of events has all that rdma-sink needs", "[endpoints]") {
  peers::LocalEndpoint local;
  describe_events(kEvents, local);
  CHECK(local.message_size == 1064);
  CHECK(local.slots == 16);
  CHECK(local.immediate == true);
  CHECK(local.payload.is_null());
  REQUIRE(local.events);
  CHECK(compare_layouts(*local.events, kEvents).empty());
  detector::BuilderLayout large = kEvents;
  large.layout.piece = 1 << 20;  // larger than a slot
  describe_events(large, local);
  CHECK(local.message_size == 4096);
}

TEST_CASE("a refusal of rdma-sink becomes a problem of the configuration", "[endpoints]") {
  using peers::PeerError;
  using peers::PeerFault;
  config::Problem p = problem_of([] {
    rethrow_at(kTo,
               PeerError(PeerFault::kConfiguration, "sink://daq: rdma-sink refuses: no; fix: yes; or maybe"));
  });
  CHECK(p.where.line == 7);
  CHECK(p.message == "sink://daq: rdma-sink refuses: no");
  CHECK(p.fix == "yes; or maybe");
  p = problem_of([] { rethrow_at(kTo, PeerError(PeerFault::kConfiguration, "busy")); });
  CHECK(p.message == "busy");
  CHECK_FALSE(p.fix.empty());
  CHECK_THROWS_AS(rethrow_at(kTo, PeerError(PeerFault::kEnvironment, "nobody there", true)), PeerError);
}
