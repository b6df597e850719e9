// SPDX-License-Identifier: BSD-3-Clause
// Tests that the files of the catalogue are read, and that errors name the file, case, line and fix.
#include "conformance/catalogue.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// Returns a group with one case. `keys` begin at line 14 and are indented by four spaces.
std::string group_with(const std::string& keys, const std::string& service = "RC") {
  return "group: X\ntitle: a group\ncases:\n"
         "  - id: X-01\n    title: a case\n    section: \"9.7\"\n    service: " +
         service +
         "\n    opcodes: 0A\n    severity: high\n    level: should\n    stimulus: something\n"
         "    expected: something\n    needs: memory recv\n" +
         keys;
}

Case case_with(const std::string& keys, const std::string& service = "RC") {
  const CaseGroup group = parse_group(group_with(keys, service), "X.yaml");
  REQUIRE(group.cases.size() == 1);
  return group.cases.front();
}

Part part_with(const std::string& keys) {
  const Case c = case_with(keys);
  REQUIRE(c.parts.size() == 1);
  return c.parts.front();
}

std::string refusal_of(const std::string& text) {
  try {
    parse_group(text, "X.yaml");
  } catch (const NotationError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a case is read with its texts", "[group]") {
  const CaseGroup group =
      parse_group(group_with("    run: {steps: [{send: O(e)!, expect: ACK e}]}\n"), "X.yaml");
  CHECK(group.name == "X");
  CHECK(group.title == "a group");
  const Case& c = group.cases.front();
  CHECK(c.id == "X-01");
  CHECK(c.title == "a case");
  CHECK(c.section == "9.7");
  CHECK(c.service == "RC");
  CHECK(c.opcodes == "0A");
  CHECK(c.stimulus == "something");
  CHECK(c.expected == "something");
  CHECK(c.severity == Severity::kHigh);
  CHECK(c.level == Level::kShould);
  CHECK(c.needs == (kNeedsMemory | kNeedsReceives));
  CHECK(c.group() == "X");
  REQUIRE(c.parts.size() == 1);
  REQUIRE(c.parts[0].steps.size() == 1);
  CHECK(c.parts[0].steps[0].kind == Step::Kind::kSend);
  CHECK(c.parts[0].steps[0].packets.size() == 1);
  CHECK(c.parts[0].steps[0].expect);
  CHECK(c.parts[0].qps.size() == 1);
  CHECK(c.parts[0].ending == Ending::kAlive);
}

TEST_CASE("a queue pair is read with its attributes", "[group]") {
  const Part part = part_with(R"yaml(    run:
      qps:
        - {transport: uc, pmtu: 4096, psn: 0xFFFFFF, receives: 2, receive_size: 100, rnr_timer: 31}
        - {access: [read], state: rtr, solicited_only: true, max_dest_rd_atomic: 0}
      steps: [{wait: 1ms, qp: 1}]
)yaml");
  REQUIRE(part.qps.size() == 2);
  CHECK(part.qps[0].transport == roce::Transport::kUc);
  CHECK(part.qps[0].pmtu == 4096);
  CHECK(part.qps[0].psn == 0xffffffU);
  CHECK(part.qps[0].receives == 2);
  CHECK(part.qps[0].receive_size == 100);
  CHECK(part.qps[0].rnr_timer == 31);
  CHECK(part.qps[0].remote_write);
  CHECK(part.qps[1].transport == roce::Transport::kRc);
  CHECK_FALSE(part.qps[1].remote_write);
  CHECK(part.qps[1].remote_read);
  CHECK_FALSE(part.qps[1].remote_atomic);
  CHECK(part.qps[1].state == TargetState::kRtr);
  CHECK(part.qps[1].solicited_only);
  CHECK(part.qps[1].max_dest_rd_atomic == 0);
  CHECK(case_with("    run: {steps: [{wait: 1ms}]}\n", "UC").parts[0].qps[0].transport ==
        roce::Transport::kUc);
}

TEST_CASE("every kind of step is read", "[group]") {
  const Part part = part_with(R"yaml(    run:
      steps:
        - {send: O(e+i)!, times: 3, interval: 50us, one_at_a_time: true, within: 2ms, expect: ACK e+i, settle: true}
        - {drop: "O(e,8,tver=1)! O(e,8,tver=2)!", then: O(e), expect: ACK e}
        - {every_bit: O(e)!}
        - {mutate: 100}
        - {wait: 3s}
        - {receive: 2}
        - {modify: error}
        - {destroy: true}
        - {fill: true}
        - {check: true}
        - {send: O(e)!, expect: NAK61 e, bounds_first: NAK62 e, figure: latency, fields: {dmac: own, psn: [1, 2]},
           cnp: {udpsum: valid, psn: same, dscp: report, byte4: 0x40}}
)yaml");
  using Kind = Step::Kind;
  const Kind kinds[] = {Kind::kSend, Kind::kDrop,    Kind::kEveryBit, Kind::kMutate,
                        Kind::kWait, Kind::kReceive, Kind::kModify,   Kind::kDestroy,
                        Kind::kFill, Kind::kCheck,   Kind::kSend};
  REQUIRE(part.steps.size() == std::size(kinds));
  for (std::size_t k = 0; k < std::size(kinds); ++k) CHECK(part.steps[k].kind == kinds[k]);
  const Step& first = part.steps[0];
  CHECK(first.times == 3);
  CHECK(first.interval == 50 * kMicrosecond);
  CHECK(first.one_at_a_time);
  CHECK(first.within == 2 * kMillisecond);
  CHECK(first.settle);
  CHECK(part.steps[1].packets.size() == 2);
  CHECK(part.steps[1].then);
  CHECK(part.steps[3].times == 100);
  CHECK(part.steps[4].time == 3 * kSecond);
  CHECK(part.steps[5].times == 2);
  CHECK(part.steps[6].state == TargetState::kError);
  const Step& last = part.steps[10];
  CHECK(last.bounds_first);
  CHECK(last.figure == "latency");
  REQUIRE(last.fields.size() == 2);
  CHECK(last.fields[0].kind == FieldCheck::Kind::kOwn);
  CHECK(last.fields[1].numbers == std::vector<std::uint64_t>{1, 2});
  REQUIRE(last.cnp_fields.size() == 4);
  CHECK(last.cnp_fields[0].kind == FieldCheck::Kind::kValid);
  CHECK(last.cnp_fields[1].kind == FieldCheck::Kind::kSame);
  CHECK(last.cnp_fields[2].kind == FieldCheck::Kind::kReport);
  CHECK(last.cnp_fields[3].numbers == std::vector<std::uint64_t>{0x40});
}

TEST_CASE("the end of a part is read", "[group]") {
  const Part part = part_with(R"yaml(    run:
      steps: [{wait: 1ms}]
      ending: error
      written: [1, 3]
      tolerated: [2]
      completions: [{length: 2P, immediate: 7}, {success: false}]
      counters: {out_of_sequence: 1..2, rnr: 3}
      solicited_events: 1
)yaml");
  CHECK(part.ending == Ending::kError);
  CHECK(part.written.kind == WrittenSpec::Kind::kListed);
  CHECK(part.written.packets == std::vector<std::uint32_t>{1, 3});
  CHECK(part.written.tolerated == std::vector<std::uint32_t>{2});
  REQUIRE(part.completions);
  REQUIRE(part.completions->size() == 2);
  CHECK(part.completions->at(0).length == Expression::parse("2P"));
  CHECK(part.completions->at(0).immediate == 7U);
  CHECK_FALSE(part.completions->at(1).success);
  CHECK(part.counters.at("out_of_sequence").contains(2));
  CHECK_FALSE(part.counters.at("out_of_sequence").contains(3));
  CHECK(part.counters.at("rnr").contains(3));
  CHECK_FALSE(part.counters.at("rnr").contains(2));
  CHECK(part.solicited_event == true);
  using Kind = WrittenSpec::Kind;
  const std::pair<const char*, Kind> words[] = {
      {"all", Kind::kAll}, {"none", Kind::kNone}, {"any", Kind::kAny}, {"acknowledged", Kind::kAcknowledged}};
  for (const auto& [word, kind] : words)
    CHECK(part_with(std::string("    run: {steps: [{wait: 1ms}], written: ") + word + "}\n").written.kind ==
          kind);
}

TEST_CASE("a part is repeated for each value", "[group]") {
  const Case c = case_with(R"yaml(    run:
      - for: [1, 5]
        steps: [{send: "O(e,$)!", expect: "ACK e msn $"}]
      - for: [[2, 7], [3, 8]]
        steps: [{send: "O(e,$1,tver=$2)"}]
      - steps: [{wait: 1ms}]
)yaml");
  REQUIRE(c.parts.size() == 5);
  CHECK(c.parts[0].steps[0].packets[0].text == "O(e,1)!");
  CHECK(c.parts[1].steps[0].expect->text == "ACK e msn 5");
  CHECK(c.parts[2].steps[0].packets[0].text == "O(e,2,tver=7)");
  CHECK(c.parts[3].steps[0].packets[0].text == "O(e,3,tver=8)");
}

TEST_CASE("runs of the ordinary sender are read", "[group]") {
  const Case one = case_with(
      R"yaml(    traffic: {qps: 2, message: 4096, messages: 8, window: 16, immediate: true, receives: 4, naks: 1..2,
      timeouts: 0, counters: {rnr: 1}, rules: [{on: {qp: 0}, do: drop}]}
)yaml");
  REQUIRE(one.traffic.size() == 1);
  const TrafficSpec& t = one.traffic.front();
  CHECK(t.qps == 2);
  CHECK(t.message == 4096);
  CHECK(t.messages == 8);
  CHECK(t.window == 16);
  CHECK(t.immediate);
  CHECK(t.receives == 4);
  CHECK(t.naks.contains(2));
  CHECK_FALSE(t.timeouts.contains(1));
  CHECK(t.counters.count("rnr") == 1);
  REQUIRE(t.rules.size() == 1);
  CHECK(t.rules.front().qp == 0U);
  CHECK(t.rules.front().rule.action.kind == faults::ActionKind::kDrop);
  CHECK(case_with("    traffic: [{qps: 1}, {qps: 3}]\n").traffic.size() == 2);
  CHECK(case_with("    not_available: there is no way\n").not_available == "there is no way");
}

TEST_CASE("an error names file, case, line and fix", "[group]") {
  struct Row {
    const char* keys;
    const char* what;
  };
  const Row rows[] = {
      {"    runs: {}\n", "line 14: unknown key 'runs'; the nearest is run; fix: use one of id, title,"},
      {"", "line 4: the case does nothing; fix: give it run or traffic"},
      {"    run: {step: []}\n", "line 14: unknown key 'step'; the nearest is steps; fix: use one of"},
      {"    run: {steps: []}\n", "line 14: 'steps' is missing"},
      {"    run: [{steps: 5}]\n", "line 14: 'steps' is missing"},
      {"    run:\n      steps:\n        - {send: X(e)}\n",
       "line 16: 'X(e)' is not a packet: unknown kind 'X'; fix:"},
      {"    run:\n      steps:\n        - {send: \"O(e,q)\"}\n",
       "line 16: 'O(e,q)' is not a packet: unknown option 'q'"},
      {"    run:\n      steps:\n        - {send: \"O(e+)\"}\n",
       "line 16: 'e+' is not an expression: a term is missing"},
      {"    run:\n      steps:\n        - {send: O(e), expect: ACKK e}\n",
       "line 16: 'ACKK e' is not an answer: unknown kind; fix: write for example"},
      {"    run:\n      steps:\n        - {send: O(e), bounds_first: ACK e}\n", "line 16: it needs expect"},
      {"    run:\n      steps:\n        - {drop: O(e), then: O}\n", "line 16: 'O' is not a packet"},
      {"    run:\n      steps:\n        - {send: O(e), then: O(e)}\n",
       "line 16: only drop has a packet that follows"},
      {"    run:\n      steps:\n        - {wait: 1ms, expect: ACK e}\n",
       "line 16: only send and drop expect answers; fix:"},
      {"    run:\n      steps:\n        - {wait: 1m}\n",
       "line 16: '1m' is not a time; fix: write for example 50us"},
      {"    run:\n      steps:\n        - {wait: 10000000s}\n", "line 16: '10000000s' is not a time"},
      {"    run:\n      steps:\n        - {wait: -1s}\n", "line 16: '-1s' is not a time"},
      {"    run:\n      steps:\n        - {expect: ACK e}\n",
       "line 16: a step has one of the keys send, drop"},
      {"    run:\n      steps:\n        - {send: O(e), drop: O(e)}\n",
       "line 16: a step has one of the keys send, drop"},
      {"    run:\n      steps:\n        - 5\n", "line 16: a section with keys is expected"},
      {"    run:\n      steps:\n        - {send: O(e), times: 0}\n",
       "line 16: '0' is out of range; fix: write a number from 1 to 1000000"},
      {"    run:\n      steps:\n        - {receive: 0-1}\n", "line 16: '0-1' is out of range"},
      {"    run:\n      steps:\n        - {modify: dead}\n",
       "line 16: 'dead' is not a state; fix: use init, rtr"},
      {"    run:\n      steps:\n        - {send: O(e), qp: 1}\n",
       "line 16: the part has no such queue pair; fix:"},
      {"    run:\n      steps:\n        - {send: O(e), fields: {rkey: 1}}\n",
       "line 16: 'rkey' is not a field of an answer"},
      {"    run:\n      steps:\n        - {send: O(e), fields: {psn: x}}\n",
       "line 16: 'x' is not an expression"},
      {"    run:\n      qp: {pmtu: 0}\n      steps: [{wait: 1ms}]\n",
       "line 15: '0' is out of range; fix: write a number from 256 to 4096"},
      {"    run:\n      qp: {pmtu: 1500}\n      steps: [{wait: 1ms}]\n",
       "line 15: a path MTU is 256, 512, 1024"},
      {"    run:\n      qp: {rnr_timer: 32}\n      steps: [{wait: 1ms}]\n", "line 15: '32' is out of range"},
      {"    run:\n      qp: {psn: 0x1000000}\n      steps: [{wait: 1ms}]\n",
       "line 15: '0x1000000' is out of range"},
      {"    run:\n      qp: {transport: ud}\n      steps: [{wait: 1ms}]\n",
       "line 15: 'ud' is not a transport; fix:"},
      {"    run:\n      qp: {access: [all]}\n      steps: [{wait: 1ms}]\n",
       "line 15: 'all' is not an access right; fix:"},
      {"    run:\n      qp: {mtu: 1024}\n      steps: [{wait: 1ms}]\n",
       "line 15: unknown key 'mtu'; the nearest is pmtu"},
      {"    run: {steps: [{wait: 1ms}], ending: dead}\n", "line 14: 'dead' is not an ending; fix: use alive"},
      {"    run: {steps: [{wait: 1ms}], written: some}\n", "line 14: 'some' is not acknowledged, all, none"},
      {"    run: {steps: [{wait: 1ms}], written: [x]}\n", "line 14: 'x' is not an expression"},
      {"    run: {steps: [{wait: 1ms}], completions: [{length: Q}]}\n", "line 14: 'Q' is not an expression"},
      {"    run: {steps: [{wait: 1ms}], completions: [{status: 1}]}\n", "line 14: unknown key 'status'"},
      {"    run: {steps: [{wait: 1ms}], counters: {rnr: 2..1}}\n", "line 14: '2..1' is an empty range; fix:"},
      {"    run:\n      for: [8,\n        x]\n      steps: [{send: \"O(e,8,tver=$)\"}]\n",
       "line 16: with this value of 'for': 'x' is not an expression: unknown symbol 'x'"},
      {"    run: {steps: [{wait: 1ms}]}\n    needs: magic\n", "'magic' is not a need of a case"},
      {"    traffic: {qps: 0}\n", "line 14: '0' is out of range"},
      {"    traffic: {packets: 0}\n", "line 14: unknown key 'packets'"},
      {"    run: [\n", "line "},
  };
  for (const Row& row : rows) {
    INFO(row.keys);
    // group_with() writes the key `needs`, so remove that line if the row contains the key, too.
    std::string text = group_with(row.keys);
    if (std::string(row.keys).find("needs") != std::string::npos)
      text.erase(text.find("    needs: memory recv\n"), 23);
    const std::string message = refusal_of(text);
    CHECK_THAT(message, StartsWith("X.yaml"));
    CHECK_THAT(message, Contains(row.what));
    if (std::string(row.keys) != "    run: [\n") CHECK_THAT(message, StartsWith("X.yaml X-01: "));
  }
}

TEST_CASE("a file that is not a group is refused", "[group]") {
  CHECK_THAT(refusal_of(""), StartsWith("X.yaml: ") && Contains("a section with keys is expected"));
  CHECK_THAT(refusal_of("[1]"), Contains("a section with keys is expected"));
  CHECK_THAT(refusal_of("group: X\ntitle: t\n"), Contains("'cases' is missing; fix: list the cases"));
  CHECK_THAT(refusal_of("group: X\ntitle: t\ncases: 5\n"), Contains("'cases' is missing"));
  CHECK_THAT(refusal_of("title: t\ncases: []\n"), Contains("'group' is missing"));
  CHECK_THAT(refusal_of("group: X\ntitle: t\ncases: []\nmore: 1\n"), Contains("line 4: unknown key 'more'"));
  CHECK_THAT(refusal_of("group: X\ntitle: t\ncases: [{title: t}]\n"), Contains("line 3: 'id' is missing"));
  std::string other = group_with("    run: {steps: [{wait: 1ms}]}\n");
  other.replace(other.find("X-01"), 4, "Y-01");
  CHECK_THAT(refusal_of(other), StartsWith("X.yaml Y-01: line 4: the id does not begin with X-"));
  std::string level = group_with("    run: {steps: [{wait: 1ms}]}\n");
  level.replace(level.find("level: should"), 13, "level: always");
  CHECK_THAT(refusal_of(level), Contains("'always' is not a level; fix: use shall, should, may, measure or"));
  std::string severity = group_with("    run: {steps: [{wait: 1ms}]}\n");
  severity.replace(severity.find("severity: high"), 14, "severity: much");
  CHECK_THAT(refusal_of(severity),
             Contains("'much' is not a severity; fix: use critical, high, medium, low or"));
  std::string service = group_with("    run: {steps: [{wait: 1ms}]}\n", "UD");
  CHECK_THAT(refusal_of(service), Contains("'UD' is not a service; fix: use RC or UC"));
}
