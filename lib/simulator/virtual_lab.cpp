// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/virtual_lab.hpp"

#include "config/error.hpp"
#include "lab/run_stats.hpp"
#include "simulator/virtual_run.hpp"

#include <string>

namespace softfeb::simulator {

namespace {

constexpr std::size_t kCacheLine = 64;

[[noreturn]] void refuse(const config::Where& where, const std::string& what, const std::string& fix) {
  throw config::ConfigError({{where, what, fix}});
}

void check(const config::LabConfig& config, const endpoints::Plans& plans) {
  for (const endpoints::QpPlan& plan : plans.all()) {
    if (!endpoints::needs_session(plan)) continue;
    refuse(plan.config->to_where,
           plan.config->to_text + " is another process: it has no part in virtual time",
           "a receiver of the file, or the lab in real time");
  }
  const auto& boards = config.run.boards;
  for (std::size_t e = 0; e < boards.size() + config.run.receivers.size(); ++e) {
    if (config.station_of[e]) continue;
    const config::EndpointConfig& endpoint =
        e < boards.size() ? boards[e].endpoint : config.run.receivers[e - boards.size()].endpoint;
    refuse(endpoint.where, endpoint.name + " is at a port of the machine, which virtual time does not have",
           "a link of `network.links` to it, or the lab in real time");
  }
}

std::vector<EventLoop::Seat> seats_of(const config::LabConfig& config,
                                      const endpoints::Endpoints& endpoints) {
  std::vector<EventLoop::Seat> seats;
  for (const auto& board : endpoints.boards) seats.push_back({board.get(), *config.station_of[seats.size()]});
  for (const auto& receiver : endpoints.receivers)
    seats.push_back({receiver.get(), *config.station_of[seats.size()]});
  return seats;
}

}  // namespace

VirtualLab::VirtualLab(const config::LabConfig& config)
    : config_(config), payloads_(config.run), plans_(config.run) {
  check(config, plans_);
  payloads_.stage([this](std::size_t bytes) {
    auto& memory = arena_.emplace_back(std::make_unique<std::uint8_t[]>(bytes + kCacheLine));
    const auto over = reinterpret_cast<std::uintptr_t>(memory.get()) % kCacheLine;
    return MutableByteSpan(memory.get() + (over == 0 ? 0 : kCacheLine - over), bytes);
  });
  const std::vector<std::uint32_t> pmtus(config.run.ports.size(), board::kMaxPacketPayload);
  endpoints_ = endpoints::make_endpoints(config.run, plans_, payloads_, pmtus);
  world_ = std::make_unique<EventLoop>(config.network, seats_of(config, endpoints_));
}

VirtualOutcome VirtualLab::run(const std::vector<stats::Observer*>& observers, const Between& between) {
  return VirtualRun(config_.run, endpoints_, *world_, observers, between).run();
}

lab::RunStats figures_of(const config::LabConfig& config, VirtualLab& lab, const VirtualOutcome& outcome,
                         const lab::Metrics& metrics) {
  endpoints::close_maps(lab.plans(), outcome.final, lab.endpoints());
  lab::RunStats figures = lab::run_stats(config, lab.plans(), lab.endpoints(), lab.payloads(), metrics,
                                         outcome.sample(), {.lost_out = lab.world().passed_over()});
  figures.virtual_time = true;
  return figures;
}

}  // namespace softfeb::simulator
