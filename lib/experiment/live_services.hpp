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
  bool asked_for = true;  ///< false: without an address to be had the run goes on without a page
  const runtime::DpdkRuntime* dpdk = nullptr;
  runtime::WorkerPool* pool = nullptr;
  slowcontrol::ControlService* service = nullptr;
  std::function<void(const std::string&)> say;  ///< what the user should know
};

/// What outsiders see of a run while it goes on: the live page with its events, /metrics, and DPDK's
/// telemetry commands, as far as the configuration asks for them. Served by `service`.
class LiveServices {
 public:
  /// Throws sockets::SocketError where an address or port that was asked for cannot be had. All of `parts`
  /// outlive this.
  explicit LiveServices(const LiveServicesDeps& parts);
  ~LiveServices();
  LiveServices(const LiveServices&) = delete;
  LiveServices& operator=(const LiveServices&) = delete;

  /// To be given the run's samples.
  const std::vector<stats::Observer*>& observers() const { return observers_; }

  /// Whether there is a page.
  bool serves() const { return server_ != nullptr; }
  /// The run is over, its workers may be gone: those who look get what came of it (LivePage::conclude). They
  /// are served as long as `service` is run, this included.
  void conclude(const std::string& verdict, const std::string& text);
  /// Goes on serving until a signal comes.
  void hold();

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
