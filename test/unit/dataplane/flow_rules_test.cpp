// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/flow_rules.hpp"

#include "dataplane/dpdk_versions.hpp"
#include "flow_table_model.hpp"
#include "frames.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;
using test::FlowTableModel;

namespace {

constexpr std::uint16_t kPort = 0, kQueues = 4;
/// The reason why rules for BTH are not used, if FlowTableModel::accepts_bth is false.
constexpr const char* kNoBth = SOFTFEB_HAS_IB_BTH ? "IB BTH item is not supported" : "no BTH flow item";

roce::IpAddress ip_of(const char* text) { return *roce::IpAddress::parse(text); }

/// A packet for queue pair `qpn` of the board at `ip`.
std::vector<std::uint8_t> packet(const char* ip, roce::Qpn qpn, std::optional<roce::VlanTag> vlan = {}) {
  roce::Path path;
  path.dest_ip = ip_of(ip);
  path.source_ip = ip_of(path.dest_ip.is_v4() ? "10.0.0.9" : "fd00::9");
  path.vlan = vlan;
  return test::cnp(path, qpn);
}

/// Two boards; the first one is spread over queues 1 and 2.
std::vector<SteeredBoard> spread_boards() {
  return {{{}, ip_of("10.0.0.1"), {0x11}, 1},
          {{}, ip_of("10.0.0.1"), {0x12}, 2},
          {roce::VlanTag{7, 0}, ip_of("fd00::2"), {0x11}, 3}};
}
/// The same boards, but each belongs to one queue.
std::vector<SteeredBoard> whole_boards() {
  return {{{}, ip_of("10.0.0.1"), {0x11, 0x12}, 1}, {roce::VlanTag{7, 0}, ip_of("fd00::2"), {0x11}, 3}};
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("rules for UDP steer the packets of a board to its queue", "[flow-rules]") {
  FlowTableModel nic;
  nic.accepts_bth = false;
  {
    const FlowRules rules(kPort, SteeringTier::kBth, kQueues, whole_boards());
    CHECK(rules.choice().tier == SteeringTier::kUdp);
    CHECK(has(rules.choice().reason, kNoBth));
    CHECK(nic.queue_of(packet("10.0.0.1", 0x11)) == 1);
    CHECK(nic.queue_of(packet("10.0.0.1", 0x99)) == 1);
    CHECK(nic.queue_of(packet("fd00::2", 0x11, roce::VlanTag{7, 3})) == 3);
    CHECK(nic.queue_of(packet("fd00::2", 0x11, roce::VlanTag{8, 3})) == std::nullopt);
    CHECK(nic.queue_of(packet("10.0.0.3", 0x11)) == std::nullopt);
    auto other_port = packet("10.0.0.1", 0x11);
    ++other_port[14 + 20 + 3];  // the UDP destination port
    CHECK(nic.queue_of(other_port) == std::nullopt);
  }
  CHECK(nic.rules() == 0);
}

#if SOFTFEB_HAS_IB_BTH
TEST_CASE("rules for BTH steer the packets of a queue pair to its queue", "[flow-rules]") {
  FlowTableModel nic;
  nic.probes = {packet("10.0.0.1", 0x11), packet("10.0.0.1", 0x99), packet("fd00::5", 0x11)};
  {
    const FlowRules rules(kPort, SteeringTier::kBth, kQueues, spread_boards());
    CHECK(rules.choice().tier == SteeringTier::kBth);
    CHECK(rules.choice().reason == "the port accepts the rules");
    CHECK(nic.queue_of(packet("10.0.0.1", 0x11)) == 1);
    CHECK(nic.queue_of(packet("10.0.0.1", 0x12)) == 2);
    CHECK(nic.queue_of(packet("fd00::2", 0x11, roce::VlanTag{7, 3})) == 3);
    // The software classifier of queue 0 processes all other RoCEv2 packets.
    CHECK(nic.queue_of(packet("10.0.0.1", 0x99)) == 0);
    CHECK(nic.queue_of(packet("10.0.0.3", 0x11)) == 0);
    CHECK(nic.queue_of(packet("fd00::2", 0x11, roce::VlanTag{8, 3})) == 0);
    auto other_port = packet("10.0.0.1", 0x11);
    ++other_port[14 + 20 + 3];  // the UDP destination port
    CHECK(nic.queue_of(other_port) == std::nullopt);
  }
  CHECK(nic.rules() == 0);
  CHECK(nic.dropped == 0);
}

TEST_CASE("if the table is full, all rules are removed and the next tier is tried", "[flow-rules]") {
  FlowTableModel nic;
  nic.capacity = 4;  // tier T3 needs six rules: three for queue pairs, the fallback and two jumps
  const FlowRules rules(kPort, SteeringTier::kBth, kQueues, whole_boards());
  CHECK(rules.choice().tier == SteeringTier::kUdp);
  CHECK(has(rules.choice().reason,
            "no T3: a rule that was validated before is now refused: the table is full"));
  CHECK(nic.rules() == 2);
  CHECK(nic.queue_of(packet("10.0.0.1", 0x12)) == 1);
}
#endif

TEST_CASE("without any rule, the software classifier remains", "[flow-rules]") {
  FlowTableModel nic;
  SECTION("the port has no flow rules") { nic.accepts_rules = false; }
  SECTION("the table has no room") { nic.capacity = 1; }
  const FlowRules rules(kPort, SteeringTier::kBth, kQueues, whole_boards());
  CHECK(rules.choice().tier == SteeringTier::kSoftware);
  CHECK(has(rules.choice().reason, "no T2: "));
  CHECK(nic.rules() == 0);
}

TEST_CASE("a board that is spread over queues is not steered without T3", "[flow-rules]") {
  FlowTableModel nic;
  nic.accepts_bth = false;
  const FlowRules rules(kPort, SteeringTier::kBth, kQueues, spread_boards());
  CHECK(rules.choice().tier == SteeringTier::kSoftware);
  CHECK(has(rules.choice().reason, kNoBth));
  CHECK(nic.rules() == 0);
}
