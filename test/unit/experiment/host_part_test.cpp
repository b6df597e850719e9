// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/host_part.hpp"

#include "config/load.hpp"
#include "endpoints/endpoints.hpp"
#include "experiment/host_checks.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

const std::string kHosts =
    "hosts: [{name: tx}, {name: rx}]\n"
    "workers: {count: 2}\n"
    "ports:\n"
    "  - {name: a, host: tx, device: net_null}\n"
    "  - {name: b, host: rx, device: net_null}\n"
    "boards:\n"
    "  - {name: feb0, port: a, ip: 10.0.0.1/24, qps: [{to: daq, transport: UC, traffic: {rate: 1Gb/s}}]}\n"
    "  - {name: feb1, port: b, ip: 10.0.0.2/24, dcqcn: {algorithm: firmware}, qps: [{to: {ip: 10.0.0.9, qpn: "
    "17, rkey: 1, address: 0, "
    "length: 1MiB}, traffic: {rate: 1Gb/s}}]}\n"
    "receivers:\n"
    "  - {name: daq, port: b, ip: 10.0.0.101/24}\n"
    "changes: [{at: 1s, board: feb1, dcqcn: {algorithm: firmware}}]\n";

config::RunConfig load(const std::string& text) { return config::load_run_text(text, "test.yaml", {}, 0); }

/// Returns the outcome of one process, whose run started at `started` and lasted 10 s. All counters have the
/// value `count`. If `measured` is true, the outcome has a baseline.
stats::Outcome outcome(const config::RunConfig& config, Time started, std::uint64_t count, bool measured) {
  stats::Outcome o;
  o.started = o.measured_from = started;
  o.stopped = started + 10 * kSecond;
  o.ended = started + 11 * kSecond;
  o.final.resize(config.boards.size() + config.receivers.size());
  for (engine::EndpointSnapshot& e : o.final) {
    e.taken_at = o.ended;
    e.cnp_tx = count;
  }
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    engine::SendQpSnapshot& qp = o.final[b].send_qps.emplace_back();
    qp.messages_made = count;
    qp.counters.first_sent = started + kMicrosecond * (b + 1);
    qp.counters.last_completed = started + kSecond;
  }
  if (measured) o.baseline = o.final;
  o.workers.resize(2);
  o.workers[0].port_queues.tx_packets = count;
  o.totals.port_queues.tx_packets = count;
  o.cpu.resize(2);
  o.control.resize(config.boards.size());
  o.changes_made = {0};
  o.fault_rules.resize(config.ports.size());
  o.ports.resize(config.ports.size());
  o.hosts.resize(config.hosts.size());
  return o;
}

}  // namespace

TEST_CASE("the part of another host replaces the counters of its endpoints, on the clock of this process") {
  const config::RunConfig config = load(kHosts);
  stats::Outcome all = outcome(config, 100 * kSecond, 5, true);
  experiment::HostPart part{.host = 1, .outcome = outcome(config, 7 * kSecond, 9, true), .figures = {}};
  part.outcome.stopped += kSecond;
  part.outcome.flushed = true;
  part.outcome.changes_made = {1};
  part.outcome.ports[1] = "port b";
  part.outcome.ports[0] = "not ours";
  part.figures.start_error_ns = 42;
  add_part(config, all, part);

  CHECK(all.final[0].cnp_tx == 5);
  CHECK(all.final[1].cnp_tx == 9);
  CHECK(all.final[2].cnp_tx == 9);
  CHECK(all.final[1].taken_at == 111 * kSecond);
  CHECK(all.final[1].send_qps[0].counters.first_sent == 100 * kSecond + 2 * kMicrosecond);
  CHECK(all.final[1].send_qps[0].counters.last_completed == 101 * kSecond);
  CHECK(all.final[1].send_qps[0].first_completed == kNever);
  CHECK(all.baseline[1].send_qps[0].messages_made == 9);
  CHECK(all.baseline[0].send_qps[0].messages_made == 5);
  CHECK(all.started == 100 * kSecond);
  CHECK(all.stopped == 111 * kSecond);
  CHECK(all.ended == 111 * kSecond);
  CHECK(all.flushed);
  CHECK_FALSE(all.interrupted);
  CHECK(all.workers.size() == 4);
  CHECK(all.cpu.size() == 4);
  CHECK(all.worker_hosts[3] == 1);
  CHECK(all.totals.port_queues.tx_packets == 14);
  CHECK(all.changes_made[0] == 1);
  CHECK(all.ports[1] == "port b");
  CHECK(all.ports[0].is_null());
  CHECK(all.hosts[1].start_error_ns == 42);
}

TEST_CASE("without the counters of all hosts after the warm-up, the statistics cover the whole run") {
  const config::RunConfig config = load(kHosts);
  stats::Outcome all = outcome(config, 100 * kSecond, 5, true);
  all.measured_from += kSecond;
  experiment::add_part(config, all,
                       {.host = 1, .outcome = outcome(config, 7 * kSecond, 9, false), .figures = {}});
  CHECK(all.baseline.empty());
  CHECK(all.ended_in_warmup);
  CHECK(all.measured_from == all.started);
}

TEST_CASE("a part is read as it was written") {
  const config::RunConfig config = load(kHosts);
  experiment::HostPart part{.host = 1, .outcome = outcome(config, 7 * kSecond, 9, true), .figures = {}};
  part.outcome.interrupted = true;
  part.outcome.control[1] = {{"connections", 3}};
  part.outcome.ports[1] = {{"rx_packets", 12}};
  part.outcome.fault_rules[1] = {{.hits = 4}};
  part.figures.first_packet_ns = 17;
  endpoints::Endpoints own = endpoints::make_listeners(config), other = endpoints::make_listeners(config);
  for (endpoints::Endpoints* e : {&own, &other}) {
    e->messages.resize(config.boards.size());
    e->memories.push_back(std::make_unique<endpoints::ReceiverMemory>(0));
  }
  std::vector<std::uint8_t> bytes;
  ArchiveWriter out(bytes);
  write_part(config, part, own, out);
  ArchiveReader in(bytes);
  experiment::HostPart copy;
  read_part(config, in, copy, other);

  CHECK(in.empty());
  CHECK(copy.host == 1);
  CHECK(copy.outcome.started == 7 * kSecond);
  CHECK(copy.outcome.interrupted);
  CHECK(copy.outcome.final[1].send_qps[0].messages_made == 9);
  CHECK(copy.outcome.final[0].send_qps.empty());
  CHECK(copy.outcome.baseline[2].cnp_tx == 9);
  CHECK(copy.outcome.workers.size() == 2);
  CHECK(copy.outcome.control[1].dump() == "{\"connections\":3}");
  CHECK(copy.outcome.ports[1].dump() == "{\"rx_packets\":12}");
  CHECK(copy.outcome.fault_rules[1].at(0).hits == 4);
  CHECK(copy.figures.first_packet_ns == 17);
}

TEST_CASE("counters of a running host are moved to the clock of this process") {
  const config::RunConfig config = load(kHosts);
  stats::Outcome there = outcome(config, 7 * kSecond, 9, false),
                 here = outcome(config, 100 * kSecond, 5, false);
  std::vector<std::uint8_t> bytes;
  ArchiveWriter out(bytes);
  experiment::write_counters(config, 1, there.started, there.final, out);
  ArchiveReader in(bytes);
  experiment::read_counters(config, here.started, here.final, in);
  CHECK(in.empty());
  CHECK(here.final[0].cnp_tx == 5);
  CHECK(here.final[1].cnp_tx == 9);
  CHECK(here.final[2].taken_at == 111 * kSecond);
  CHECK(here.final[1].send_qps[0].counters.first_sent == 100 * kSecond + 2 * kMicrosecond);
}

TEST_CASE("the first packet of a host is that of its boards without a start") {
  config::RunConfig config = load(kHosts);
  const stats::Outcome o = outcome(config, 100 * kSecond, 5, false);
  CHECK(experiment::first_packet(config, 1, o) == 2 * kMicrosecond);
  config.boards[1].start = kSecond;
  CHECK_FALSE(experiment::first_packet(config, 1, o));
}

TEST_CASE("features that need one process are refused on other hosts than the first") {
  using Catch::Matchers::Contains;
  const auto check = [](const std::string& from, const std::string& to, std::size_t first) {
    std::string text = kHosts;
    text.replace(text.find(from), from.size(), to);
    experiment::check_host_features(load(text), first);
  };
  const std::string daq = "10.0.0.101/24";
  CHECK_NOTHROW(check(daq, daq, 0));
  CHECK_NOTHROW(check("hosts", "latency: {sample: 0}\nhosts", 0));
  CHECK_THROWS_WITH(check("hosts", "latency: {sample: 8}\nhosts", 0), Contains("clocks of two hosts"));
  CHECK_THROWS_WITH(check("{to: daq,", "{to: \"sink://10.0.0.200\",", 0),
                    Contains("one configuration for each host"));
  CHECK_NOTHROW(
      check("daq, port: b, ip: 10.0.0.101/24", "daq, port: b, ip: 10.0.0.101/24, ordering: any", 1));
  CHECK_THROWS_WITH(
      check("daq, port: b, ip: 10.0.0.101/24", "daq, port: b, ip: 10.0.0.101/24, ordering: any", 0),
      Contains("only on the host of process 0, tx"));
}

TEST_CASE("there must be one process for each host, and their clocks must agree") {
  using Catch::Matchers::Contains;
  const config::RunConfig config = load(kHosts);
  CHECK_NOTHROW(experiment::check_host_count(config, 2));
  CHECK_THROWS_WITH(experiment::check_host_count(config, 1),
                    Contains("mpirun --host tx,rx softfeb-mpi run -c test.yaml"));
  const auto reading = [](std::int64_t offset, std::int64_t bound) {
    hosts::ClockReading r;
    r.known = true;
    r.offset_ns = offset;
    r.bound_ns = bound;
    return r;
  };
  CHECK_NOTHROW(experiment::check_clock(config, 1, 0, reading(99'000, 5'000)));
  CHECK_NOTHROW(experiment::check_clock(config, 1, 0, reading(104'000, 5'000)));
  CHECK_THROWS_WITH(experiment::check_clock(config, 1, 0, reading(-106'000, 5'000)),
                    Contains("rx is 106.0 us behind that of tx, plus or minus 5.0 us"));
  CHECK_THROWS_WITH(experiment::check_clock(config, 1, 0, {}), Contains("could not be compared"));
  CHECK(experiment::clock_remark(config, 1, 0, reading(0, 5'000), reading(90'000, 5'000)).empty());
  CHECK_THAT(experiment::clock_remark(config, 1, 0, reading(0, 5'000), reading(99'000, 5'000)),
             Contains("ahead of that of tx, plus or minus 5.0 us after the run"));
}
