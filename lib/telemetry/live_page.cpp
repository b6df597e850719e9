// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/live_page.hpp"

#include "config/congestion.hpp"
#include "telemetry/change_request.hpp"
#include "telemetry/live_json.hpp"
#include "telemetry/metrics.hpp"
#include "telemetry/process_metrics.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace softfeb::telemetry {
namespace {

constexpr const char* kJson = "application/json";
constexpr Time kCountersInterval = 1 * kSecond;
constexpr const char* kParameters = "/api/dcqcn";

Response json(std::string body) { return {200, kJson, std::move(body) + '\n', {}}; }

Response not_found(const std::string& path) {
  return problem(404, "not found: " + path, "the page is at /; doc/telemetry.md lists the other paths");
}

}  // namespace

LivePage::LivePage(RunInfo info, LivePageConfig config, Parameters* parameters, const Links* links)
    : info_(std::move(info)),
      config_(std::move(config)),
      parameters_(parameters),
      links_(links),
      rates_(info_.rate_tracker()),
      due_(config_.interval) {}

void LivePage::publish(const char* name, const std::string& data) {
  if (publish_) publish_(format_event(name, data));
}

void LivePage::begin() {
  state_ = State::kRunning;
  publish("state", state());
}

void LivePage::keep(const stats::Sample& sample) {
  endpoints_ = *sample.endpoints;
  if (sample.network != nullptr) network_ = *sample.network;
  if (sample.cpu != nullptr) cpu_ = *sample.cpu;
  last_ = {.at = sample.at,
           .origin = sample.origin,
           .endpoints = &endpoints_,
           .network = sample.network != nullptr ? &network_ : nullptr,
           .stages = sample.stages,
           .cpu = sample.cpu != nullptr ? &cpu_ : nullptr};
}

void LivePage::add(const stats::Sample& sample) {
  due_ = (sample.at / config_.interval + 1) * config_.interval;
  std::string text = sample_json(rates_.add(sample));
  keep(sample);
  publish("sample", text);
  history_bytes_ += text.size();
  history_.push_back(std::move(text));
  while (history_.size() > kHistory || (history_bytes_ > kHistoryBytes && history_.size() > 1)) {
    history_bytes_ -= history_.front().size();
    history_.pop_front();
  }
  if (sample.at < counters_due_) return;
  counters_due_ = (sample.at / kCountersInterval + 1) * kCountersInterval;
  publish("counters", counters_json(info_, last_));
  publish_links();
}

std::string LivePage::links() const {
  return links_ != nullptr ? links_json(info_, links_->links()) : "null";
}

/// Publishes the links if they have changed since the last call. Most calls find no change.
void LivePage::publish_links() {
  std::string text = links();
  if (text == links_text_) return;
  links_text_ = std::move(text);
  publish("links", links_text_);
}

void LivePage::end(const stats::Sample& sample) {
  counters_due_ = 0;
  add(sample);
  due_ = kNever;
  state_ = State::kEnded;
  publish("state", state());
}

void LivePage::conclude(const std::string& verdict, const std::string& text) {
  publish_links();
  result_ = result_json(verdict, text);
  publish("result", result_);
}

std::string LivePage::setup() const {
  std::string text = setup_json(info_, to_seconds(config_.interval));
  text.pop_back();
  return text + fmt::format(",\"run\":\"{}\",\"changeable\":{}}}", config_.run, parameters_ != nullptr);
}

std::string LivePage::state() const {
  const char* const name = state_ == State::kWaiting   ? "waiting"
                           : state_ == State::kRunning ? "running"
                                                       : "ended";
  return fmt::format("{{\"state\":\"{}\"}}", name);
}

std::string LivePage::history() const {
  std::string text = "[";
  for (const std::string& sample : history_) {
    if (text.size() > 1) text += ',';
    text += sample;
  }
  return text + ']';
}

std::string LivePage::greeting() {
  std::string text = format_event("setup", setup()) + format_event("history", history());
  if (last_.endpoints != nullptr) text += format_event("counters", counters_json(info_, last_));
  text += format_event("links", links());
  if (result_ != "null") text += format_event("result", result_);
  return text + format_event("state", state());
}

Response LivePage::chart_js() const {
  std::ifstream file(config_.chart_js, std::ios::binary);
  if (!file) {
    return problem(404, "Chart.js is not at " + config_.chart_js,
                   "apt-get install libjs-chart.js, or meson configure -Dchart_js=PATH");
  }
  return {200, "text/javascript; charset=utf-8", {std::istreambuf_iterator<char>(file), {}}, {}};
}

Response LivePage::get(const std::string& path) {
  for (const Asset& a : assets()) {
    if (a.path == path) return {200, std::string(a.type), std::string(a.body), {}};
  }
  if (path == "/chart.js") return chart_js();
  if (path == "/metrics")
    return {200,
            PrometheusText::kContentType,
            metrics(info_, last_, links_ != nullptr ? links_->links() : std::vector<LinkView>{}) +
                process_metrics(),
            {}};
  if (path == "/api/setup") return json(setup());
  if (path == "/api/state") return json(state());
  if (path == "/api/result") return json(result_);
  if (path == "/api/links") return json(links());
  if (path == "/api/history") return json(history());
  if (path == kParameters) return json(config::describe_congestion_parameters().dump());
  if (path == "/api/counters") return json(last_.endpoints != nullptr ? counters_json(info_, last_) : "null");
  return not_found(path);
}

void LivePage::serve(const Request& request, const Respond& respond) {
  const std::string prefix = std::string(kParameters) + '/';
  if (request.method == "POST") {
    if (request.path == kParameters) return change_parameters(request, respond);
    Response out =
        problem(405, "POST is not supported at " + request.path, std::string("POST to ") + kParameters);
    out.allow = "GET, HEAD";
    return respond(std::move(out));
  }
  if (request.path.starts_with(prefix)) return serve_parameters(request, respond);
  respond(get(request.path));
}

std::optional<std::size_t> LivePage::board_of(const std::string& name) const {
  const auto it = std::find_if(info_.boards.begin(), info_.boards.end(),
                               [&](const RunInfo::Board& b) { return b.name == name; });
  if (it == info_.boards.end()) return std::nullopt;
  return static_cast<std::size_t>(it - info_.boards.begin());
}

/// Refuses requests for the boards' parameters after the run, when the boards no longer exist.
bool LivePage::refuse_when_over(const Respond& respond) const {
  if (state_ != State::kEnded) return false;
  respond(problem(409, "the run has ended", "start a new run"));
  return true;
}

void LivePage::serve_parameters(const Request& request, const Respond& respond) {
  const auto name = decode_percent(request.path.substr(std::string(kParameters).size() + 1));
  const auto board = name ? board_of(*name) : std::nullopt;
  if (!board || parameters_ == nullptr) return respond(not_found(request.path));
  if (refuse_when_over(respond)) return;
  parameters_->read(*board, respond);
}

void LivePage::change_parameters(const Request& request, const Respond& respond) {
  ChangeRequest change;
  if (auto wrong = parse_change(request.body, change)) return respond(std::move(*wrong));
  const auto board = board_of(change.board);
  if (!board || parameters_ == nullptr)
    return respond(problem(404, "no board \"" + change.board + '"', "/api/setup lists them"));
  if (refuse_when_over(respond)) return;
  parameters_->write({*board, change.qp, std::move(change.given)}, respond);
}

}  // namespace softfeb::telemetry
