// SPDX-License-Identifier: BSD-3-Clause
#include "config/fault_notation.hpp"
#include "documents.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Returns the base document with a fault rule at port `feb`, on line 11.
std::string with_rule(const std::string& on, const std::string& action, const std::string& more = "") {
  return replaced(kBase, "    mtu: 4200\n  - name: nic",
                  "    mtu: 4200\n    faults:\n      rules:\n        - on: " + on +
                      "\n          do: " + action + "\n" + more + "  - name: nic");
}

struct FaultRow {
  const char* on;
  const char* action;
  int line;
  const char* key;
  const char* message;
  const char* fix;
};

}  // namespace

TEST_CASE("fault rules are read, and written so that they are read again") {
  const std::string rules[][2] = {{"{qp: 0, psn: +4}", "drop"},
                                  {"{qp: feb0/0, psn: 0xfffff0..0x10, iteration: 2}", "{duplicate: 2}"},
                                  {"{qp: any, every: 256, iteration: 1}", "{reorder: 3}"},
                                  {"{qpn: 0x100, message: 7, part: last}", "{delay: 300us}"},
                                  {"{qp: 0, packet: 100..163, count: 5}", "{truncate: 4}"},
                                  {"{qp: 0, opcode: write_first, round: 2}", "mark_ce"},
                                  {"{qp: 0, direction: rx, kind: nak}", "{set_ttl: 1}"},
                                  {"{qp: 0, direction: rx, kind: cnp}", "drop"},
                                  {"{qp: 0, message: 1, part: 3}", "{set_ecn: ect1}"},
                                  {"{qp: 0, psn: +5..+9}", "{set_dscp: 46}"},
                                  {"{qp: 0, psn: +64}", "{replay: {psn: +3}}"},
                                  {"{qp: 0, psn: 1}", "{corrupt: {at: payload+3, xor: 1, icrc: right}}"},
                                  {"{qp: 0, psn: 1}", "{corrupt: {at: reth.rkey, xor: 0xffffffff}}"}};
  for (const auto& [on, action] : rules) {
    INFO(on << ' ' << action);
    const RunConfig config = load(with_rule(on, action, "      held_packets: 7\n      max_hold: 2ms\n"));
    REQUIRE(config.ports[0].faults.rules.size() == 1);
    CHECK(config.ports[0].faults.rules[0].where.line == 11);
    CHECK(config.ports[0].faults.held_packets == 7);
    CHECK(config.ports[0].faults.max_hold == 2 * kMillisecond);
    const std::string text = to_yaml(config);
    CHECK(to_yaml(load(text)) == text);
  }
}

TEST_CASE("the default of `iteration` depends on the other conditions") {
  const auto iteration = [](const char* on) {
    return load(with_rule(on, "drop")).ports[0].faults.rules[0].rule.on.iteration;
  };
  CHECK(iteration("{qp: 0, psn: +4}") == 1U);
  CHECK(iteration("{qp: 0, opcode: write_first}") == 1U);
  CHECK(iteration("{qp: 0, direction: rx, psn: +4}") == 1U);
  for (const char* on : {"{qp: 0, packet: 4}", "{qp: 0, every: 4}", "{qp: 0, round: 4}",
                         "{qp: 0, direction: rx, kind: nak}", "{qp: 0, psn: 4, iteration: any}"})
    CHECK_FALSE(iteration(on));
}

TEST_CASE("invalid fault rules are refused with place and fix") {
  const FaultRow rows[] = {
      {"{qp: 0, pns: 4}", "drop", 11, "on.pns", "unknown key", "did you mean `psn`?"},
      {"{psn: 4}", "drop", 11, "on", "missing", ""},
      {"{qp: 0, qpn: 0x100}", "drop", 11, "on", "exclude each other", "keep one"},
      {"{qp: 1}", "drop", 11, "on.qp", "board feb0 has no queue pair 1", "write an index from 0 to 0"},
      {"{qp: feb1/0}", "drop", 11, "on.qp", "port feb has no board \"feb1\"", "feb0"},
      {"{qp: first}", "drop", 11, "on.qp", "names no queue pair", "BOARD/INDEX"},
      {"{qpn: 0x101}", "drop", 11, "on.qpn", "QPN 257", "boards[].qps[].qpn"},
      {"{qp: 0, psn: 0x1000000}", "drop", 11, "on.psn", "not a PSN of 24 bits", "0xffffff"},
      {"{qp: 0, psn: +4..9}", "drop", 11, "on.psn", "mixes", "+4..+9"},
      {"{qp: 0, packet: 9..4}", "drop", 11, "on.packet", "not a range", "100..163"},
      {"{qp: 0, every: 0}", "drop", 11, "on.every", "", "from 1"},
      {"{qp: 0, iteration: 256}", "drop", 11, "on.iteration", "not an iteration", "1 to 255"},
      {"{qp: 0, part: last}", "drop", 11, "on.part", "needs the number of a message", "add `message`"},
      {"{qp: 0, kind: nak}", "drop", 11, "on.kind", "applies to responses", "direction: rx"},
      {"{qp: 0, direction: rx, opcode: write_only}", "drop", 11, "on.opcode", "applies to requests",
       "remove"},
      {"{qp: 0, direction: rx, kind: cnp, psn: 0}", "drop", 11, "on.psn", "CNPs have no PSN", "`count`"},
      {"{qp: 0, opcode: send_only}", "drop", 11, "on.opcode", "unknown value", "write_only"},
      {"{qp: 0}", "drp", 12, "do", "is not an action", "did you mean `drop`?"},
      {"{qp: 0}", "delay", 12, "do", "`delay` needs a value", "{delay: "},
      {"{qp: 0}", "{drop: 1}", 12, "do.drop", "has no value", "do: drop"},
      {"{qp: 0}", "{delya: 1us}", 12, "do.delya", "unknown key", "did you mean `delay`?"},
      {"{qp: 0}", "{delay: 1us, truncate: 4}", 12, "do", "one action", "write one of"},
      {"{qp: 0}", "{delay: 11s}", 12, "do.delay", "", "10s"},
      {"{qp: 0}", "{duplicate: 17}", 12, "do.duplicate", "", "16"},
      {"{qp: 0}", "{replay: {psn: +3..+4}}", 12, "do.replay", "one packet", "one PSN"},
      {"{qp: 0}", "{corrupt: {at: payload, xor: 1}}", 12, "do.corrupt.at", "not a place", "payload+N"},
      {"{qp: 0}", "{corrupt: {at: bth.pns, xor: 1}}", 12, "do.corrupt.at", "not a place", "bth.psn"},
      {"{qp: 0}", "{corrupt: {at: bth.pkey, xor: 0x10000}}", 12, "do.corrupt.xor", "only 16 bits", "16 bits"},
      {"{qp: 0}", "{corrupt: {at: pad}}", 12, "do.corrupt", "missing", ""},
      {"{qp: 0}", "{corrupt: {at: icrc, xor: 1, icrc: right}}", 12, "do.corrupt", "right iCRC", "remove"}};
  for (const FaultRow& row : rows) {
    INFO(row.on << ' ' << row.action);
    const auto found = problems(with_rule(row.on, row.action));
    REQUIRE(found.size() == 1);
    CHECK(found[0].where.line == row.line);
    CHECK(found[0].where.key == std::string("ports.0.faults.rules.0.") + row.key);
    CHECK(found[0].message.find(row.message) != std::string::npos);
    CHECK(found[0].fix.find(row.fix) != std::string::npos);
    UNSCOPED_INFO(found[0].message << "; " << found[0].fix);
  }
}

TEST_CASE("rules that their port cannot carry out are refused") {
  const std::string nic =
      replaced(kBase, "    mtu: 4200\nboards:",
               "    mtu: 4200\n    faults:\n      rules:\n        - {on: {qp: 0}, do: drop}\n"
               "boards:");
  const auto no_board = problems(nic);
  REQUIRE(no_board.size() == 1);
  CHECK(no_board[0].where.key == "ports.1.faults.rules.0");
  CHECK(no_board[0].message == "port nic has no board");
  const auto delayed = problems(replaced(with_rule("{qp: 0}", "{delay: 1ms}"), "    mtu: 4200\n    faults",
                                         "    mtu: 4200\n    pacing: timestamp\n    faults"));
  REQUIRE_FALSE(delayed.empty());
  CHECK(delayed[0].message == "packets with departure times cannot be delayed");
  const auto two =
      problems(replaced(with_rule("{qp: 0}", "drop"), "receivers:",
                        "  - name: feb1\n    port: feb\n    ip: 10.0.0.3/24\n    qps: [{to: daq}]\n"
                        "receivers:"));
  REQUIRE(two.size() == 1);
  CHECK(two[0].message == "port feb has 2 boards");
  CHECK(two[0].fix == "write BOARD/INDEX, for example feb0/0");
}
