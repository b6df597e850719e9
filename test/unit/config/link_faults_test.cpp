// SPDX-License-Identifier: BSD-3-Clause
#include "lab_documents.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Returns the base document with a fault rule at a link. If `link` is 0, the rule is at the link of the
/// boards, on line 18; if 1, at the link of the receiver, on line 19. `section` is the section that contains
/// the rule.
std::string with_link_rule(int link, const std::string& section, const std::string& on,
                           const std::string& action = "drop", const std::string& more = "") {
  const std::string line = link == 0
                               ? "    - {ends: [feb, tor], rate: 10Gb/s, delay: 500ns, flow_control: pfc}\n"
                               : "    - {ends: [tor, daq], rate: 10Gb/s, delay: 1us, flow_control: pause}\n";
  std::string flat = line.substr(0, line.size() - 2);
  return replaced(
      kLabBase, line,
      flat + ",\n       " + section + ": {rules: [{on: " + on + ", do: " + action + "}]" + more + "}}\n");
}

struct LinkFaultRow {
  int link;
  const char* section;
  const char* on;
  const char* key;
  const char* message;
  const char* fix;
};

/// Returns the queue pairs that pass over a link, as (board, direction).
std::vector<std::pair<std::size_t, faults::Direction>> passing(const LinkRulesConfig& rules) {
  std::vector<std::pair<std::size_t, faults::Direction>> list;
  for (const auto& qp : rules.qps) list.emplace_back(qp.board, qp.direction);
  return list;
}

using Passing = std::vector<std::pair<std::size_t, faults::Direction>>;
constexpr auto kTx = faults::Direction::kTx;
constexpr auto kRx = faults::Direction::kRx;

}  // namespace

TEST_CASE("a rule acts on the links and in the direction of its packets") {
  const auto rules = [](int link, const char* section, const char* on) {
    return config::test::load_lab(with_link_rule(link, section, on)).link_rules;
  };
  // Links 0 to 2 lead from the boards to the switch, link 3 leads from the switch to the receiver.
  auto r = rules(0, "faults", "{qp: feb-1/0, psn: +4}");
  REQUIRE(r.size() == 4);
  CHECK(passing(r[1][0]) == Passing{{1, kTx}});
  CHECK(r[1][0].rules.size() == 1);
  for (const std::size_t l : {0U, 2U, 3U}) CHECK((r[l][0].rules.empty() && r[l][1].rules.empty()));
  CHECK(r[1][1].rules.empty());
  r = rules(0, "faults", "{qp: any, psn: +4, direction: rx}");
  for (const std::size_t l : {0U, 1U, 2U}) {
    CHECK(passing(r[l][1]) == Passing{{l, kRx}});
    CHECK(r[l][0].rules.empty());
  }
  r = rules(1, "faults", "{qp: any, psn: +4}");
  CHECK(passing(r[3][0]) == Passing{{0, kTx}, {1, kTx}, {2, kTx}});
  r = rules(1, "faults_back", "{qp: feb-2/0, direction: rx}");
  CHECK(passing(r[3][1]) == Passing{{2, kRx}});
  // The third queue pair that sends to the receiver belongs to the third board.
  r = rules(1, "faults", "{qpn: 0x802, to: daq}");
  CHECK(passing(r[3][0]) == Passing{{2, kTx}});
}

TEST_CASE("link faults are written so that they are read again") {
  for (const char* on : {"{qp: feb-1/0, psn: +4}", "{qp: any, direction: rx, kind: nak, count: 1}",
                         "{qpn: 0x800, to: daq, every: 3}"}) {
    INFO(on);
    const LabConfig config = config::test::load_lab(
        with_link_rule(1, "faults", on, "{delay: 3us}", ", drop: 1%, held_packets: 7, max_hold: 2ms"));
    CHECK(config.network.links[3].a_to_b.hold.packets == 7);
    CHECK(config.network.links[3].a_to_b.hold.longest == 2 * kMillisecond);
    const std::string text = to_yaml(config);
    CHECK(text.find("held_packets: 7") != std::string::npos);
    CHECK(to_yaml(config::test::load_lab(text)) == text);
  }
  // If a link has no rules, its keys for rules are not written.
  const LabConfig plain = config::test::load_lab(
      replaced(kLabBase, "flow_control: pause}", "flow_control: pause, faults: {drop: 1%}}"));
  CHECK(to_yaml(plain).find("rules") == std::string::npos);
}

TEST_CASE("link rules that cannot act are refused with place and fix") {
  const LinkFaultRow rows[] = {
      {0, "faults", "{qp: 0, psn: +4}", "on.qp", "several boards", "BOARD/INDEX, for example feb-0/0"},
      {0, "faults", "{qp: feb-3/0}", "on.qp", "no board \"feb-3\"", "did you mean `feb-0`?"},
      {0, "faults", "{qp: camera/0}", "on.qp", "no board \"camera\"", "feb-0, feb-1, feb-2"},
      {0, "faults", "{qp: feb-0/1}", "on.qp", "no queue pair 1", "from 0 to 0"},
      {0, "faults", "{qpn: 0x100}", "on.qpn", "equal QPNs", "add `to: RECEIVER`"},
      {0, "faults", "{qp: feb-0/0, to: daq}", "on.to", "receiver of a QPN", "add `qpn`"},
      {0, "faults", "{qpn: 0x803, to: daq}", "on.qpn", "no queue pair with QPN 2051", "2048 to 2050"},
      {0, "faults", "{qpn: 0x800, to: dac}", "on.to", "no receiver \"dac\"", "`daq`?"},
      {1, "faults_back", "{qp: feb-0/0}", "on.qp",
       "requests of this queue pair pass over the link from \"tor\"", "write the rule in `faults`"},
      {0, "faults", "{qp: feb-0/0, message: 3, part: 16}", "on.part", "only 16 packets", "at most 15"},
      {0, "faults", "{qp: feb-0/0, opcode: write_only}", "on.opcode", "16 packets and no immediate",
       "another opcode"},
      {0, "faults", "{qp: feb-0/0, opcode: write_last_imm}", "on.opcode", "no immediate", "another opcode"}};
  for (const LinkFaultRow& row : rows) {
    INFO(row.on);
    const auto found = lab_problems(with_link_rule(row.link, row.section, row.on));
    REQUIRE(found.size() == 1);
    CHECK(found[0].where.line == 18 + row.link);
    CHECK(found[0].where.key ==
          "network.links." + std::to_string(row.link) + '.' + row.section + ".rules.0." + row.key);
    CHECK(found[0].message.find(row.message) != std::string::npos);
    CHECK(found[0].fix.find(row.fix) != std::string::npos);
    UNSCOPED_INFO(found[0].message << "; " << found[0].fix);
  }
}

TEST_CASE("a rule in the wrong section of two is refused") {
  const auto found = lab_problems(
      with_link_rule(1, "faults", "{qp: feb-0/0, direction: rx}", "drop", "}, faults_back: {drop: 0"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "the responses of this queue pair pass over the link from \"daq\" to \"tor\"");
  CHECK(found[0].fix == "write the rule in `faults_back`");
}

TEST_CASE("a rule on a link beside the packets' path is refused") {
  const auto found = lab_problems(
      with_link_rule(0, "faults", "{qp: feb-0/0}"),
      {"network.links.0.ends=[feb-0..feb-1, tor]", "network.links.2={ends: [feb-2, tor], rate: 10Gb/s}",
       "network.links.0.faults.rules.0.on={qp: feb-2/0}"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "the requests of this queue pair do not pass over this link");
  CHECK(found[0].fix == "write the rule at a link between board and receiver");
}

TEST_CASE("rules that the traffic of their queue pair cannot fulfil are refused") {
  const auto uc = lab_problems(with_link_rule(0, "faults", "{qp: any, direction: rx, kind: ack}"),
                               {"boards.feb.qps.0.transport=UC"});
  REQUIRE(uc.size() == 1);
  CHECK(uc[0].message == "the only responses to UC requests are CNPs");
  CHECK(lab_problems(with_link_rule(0, "faults", "{qp: any, direction: rx, kind: cnp}"),
                     {"boards.feb.qps.0.transport=UC"})
            .empty());
  const auto messages =
      lab_problems(with_link_rule(0, "faults", "{qp: any, message: 3}"), {"run.messages=3"});
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].message == "the queue pair sends only 3 messages");
  CHECK(messages[0].fix.find("at most 2") != std::string::npos);
}

TEST_CASE("ports of the network have no faults of their own") {
  const auto nic = [](const std::string& faults) {
    return lab_problems(kLabBase, {"ports=[{name: nic, device: net_null, faults: " + faults + "}]",
                                   "network.links.2={ends: [nic, tor], rate: 10Gb/s}"});
  };
  const auto random = nic("{tx_drop: 1%}");
  REQUIRE(random.size() == 1);
  CHECK(random[0].message == "port \"nic\" has a link, where its faults do not act");
  CHECK(random[0].fix == "write them in `faults` of the link in `network.links`");
  const auto rule = nic("{rules: [{on: {qp: 0}, do: drop}]}");
  REQUIRE(rule.size() == 2);
  CHECK(rule[0].message == "port nic has no board");
  CHECK(rule[0].fix.find("`network.links`, with `qp: BOARD/INDEX`") != std::string::npos);
}
