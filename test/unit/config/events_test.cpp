// SPDX-License-Identifier: BSD-3-Clause
// Tests the configuration of triggers, and of event data in boards and receivers.
#include "config/emit.hpp"
#include "config/load.hpp"
#include "expected_problem.hpp"
#include "lab_documents.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

const std::string kEvents = R"(ports:
  - {name: p, device: net_null0, mtu: 4200}
  - {name: q, device: net_null1, mtu: 4200}
triggers:
  - name: camera
    dead_time: 7us
    sources:
      - {kind: random, type: subarray, rate: 10kHz, pile_up: 1%, pile_up_window: 20us}
      - {kind: periodic, type: flatfield, rate: 100Hz, phase: 3ms}
      - {kind: list, type: daq, times: [1ms, 2ms]}
boards:
  - name: feb
    count: 3
    port: p
    ip: 10.0.0.1/24
    events: {trigger: camera, to: builder, kind: waveform12, slots: 8, slot: 16KiB, busy: veto}
receivers:
  - name: builder
    count: 2
    port: q
    ip: 10.0.0.100/24
    events: {boards: feb, window: 64, loss_limit: 1%}
)";

/// kEvents with two rdma-sinks as event builders, in place of the receivers.
const std::string kSinks = [] {
  const std::string text = replaced(kEvents, "to: builder", "to: [sink://daq-0, 'sink://[fd00::1]:5000']");
  return text.substr(0, text.find("receivers:"));
}();

}  // namespace

TEST_CASE("boards with events are numbered and have one queue pair for each builder", "[events]") {
  const RunConfig config = load(kEvents);
  REQUIRE(config.triggers.size() == 1);
  CHECK(config.triggers[0].sources.size() == 3);
  CHECK(config.triggers[0].sources[0].source.rate_hz == 10'000);
  CHECK(config.triggers[0].sources[1].source.seed == 2);
  CHECK(config.triggers[0].sources[2].source.times == std::vector<Time>{kMillisecond, 2 * kMillisecond});
  REQUIRE(config.boards.size() == 3);
  for (std::uint32_t b = 0; b < 3; ++b) {
    const BoardConfig& board = config.boards[b];
    REQUIRE(board.events);
    CHECK(board.events->board == b);
    CHECK(board.events->boards == 3);
    CHECK(board.events->busy_at == 12);
    CHECK(board.events->builders.receivers == std::vector<std::size_t>{0, 1});
    REQUIRE(board.qps.size() == 1);
    CHECK(board.qps[0].count == 2);
    CHECK(board.qps[0].pmtu == 4096);
    CHECK(board.qps[0].window == 2 * 16);
  }
  CHECK(config.receivers[1].events->builder == 1);
  CHECK(config.receivers[1].memory == 3 * 8 * 16 * 1024);
  CHECK(config.receivers[1].events->loss_limit.billionths == 10'000'000);
}

TEST_CASE("replicas of an event builder write a file each", "[events]") {
  const RunConfig config = load(replaced(kEvents, "boards: feb,", "boards: feb, out: d/run.h5,"));
  CHECK(config.receivers[0].events->out == "d/run-0.h5");
  CHECK(config.receivers[1].events->out == "d/run-1.h5");
  CHECK(to_yaml(load(to_yaml(config))) == to_yaml(config));
}

TEST_CASE("triggers as messages, and a recording that is sent again", "[events]") {
  std::string text = replaced(kEvents, "dead_time: 7us", "mode: message");
  text = replaced(text, "kind: waveform12", "kind: replay, file: a.h5");
  const RunConfig config = load(text);
  CHECK(config.triggers[0].message);
  CHECK(config.boards[0].events->kind == detector::PayloadKind::kReplay);
  CHECK(config.boards[0].events->file == "a.h5");
  CHECK(to_yaml(load(to_yaml(config))) == to_yaml(config));
  CHECK_FALSE(load(kEvents).triggers[0].message);
}

TEST_CASE("rdma-sinks build events, each on queue pairs of its own", "[events]") {
  const RunConfig config = load(kSinks);
  REQUIRE(config.boards.size() == 3);
  for (std::uint32_t b = 0; b < 3; ++b) {
    const BoardConfig& board = config.boards[b];
    REQUIRE(board.events);
    CHECK(board.events->board == b);
    CHECK(board.events->builders.receivers.empty());
    CHECK(board.events->builders.sinks == std::vector<SinkTarget>{{"daq-0", 18516}, {"fd00::1", 5000}});
    const detector::EventLayout layout = board.events->layout();
    CHECK(layout.boards == 3);
    CHECK(layout.builders == 2);
    REQUIRE(board.qps.size() == 2);
    for (std::uint32_t k = 0; k < 2; ++k) {
      const QpConfig& qp = board.qps[k];
      CHECK(qp.count == 1);
      CHECK(qp.qpn == 0x100 + k);
      CHECK(qp.pmtu == 4096);
      CHECK(qp.window == 2 * 16);
      CHECK(std::get<SinkTarget>(qp.to) == board.events->builders.sinks[k]);
      CHECK(qp.to_text == board.events->to_names[k]);
      CHECK(qp.to_where.line == 16);
    }
  }
  CHECK(config.receivers.empty());
  CHECK(to_yaml(load(to_yaml(config))) == to_yaml(config));
  const RunConfig one = load(replaced(kSinks, "[sink://daq-0, 'sink://[fd00::1]:5000']", "sink://daq-0:7"));
  CHECK(one.boards[0].events->builders.sinks == std::vector<SinkTarget>{{"daq-0", 7}});
  CHECK(one.boards[2].events->layout().builders == 1);
  CHECK(to_yaml(load(to_yaml(one))) == to_yaml(one));
}

TEST_CASE("rdma-sinks as builders are refused with the fix", "[events]") {
  const Row rows[] = {
      {"sink://daq-0", "daq-0", 16, "boards.0.events.to", "as well as rdma-sinks", "only rdma-sinks"},
      {"sink://daq-0", "perftest://daq-0", 16, "boards.0.events.to.0", "not an rdma-sink",
       "sink://HOST:PORT"},
      {"sink://daq-0", "sink://:5", 16, "boards.0.events.to.0", "no host", "sink://HOST:PORT"},
      {"sink://daq-0", "sink://daq-0:99999", 16, "boards.0.events.to.0", "99999", "sink://HOST:PORT"},
      {"sink://daq-0", "'sink://[fd00::1]:5000'", 16, "boards.0.events.to", "names an rdma-sink twice",
       "once"},
      {"slot: 16KiB", "slot: 17MiB, piece: 1MiB, fifo: 1", 16, "boards.0.events.slot", "for rdma-sink",
       "16MiB"},
      {"slot: 16KiB", "piece: 17MiB", 16, "boards.0.events.piece", "for rdma-sink", "16MiB"},
  };
  for (const Row& row : rows) check_row(row, "test.yaml", problems(replaced(kSinks, row.from, row.to)));
}

TEST_CASE("boards that send to the same rdma-sink are alike", "[events]") {
  const std::string events =
      "{trigger: camera, to: [sink://daq-0, 'sink://[fd00::1]:5000'], slots: 8, slot: 16KiB}";
  const auto with = [&](const std::string& other) {
    return replaced(kSinks, "boards:\n", "boards:\n  - {name: other, port: p, " + other + "}\n");
  };
  CHECK(problems(with("ip: 10.0.0.50/24, events: " + events)).empty());
  const auto changed = [&](const char* from, const char* to) {
    return with("ip: 10.0.0.50/24, events: " + replaced(events, from, to));
  };
  struct Case {
    std::string text;
    int line;
    const char* key;
    const char* message;
  };
  const Case cases[] = {
      {changed("'sink://[fd00::1]:5000'", "sink://daq-1"), 17, "boards.1.events.to",
       "differs from that of \"other\""},
      {changed("slots: 8", "slots: 9"), 17, "boards.1.events.slots", "differs from that of \"other\""},
      {changed("slots: 8", "slots: 8, transport: UC"), 17, "boards.1.events.transport", "same rdma-sink"},
      {changed("slots: 8", "slots: 8, pmtu: 1024"), 17, "boards.1.events.pmtu", "same rdma-sink"},
      {with("ip: fd00::2/64, events: " + events), 16, "boards.1.ip", "another IP version"},
      {with("ip: 10.0.0.50/24, qps: [{to: sink://daq-0:18516}]"), 12, "boards.0.qps.0.to",
       "sink://daq-0:18516 builds events"},
  };
  for (const Case& c : cases) {
    const auto found = problems(c.text);
    std::string all;
    for (const Problem& p : found) all += to_string(p) + '\n';
    INFO(all << "expected: " << c.key << ": " << c.message);
    CHECK(std::any_of(found.begin(), found.end(), [&](const Problem& p) {
      return p.where.line == c.line && p.where.key == c.key &&
             p.message.find(c.message) != std::string::npos && !p.fix.empty();
    }));
  }
}

TEST_CASE("event data survive a round trip through to_yaml", "[events]") {
  const std::string yaml = to_yaml(load(kEvents));
  CHECK(to_yaml(load(yaml)) == yaml);
}

TEST_CASE("event data that do not fit are refused with the fix", "[events]") {
  const Row rows[] = {
      {"trigger: camera", "trigger: camara", 16, "boards.0.events.trigger", "no trigger \"camara\"",
       "`camera`"},
      {"to: builder", "to: biulder", 16, "boards.0.events.to", "no receiver", "`builder`"},
      {"busy: veto", "busy: veto, busy_at: 17", 16, "boards.0.events.busy_at", "never holds", "`fifo`"},
      {"busy: veto", "busy: drop, busy_at: 3", 16, "boards.0.events.busy_at", "never busy", "remove"},
      {"slot: 16KiB", "slot: 64B", 16, "boards.0.events.slot", "out of range for the size of a slot", "65B"},
      {"busy: veto", "piece: 0", 16, "boards.0.events.piece", "out of range for the size of a piece", "1B"},
      {"busy: veto", "fifo: 100, piece: 1B", 16, "boards.0.events.piece", "pieces", "larger pieces"},
      {"slots: 8, slot: 16KiB", "slots: 1048576, slot: 1MiB", 16, "boards.0.events.slots", "GiB of memory",
       "fewer slots"},
      {"busy: veto", "pmtu: 1500", 16, "boards.0.events.pmtu", "not a path MTU", "1024"},
      {"kind: waveform12", "kind: counter, samples: 3", 16, "boards.0.events.samples", "neither channels",
       "remove"},
      {"kind: waveform12", "kind: counter, size: {min: 3, max: 2}", 16, "boards.0.events.size.max",
       "less than `min`", "at least"},
      {"kind: waveform12", "kind: waveform12, suppress: {margin: 3}", 16, "boards.0.events.suppress",
       "only `kind: roi`", "kind: roi"},
      {"kind: waveform12", "kind: replay", 16, "boards.0.events", "missing", "run.h5"},
      {"kind: waveform12", "kind: replay, file: a.h5, samples: 3", 16, "boards.0.events.samples",
       "the recording determines it", "remove"},
      {"kind: waveform12", "kind: roi, file: a.h5", 16, "boards.0.events.file", "only `kind: replay`",
       "remove"},
      {"dead_time: 7us", "mode: messages", 6, "triggers.0.mode", "unknown value", "message"},
      {"    events: {trigger", "    qps: [{to: builder}]\n    events: {trigger", 16, "boards.0.qps",
       "makes its own QPs", "remove"},
      {"    events: {trigger", "    stop: 1s\n    events: {trigger", 16, "boards.0.stop", "run together",
       "remove"},
      {"    events: {boards: feb, window: 64, loss_limit: 1%}\n", "", 16, "boards.0.events.to",
       "does not build events", "section `events`"},
      {"boards: feb,", "boards: fbe,", 22, "receivers.0.events.boards", "sends no event data", "`to`"},
      {"{boards: feb,", "{windo: 3,", 22, "receivers.0.events.windo", "unknown", "window"},
      {"rate: 10kHz", "rate: 1.5kHz", 8, "triggers.0.sources.0.rate", "not a rate of triggers", "10kHz"},
      {"kind: periodic", "kind: list", 9, "triggers.0.sources.1", "missing", "times.txt"},
      {"times: [1ms, 2ms]", "file: /nonexistent", 10, "triggers.0.sources.2.file", "cannot read", "existing"},
      {"times: [1ms, 2ms]", "file: /dev/zero", 10, "triggers.0.sources.2.file", "larger than 16 MiB",
       "trigger times"},
      {"receivers:\n", "  - {name: plain, port: p, ip: 10.0.0.50/24, qps: [{to: builder}]}\nreceivers:\n", 17,
       "boards.1.qps.0.to", "builds events", "another receiver"},
  };
  for (const Row& row : rows) check_row(row, "test.yaml", problems(replaced(kEvents, row.from, row.to)));
}
