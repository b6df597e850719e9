// SPDX-License-Identifier: BSD-3-Clause
#include "report/recorder.hpp"

#include "base/error.hpp"
#include "lab/flows.hpp"
#include "lab/metrics_config.hpp"
#include "report/result.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

bool asks_for(const config::LabConfig& config, const char* check) {
  return std::any_of(config.lab.checks.begin(), config.lab.checks.end(),
                     [check](const config::LabCheck& c) { return c.name == check; });
}

}  // namespace

Recorder::Recorder(const config::RunConfig& config, const config::LabConfig* lab,
                   const std::vector<endpoints::QpPlan>& plans, const std::optional<std::string>& report)
    : lab_(lab) {
  if (lab != nullptr) metrics_.emplace(lab::make_metrics_config(*lab, lab::flows_of(config, plans)));
  if (!report) return;
  series_.emplace(config, plans, *report + '/' + kReportSeries);
  if (lab == nullptr) return;
  ports_.emplace(*lab, *report + '/' + kReportPorts);
  if (has_priorities(*lab)) queues_.emplace(*lab, *report + '/' + kReportQueues);
  windows_.emplace(*report + '/' + kReportWindows);
  windows_->write("from_s,to_s,window_ms,boards_sending,steady,jain,port_used\n");
  metrics_->on_window([this](const lab::Window& w) { append(w); });
}

std::vector<stats::Observer*> Recorder::observers() {
  std::vector<stats::Observer*> all;
  if (metrics_) all.push_back(&*metrics_);
  if (rates_) all.push_back(&*rates_);
  if (series_) all.push_back(&*series_);
  if (ports_) all.push_back(&*ports_);
  if (queues_) all.push_back(&*queues_);
  return all;
}

void Recorder::watch_rates(const endpoints::Endpoints& endpoints) {
  if (!asks_for(*lab_, "rate_tracking") && !asks_for(*lab_, "sawtooth")) return;
  std::vector<engine::Board*> boards;
  for (const auto& b : endpoints.boards) boards.push_back(b.get());
  rates_.emplace(std::move(boards), lab_->lab.sample_interval);
}

void Recorder::complete(lab::RunStats& stats) const {
  if (!rates_) return;
  const std::vector<lab::RateStats> rates = rates_->figures();
  stats.rate_tracking = lab::worst_tracking(rates);
  stats.sawtooth = lab::worst_sawtooth(rates);
}

void Recorder::append(const lab::Window& w) {
  if (!failure_.empty()) return;
  const auto share = [](const std::optional<lab::Share>& s) {
    return s ? fmt::format("{:.9g}", lab::to_double(*s)) : std::string();
  };
  try {
    windows_->write(fmt::format("{:.9f},{:.9f},{},{},{},{},{}\n", to_seconds(w.from), to_seconds(w.to),
                                w.length / kMillisecond, w.boards_sending, w.steady ? 1 : 0, share(w.jain),
                                share(w.port_used)));
  } catch (const EnvironmentError& e) {
    failure_ = e.reason();
  }
}

void Recorder::finish() {
  if (!failure_.empty()) throw EnvironmentError(failure_, "free space on that disk");
  if (series_) series_->finish();
  if (ports_) ports_->finish();
  if (queues_) queues_->finish();
  if (windows_) windows_->commit();
}

}  // namespace softfeb::report
