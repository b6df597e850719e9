// SPDX-License-Identifier: BSD-3-Clause
// Tests that the results of endpoints can be transferred to another process.
#include "experiment/endpoint_archive.hpp"

#include "config/load.hpp"
#include "experiment/phases.hpp"
#include "experiment/virtual_driver.hpp"
#include "lab/checks.hpp"
#include "lab/run_stats.hpp"
#include "report/result.hpp"

#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

constexpr const char* kLossyBoards = R"(
run: {duration: 1ms}
network:
  switches: [{name: tor, buffer: 4MiB}]
  links:
    - {ends: [feb, tor], rate: 10Gb/s, delay: 500ns, faults: {drop: 1%, corrupt: 1%}}
    - {ends: [tor, daq], rate: 25Gb/s, delay: 500ns}
boards:
  - name: feb
    count: 2
    ip: 10.0.0.1/24
    qps:
      - {to: daq, pmtu: 4096, congestion: swift, traffic: {message_size: 64KiB, rate: 2Gb/s}}
      - {to: daq, pmtu: 1024, traffic: {lengths: hadoop, arrivals: {load: 10%}}}
      - {to: daq, transport: UC, pmtu: 1024, traffic: {message_size: 4KiB, rate: 1Gb/s}}
receivers:
  - {name: daq, ip: 10.0.0.101/24, memory: 16MiB}
)";

/// A driver whose endpoints have not run. In a process of a distributed run, the same is true of the
/// endpoints that other processes own.
struct Idle {
  explicit Idle(const config::LabConfig& config) : driver(config) {}
  experiment::VirtualDriver driver;
};

}  // namespace

TEST_CASE("another process reports the same results of endpoints", "[experiment][archive]") {
  const config::LabConfig config = config::load_lab_text(kLossyBoards, "lossy.yaml");
  experiment::VirtualDriver ran(config);
  const stats::Outcome outcome = experiment::run_phases(config.run, ran, {}, [](const std::string&) {});
  const auto document = [&](endpoints::Endpoints& endpoints) {
    const lab::Judgement checks = lab::judge(config.run, ran.plans(), outcome, endpoints, {}, true);
    return report::make_result(config.run, nullptr, ran.plans(), outcome, endpoints, {}, checks).dump(1) +
           report::result_table(config.run, ran.plans(), outcome, endpoints, checks);
  };
  const auto wrong = [&](endpoints::Endpoints& endpoints) {
    return lab::memory_wrong(config.run, ran.plans(), outcome.final, endpoints, ran.payloads());
  };
  Idle other(config);
  REQUIRE(document(other.driver.endpoints()) != document(ran.endpoints()));
  REQUIRE(wrong(other.driver.endpoints()) != 0);
  std::vector<std::uint8_t> bytes;
  ArchiveWriter out(bytes);
  for (std::size_t e = 0; e < 3; ++e) experiment::write_endpoint(ran.endpoints(), e, out);
  ArchiveReader in(bytes);
  for (std::size_t e = 0; e < 3; ++e) experiment::read_endpoint(other.driver.endpoints(), e, in);
  CHECK(in.empty());
  CHECK(document(other.driver.endpoints()) == document(ran.endpoints()));
  CHECK(wrong(other.driver.endpoints()) == wrong(ran.endpoints()));
}

TEST_CASE("a snapshot from another process has no pointers of that process", "[experiment][archive]") {
  const config::LabConfig config = config::load_lab_text(kLossyBoards, "lossy.yaml");
  Idle sender(config);
  Idle receiver(config);
  engine::EndpointSnapshot sent = sender.driver.endpoint_counters()[1];
  const std::string reason = "the plug-in asked for a rate of 0";
  const congestion::Parameter name{};
  REQUIRE(sent.send_qps.at(0).congestion);
  sent.send_qps[0].congestion->failure = reason.c_str();
  sent.send_qps[0].congestion->counter_names = &name;
  sent.send_qps[0].congestion->counter_count = 1;
  sent.cnp_tx = 17;
  std::vector<std::uint8_t> bytes;
  ArchiveWriter out(bytes);
  experiment::write_snapshot(sent, out);
  ArchiveReader in(bytes);
  std::set<std::string> texts;
  engine::EndpointSnapshot got;
  experiment::read_snapshot(*receiver.driver.endpoints().boards[1], texts, in, got);
  CHECK(in.empty());
  CHECK(got.cnp_tx == 17);
  REQUIRE(got.send_qps.size() == sent.send_qps.size());
  const congestion::CongestionState& state = *got.send_qps[0].congestion;
  CHECK(state.failure != reason.c_str());
  CHECK(state.failure == reason);
  // The algorithm `swift` has no counters of its own.
  CHECK(state.counter_names == nullptr);
  CHECK(state.counter_count == 0);
}
