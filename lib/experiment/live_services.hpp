// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "config/web_config.hpp"
#include "slowcontrol/control_service.hpp"
#include "slowcontrol/parameter_control.hpp"
#include "telemetry/http_server.hpp"
#include "telemetry/live_page.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softfeb::experiment {

struct LiveServicesDeps {
  const config::RunConfig* config = nullptr;
  const std::vector<endpoints::QpPlan>* plans = nullptr;
  const config::LabConfig* lab = nullptr;  ///< null without switches
  config::WebConfig web;
  bool asked_for = true;  ///< the user requested the page, so it is an error if no port is free
  const runtime::DpdkRuntime* dpdk = nullptr;
  runtime::WorkerPool* pool = nullptr;
  slowcontrol::ControlService* service = nullptr;
  std::function<void(const std::string&)> say;  ///< prints a line for the user
};

/// Publishes a run while it is in progress: through the live page with its events, through /metrics, and
/// through DPDK's telemetry commands, as configured. `service` serves the live page.
class LiveServices {
 public:
  /// Throws sockets::SocketError if a requested address or port is not available. Everything that `parts`
  /// refers to must outlive this object.
  explicit LiveServices(const LiveServicesDeps& parts);
  ~LiveServices();
  LiveServices(const LiveServices&) = delete;
  LiveServices& operator=(const LiveServices&) = delete;

  /// Observers that must receive the run's samples.
  const std::vector<stats::Observer*>& observers() const { return observers_; }

  /// True if the live page is served.
  bool serves() const { return server_ != nullptr; }
  /// Publishes the result to clients after the run (LivePage::conclude); the workers may already have ended.
  /// Clients are served only while `service` runs, so this call runs it briefly.
  void conclude(const std::string& verdict, const std::string& text);
  /// Keeps serving the live page until a signal arrives. Calls `each_turn` several times a second.
  void hold(const std::function<void()>& each_turn);

 private:
  void serve(const LiveServicesDeps& parts);
  void open(const LiveServicesDeps& parts);

  slowcontrol::ControlService& service_;
  const runtime::DpdkRuntime& dpdk_;
  std::unique_ptr<slowcontrol::ParameterControl> parameters_;
  std::unique_ptr<telemetry::LivePage> page_;
  std::unique_ptr<telemetry::HttpServer> server_;
  std::unique_ptr<stats::Observer> commands_;
  std::vector<stats::Observer*> observers_;
};

}  // namespace softfeb::experiment
