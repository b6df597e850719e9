// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/live_services.hpp"

#include "runtime/stop_signal.hpp"
#include "runtime/telemetry_socket.hpp"
#include "sockets/udp_socket.hpp"

#include <array>

#include <unistd.h>

namespace softfeb::experiment {
namespace {

/// Number of consecutive ports to try, starting with the default port. If all these ports are in use, any
/// free port is used.
constexpr std::uint16_t kTried = 20;
constexpr Time kInterval = 100 * kMillisecond;
/// Time allowed after the run for sending the last event to clients.
constexpr Time kFarewell = 100 * kMillisecond;
/// Maximum time until hold() notices a signal.
constexpr Time kHoldTurn = 50 * kMillisecond;
/// Above this number of queue pairs, snapshots take a noticeable part of the workers' time, so the interval
/// is kIntervalOfMany.
constexpr std::size_t kManyQps = 10'000;
constexpr Time kIntervalOfMany = 1 * kSecond;

std::vector<std::string> host_names() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  return {name.data()};
}

telemetry::RunInfo run_info_of(const LiveServicesDeps& parts) {
  telemetry::RunInfo info = telemetry::make_run_info(*parts.config, *parts.plans, SOFTFEB_VERSION);
  if (parts.lab == nullptr) return info;
  const config::LabSettings& lab = parts.lab->lab;
  if (!lab.title.empty()) info.title = lab.title;
  info.shows = lab.shows;
  telemetry::add_network(info, parts.lab->network, lab.bottleneck.value_or(UINT32_MAX),
                         lab.bottleneck_switch);
  return info;
}

}  // namespace

LiveServices::LiveServices(const LiveServicesDeps& parts) : service_(*parts.service), dpdk_(*parts.dpdk) {
  if (parts.web.on) serve(parts);
  if (parts.config->eal.prefix) {
    commands_ = std::make_unique<runtime::TelemetrySocket>(run_info_of(parts));
    observers_.push_back(commands_.get());
  }
}

LiveServices::~LiveServices() = default;

void LiveServices::serve(const LiveServicesDeps& parts) {
  parameters_ = std::make_unique<slowcontrol::ParameterControl>(*parts.config, *parts.dpdk, *parts.pool,
                                                                *parts.service);
  telemetry::RunInfo info = run_info_of(parts);
  const Time interval = info.qps() > kManyQps ? kIntervalOfMany : kInterval;
  page_ = std::make_unique<telemetry::LivePage>(
      std::move(info),
      telemetry::LivePageConfig{.interval = interval,
                                .chart_js = SOFTFEB_CHART_JS,
                                .run = parts.dpdk->unix_origin_ns() + static_cast<std::uint64_t>(getpid())},
      parameters_.get(), service_.boards().empty() ? nullptr : &service_);
  try {
    open(parts);
  } catch (const sockets::SocketError& e) {
    if (parts.asked_for) throw;
    parts.say(e.what());
    page_.reset();
    return;
  }
  page_->publish_by([server = server_.get()](const std::string& event) { server->publish(event); });
  observers_.push_back(page_.get());
  parts.say("live page: " + server_->url());
}

void LiveServices::conclude(const std::string& verdict, const std::string& text) {
  if (!serves()) return;
  page_->conclude(verdict, text);
  if (server_->streams() != 0) service_.run_until(dpdk_.now() + kFarewell);
}

void LiveServices::hold(const std::function<void()>& each_turn) {
  const int signals = runtime::stop_signals();
  while (serves() && runtime::stop_signals() == signals) {
    service_.run_until(dpdk_.now() + kHoldTurn);
    each_turn();
  }
}

void LiveServices::open(const LiveServicesDeps& parts) {
  const auto at = [&](std::uint16_t port) {
    server_ = std::make_unique<telemetry::HttpServer>(parts.service->io(), parts.web.address, port, *page_,
                                                      host_names());
  };
  if (parts.web.port) return at(*parts.web.port);
  for (std::uint16_t i = 0; i < kTried; ++i) {
    try {
      return at(static_cast<std::uint16_t>(config::WebConfig::kPort + i));
    } catch (const sockets::SocketError&) {
      // Try the next port.
    }
  }
  at(0);
}

}  // namespace softfeb::experiment
