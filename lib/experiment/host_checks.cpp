// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/host_checks.hpp"

#include "base/error.hpp"
#include "config/error.hpp"
#include "config/units.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <variant>
#include <vector>

namespace softfeb::experiment {

namespace {

std::string host_list(const config::RunConfig& config) {
  std::string names;
  for (const config::HostConfig& host : config.hosts) names += (names.empty() ? "" : ",") + host.name;
  return names;
}

std::string microseconds(std::int64_t ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f us", static_cast<double>(ns) * 1e-3);
  return text.data();
}

std::string clock_of(const config::RunConfig& config, std::size_t host, std::size_t first,
                     const hosts::ClockReading& reading) {
  const std::string& name = config.hosts[host].name;
  const std::string& other = config.hosts[first].name;
  if (!reading.known) return "the clock of host " + name + " could not be compared with that of " + other;
  return "the clock of host " + name + " is " + microseconds(std::abs(reading.offset_ns)) +
         (reading.offset_ns < 0 ? " behind" : " ahead of") + " that of " + other + ", plus or minus " +
         microseconds(reading.bound_ns);
}

/// Collects all problems, so that a single error reports them together.
class HostProblems {
 public:
  HostProblems(const config::RunConfig& config, std::size_t first) : config_(config), first_(first) {}

  void check() {
    for (const config::BoardConfig& board : config_.boards) check_board(board);
    for (const config::ReceiverConfig& receiver : config_.receivers) check_receiver(receiver);
    if (config_.latency.sample.value_or(0) != 0)
      add(config_.place(config_.latency.where, "sample"),
          "the stages of a message are on the clocks of two hosts", "remove it, or write 0");
    if (!problems_.empty()) throw config::ConfigError(std::move(problems_));
  }

 private:
  void add(const config::Where& where, const std::string& what, const std::string& fix) {
    problems_.push_back({where, what, fix});
  }
  bool elsewhere(const config::EndpointConfig& e) const { return config_.ports[e.port].host != first_; }
  /// Adds a problem if endpoint `e` is not on the host of process 0. `what` names the feature of the endpoint
  /// that works only on this host.
  void only_first(const config::EndpointConfig& e, const std::string& what) {
    if (!elsewhere(e)) return;
    const std::string& name = config_.hosts[first_].name;
    add(e.where, what + " only on the host of process 0, " + name,
        "put it on a port of " + name + ", or start process 0 on its host");
  }

  void check_board(const config::BoardConfig& board) {
    const config::Where& where = board.endpoint.where;
    if (board.events)
      add(where, "boards on several hosts cannot send event data in one run",
          "use one configuration for each host, with the same run.start_at (doc/detector.md)");
    if (board.traffic_gen) only_first(board.endpoint, "a traffic generator works");
    if (board.control && board.control->responder)
      check_same(board, *board.control->responder, "the board changes its receiver directly");
    for (const config::QpConfig& qp : board.qps) check_qp(board, qp);
  }

  void check_qp(const config::BoardConfig& board, const config::QpConfig& qp) {
    if (const auto* to = std::get_if<config::ReceiverTarget>(&qp.to); to != nullptr && qp.traffic.transfer) {
      for (const std::size_t r : to->receivers)
        check_same(board, r, "the queue pairs of a transfer share their progress with the receiver");
      only_first(board.endpoint, "transfers work");
    }
    if (std::holds_alternative<config::SinkTarget>(qp.to) ||
        std::holds_alternative<config::PerftestTarget>(qp.to))
      add(qp.to_where, qp.to_text + " is another process, and only one host could connect to it",
          "use one configuration for each host, with the same run.start_at");
  }

  void check_receiver(const config::ReceiverConfig& receiver) {
    const config::EndpointConfig& e = receiver.endpoint;
    if (receiver.windows) only_first(e, "`windows` works");
    if (receiver.streams) only_first(e, "`streams` works");
    if (receiver.any_order) only_first(e, "`ordering` works");
    if (receiver.events)
      add(e.where, "event data is built on one host", "use one configuration for each host");
  }

  void check_same(const config::BoardConfig& board, std::size_t receiver, const std::string& what) {
    const config::EndpointConfig& to = config_.receivers[receiver].endpoint;
    if (config_.ports[board.endpoint.port].host == config_.ports[to.port].host) return;
    add(board.endpoint.where, what, "put board and receiver on one host");
  }

  const config::RunConfig& config_;
  std::size_t first_;
  std::vector<config::Problem> problems_;
};

}  // namespace

std::int64_t clock_limit_ns(const config::RunConfig& config) {
  return static_cast<std::int64_t>(config.run.clock_limit / kNanosecond);
}

void check_host_count(const config::RunConfig& config, std::uint32_t processes) {
  if (config.hosts.size() == processes) return;
  const config::Where where{config.file, 0, "hosts"};
  if (config.hosts.empty())
    throw config::ConfigError(
        {{where, "the file names no hosts, but there are " + std::to_string(processes) + " processes",
          "add `hosts`, and `host` to each port (doc/scale.md), or run softfeb "
          "without mpirun"}});
  const bool one = config.hosts.size() == 1;
  throw config::ConfigError(
      {{where,
        "the file names " + std::to_string(config.hosts.size()) + (one ? " host" : " hosts") +
            ", but there " +
            (processes == 1 ? "is 1 process" : "are " + std::to_string(processes) + " processes"),
        "start one process on each host: mpirun --host " + host_list(config) + " softfeb-mpi run -c " +
            config.file}});
}

void check_host_features(const config::RunConfig& config, std::size_t first) {
  HostProblems(config, first).check();
}

void check_clock(const config::RunConfig& config, std::size_t here, std::size_t first,
                 const hosts::ClockReading& reading) {
  if (reading.known && !reading.exceeds(clock_limit_ns(config))) return;
  throw EnvironmentError(
      clock_of(config, here, first, reading) + "; run.clock_limit is " +
          config::format_time(config.run.clock_limit),
      "set both clocks by PTP (ptp4l and phc2sys, doc/scale.md), or raise run.clock_limit");
}

std::string clock_remark(const config::RunConfig& config, std::size_t host, std::size_t first,
                         const hosts::ClockReading& before, const hosts::ClockReading& after) {
  const bool at_first = before.within(clock_limit_ns(config));
  if (at_first && after.within(clock_limit_ns(config))) return {};
  return clock_of(config, host, first, at_first ? after : before) +
         (at_first ? " after the run" : " before the run") +
         ", which may be more than run.clock_limit: times of different hosts cannot be compared";
}

}  // namespace softfeb::experiment
