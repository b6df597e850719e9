// SPDX-License-Identifier: BSD-3-Clause
// Loads plug-ins as softfeb does, and runs them on a board.
#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "plugins/plugin_algorithm.hpp"
#include "wire.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

std::string plugin_path(const std::string& name) { return SOFTFEB_PLUGIN_DIR "/" + name + ".so"; }

const congestion::Algorithm& sample() { return plugins::load_plugin(plugin_path("sample_plugin")); }

std::string refusal(const std::string& name) {
  try {
    plugins::load_plugin(plugin_path(name));
  } catch (const plugins::PluginError& e) {
    return std::string(e.what()) + " | " + e.fix();
  }
  return "";
}

/// A board that uses the sample plug-in and writes to a receiver.
class PluginExperiment {
 public:
  explicit PluginExperiment(double misbehave, double target = 30e6, std::uint64_t messages = 100)
      : payload_(test::FilledPayload::counter(8192, 1024)), memory_(8192) {
    test::BoardBuilder b(test::identity(1));
    b.config.link_rate = 1'250'000'000;
    b.config.cc_port = 50'000;
    test::ReceiverBuilder r(test::identity(2));
    r.config.cc_port = 50'000;
    for (int i = 0; i < 2; ++i) {
      SendQpConfig& qp = b.qp(r.config.identity, *payload_);
      const double wrong = i == 0 ? misbehave : 0;
      qp.congestion = congestion::AlgorithmSettings{&sample(), {target, 1e6, wrong}, {1'250'000'000, 1024}};
      qp.traffic.messages = messages;
      r.qp(qp, memory_);
    }
    board = b.build();
    receiver_ = r.build();
    wire_ = std::make_unique<test::Wire>(std::vector<Endpoint*>{board.get(), receiver_.get()});
  }

  bool run() {
    board->start(0);
    return wire_->run(kSecond, [this] { return board->finished(); });
  }
  congestion::CongestionState state(std::size_t i) { return board->qp(i).congestion()->state(wire_->now); }

  std::unique_ptr<Board> board;

 private:
  test::FilledPayload payload_;
  std::vector<std::uint8_t> memory_;
  std::unique_ptr<Receiver> receiver_;
  std::unique_ptr<test::Wire> wire_;
};

}  // namespace

TEST_CASE("plug-in: describes itself", "[plugins]") {
  const congestion::Algorithm& a = sample();
  CHECK(&a == &sample());  // the plug-in is loaded only once
  CHECK(a.name() == "sample");
  CHECK(a.header_profile() == 0xf3);
  CHECK(a.needs() == (congestion::kNeedsAcks | congestion::kNeedsOwnQp));
  REQUIRE(a.parameters().size() == 3);
  CHECK(a.parameters()[0].name == "target");
  CHECK(a.parameters()[0].unit == congestion::Unit::kTime);
  CHECK(a.defaults({}) == congestion::ParameterValues{30e6, 1e6, 0});
}

TEST_CASE("plug-in: a file that does not fit is refused, with the reason and the fix", "[plugins]") {
  CHECK(refusal("wrong_plugin_1").find("is for version 99 of the interface; this softfeb has version 2") ==
        0);
  CHECK(refusal("wrong_plugin_2").find("another layout") != std::string::npos);
  CHECK(refusal("wrong_plugin_3").find("no name that could be a key") != std::string::npos);
  CHECK(refusal("wrong_plugin_4").find("softfeb's own algorithm swift") != std::string::npos);
  CHECK(refusal("wrong_plugin_5").find("`gain` has impossible bounds") != std::string::npos);
  CHECK(refusal("wrong_plugin_6").find("`scope`, which is a key of softfeb") != std::string::npos);
  CHECK(refusal("wrong_plugin_7").find("header profile 3") != std::string::npos);
  CHECK(refusal("wrong_plugin_8").find("is no congestion control plug-in") != std::string::npos);
  CHECK(refusal("wrong_plugin_9").find("does not observe acknowledgements") != std::string::npos);
  CHECK(refusal("absent").find("cannot be loaded") != std::string::npos);
}

TEST_CASE("plug-in: gets acknowledgements, timers and its own header fields", "[plugins]") {
  PluginExperiment e(0);
  REQUIRE(e.run());
  const congestion::CongestionState s = e.state(0);
  CHECK(s.failure == nullptr);
  REQUIRE(s.counter_count == 4);
  CHECK(s.counter_names[2].name == "echoed");
  CHECK(s.counters[0] == 800);      // packets acknowledged
  CHECK(s.counters[2] == 800 * 7);  // sum of the values that the headers of these packets carried
  CHECK(s.counters[1] >= 1);
  CHECK(s.counters[3] == 100 * 8192);               // bytes of the posted messages
  CHECK(e.board->qp(0).headers().dscp() == 8 * 5);  // priority 5, which the plug-in selects
  CHECK(s.rate == 1'250'000'000);  // the RTT is below the target, so the rate has risen to line rate
  REQUIRE(s.rtt);
}

TEST_CASE("plug-in: the rate paces packets", "[plugins]") {
  PluginExperiment e(0, 1e6, 20);  // the RTT of 4 µs is above the target of 1 µs
  REQUIRE(e.run());
  CHECK(e.state(0).rate < 300'000'000);
}

TEST_CASE("plug-in: a mistake stops its queue pair, with a message, and no other", "[plugins]") {
  const auto [mistake, message] = GENERATE(table<double, const char*>({
      {1, "plug-in sample: ack() threw: enough acknowledgements"},
      {2, "plug-in sample: ack() threw an exception"},
      {3, "plug-in sample: rate() is 0.000000 bytes per second; it must be at least 1"},
      {4, "plug-in sample: rate() is"},
      {5, "plug-in sample: window() is 100.000000 bytes; it must be at least one packet of 1036"},
      {6, "plug-in sample: timer_at() is not after the time of the call of timer()"},
      {7, "plug-in sample: start() threw: no start today"},
      {8, "plug-in sample: write_header() wrote 57 bytes"},
      {9, "plug-in sample: credit() is 101 although packet 101 is the next one and none is in flight"},
      {10, "plug-in sample: credit() threw: no credit today"},
      {11, "plug-in sample: priority() is 8; the levels are 0 to 7"},
      {12, "plug-in sample: rank() threw: no rank today"},
      {13, "plug-in sample: posted() threw: too many messages"},
  }));
  CAPTURE(mistake, message);
  PluginExperiment e(mistake, 30e6, 3'000);
  REQUIRE(e.run());  // the board finishes, although one queue pair was stopped
  const char* const failure = e.state(0).failure;
  REQUIRE(failure != nullptr);
  CHECK(std::string(failure).find(message) == 0);
  CHECK(e.board->qp(0).requester().state() == roce::QpState::kErr);
  CHECK(e.board->qp(0).requester().messages_completed() < 3'000);
  CHECK(e.state(1).failure == nullptr);
  CHECK(e.board->qp(1).requester().messages_completed() == 3'000);
}

TEST_CASE("plug-in: new parameters apply while it sends", "[plugins]") {
  PluginExperiment e(0, 30e6, 1'000'000);
  e.board->start(0);
  const congestion::AlgorithmSettings slower{&sample(), {1e6, 1e6, 0}, {}};
  CHECK(e.board->set_congestion(0, slower, 0));
  const congestion::AlgorithmSettings other{
      congestion::find_algorithm("swift"), congestion::find_algorithm("swift")->defaults({}), {}};
  CHECK_FALSE(e.board->set_congestion(0, other, 0));
}
