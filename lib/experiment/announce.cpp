// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/announce.hpp"

#include "report/control_result.hpp"
#include "report/pacers.hpp"
#include "runtime/port_setup.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace softfeb::experiment {

void announce_run(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                  const runtime::WorkerPool& pool) {
  for (const runtime::RunPort& p : dpdk.ports()) {
    const dataplane::Capabilities& c = p.port->capabilities();
    fmt::print(stderr, "port {}: {}, MTU {}, path MTU up to {}, {} queue{}, {}, flow control {}, {}\n",
               p.name, c.driver, p.port->mtu(), p.port->largest_path_mtu(false), p.queues,
               p.queues == 1 ? "" : "s",
               c.multi_segments ? "payload attached without copying" : "payload copied into one segment",
               p.port->flow_control().in_words, p.link_state());
    for (const std::string& w : p.port->warnings()) fmt::print(stderr, "port {}: {}\n", p.name, w);
  }
  for (const std::string& line : pool.steering()) fmt::print(stderr, "{}\n", line);
  fmt::print(stderr, "{}", pool.map());
  for (const dataplane::FarPort& f : dataplane::far_ports(runtime::worker_rows(config, dpdk.lcores())))
    fmt::print(stderr, "port {}: {}; {}\n", f.port, f.found, f.fix);
  for (const std::string& line : report::pacer_lines(config)) fmt::print(stderr, "{}\n", line);
  const char* const idle = config.workers.idle == config::IdlePolicy::kSpin    ? "spin"
                           : config.workers.idle == config::IdlePolicy::kPause ? "pause"
                                                                               : "sleep";
  fmt::print(stderr, "memory: {}; idle workers {}{}\n", dpdk.huge_pages() ? "huge pages" : "ordinary pages",
             idle, dataplane::shares_cpus(dpdk.lcores()) ? " (some threads share a CPU)" : "");
}

void announce_control(const config::RunConfig& config, const slowcontrol::ControlService& service) {
  constexpr std::size_t kMost = 8;
  const auto& boards = service.boards();
  for (std::size_t i = 0; i < boards.size(); ++i) {
    if (boards.size() > kMost && i != 0 && i + 1 != boards.size()) {
      if (i == 1) fmt::print(stderr, "... and {} more boards, up to\n", boards.size() - 2);
      continue;
    }
    for (const std::string& line : report::control_lines(config, *boards[i]))
      fmt::print(stderr, "{}\n", line);
  }
}

}  // namespace softfeb::experiment
