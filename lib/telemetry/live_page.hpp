// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/rate_tracker.hpp"
#include "stats/sample.hpp"
#include "telemetry/http.hpp"
#include "telemetry/links.hpp"
#include "telemetry/run_info.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// lib/telemetry holds the live page: an HTTP server, its events, /metrics, and the files of the page
/// (page/). Begin with LivePage, which observes a run and answers the requests that http_server.hpp
/// accepts. run_info.hpp describes the run; metric_tables.hpp lists every counter; live_json.hpp and
/// metrics.hpp format the output. The library may include lib/stats and everything below it, and runs on
/// the control thread only. It changes congestion control parameters through the interface Parameters,
/// which lib/slowcontrol implements.
namespace softfeb::telemetry {

/// Interface through which the live page reads and changes the boards' congestion control parameters during
/// the run.
class Parameters {
 public:
  struct Change {
    std::size_t board = 0;            ///< index into RunInfo::boards
    std::optional<std::uint32_t> qp;  ///< index of the QP on its board; empty means all QPs of the board
    std::vector<std::pair<std::string, std::string>>
        given;  ///< keys and values, as in the `dcqcn` section of an element of the configuration's `changes`
  };
  virtual ~Parameters() = default;
  /// Calls `respond` with the parameters of `board` as JSON, or with an error.
  virtual void read(std::size_t board, Respond respond) = 0;
  /// Applies `change`, then calls `respond` with the new parameters as read() does, or with an error.
  virtual void write(const Change& change, Respond respond) = 0;
};

struct LivePageConfig {
  Time interval = 100 * kMillisecond;  ///< time between two samples
  std::string chart_js;                ///< path of the file chart.min.js (Chart.js)
  std::uint64_t run = 0;               ///< identifies the run, for example by its start time in any unit
};

/// Live page of a run: event stream, JSON and /metrics (doc/telemetry.md). It observes the run, and answers
/// requests with data from the last sample. Memory is bounded: the page keeps at most kHistory samples and
/// kHistoryBytes of JSON for clients that connect later.
class LivePage final : public stats::Observer, public Site {
 public:
  static constexpr std::size_t kHistory = 600;  ///< maximum number of samples kept
  /// Maximum size of the samples' JSON, in bytes.
  static constexpr std::size_t kHistoryBytes = 8 * 1024 * 1024;

  /// If `parameters` is null, parameters cannot be changed. If `links` is null, the page shows no slow
  /// control. Both must outlive the page.
  LivePage(RunInfo info, LivePageConfig config, Parameters* parameters, const Links* links = nullptr);

  /// Sets the function that receives every event from now on; usually HttpServer::publish.
  void publish_by(std::function<void(const std::string& event)> publish) { publish_ = std::move(publish); }

  void begin() override;
  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;
  /// Adds the last sample. From then on, requests to read or change parameters are rejected.
  void end(const stats::Sample& sample) override;
  /// Sets the result after end(): the verdict (held, failed, inconclusive) and the text shown in the
  /// terminal.
  void conclude(const std::string& verdict, const std::string& text);

  void serve(const Request& request, const Respond& respond) override;
  bool is_stream(const std::string& path) const override { return path == "/events"; }
  std::string greeting() override;

  /// Returns the last sample. Before the first sample, the pointers in the returned object are null.
  const stats::Sample& last() const { return last_; }
  const RunInfo& info() const { return info_; }

 private:
  enum class State : std::uint8_t { kWaiting, kRunning, kEnded };

  void keep(const stats::Sample& sample);
  void publish(const char* name, const std::string& data);
  std::string setup() const;
  std::string state() const;
  std::string history() const;
  std::string links() const;
  void publish_links();
  bool refuse_when_over(const Respond& respond) const;
  Response get(const std::string& path);
  Response chart_js() const;
  void serve_parameters(const Request& request, const Respond& respond);
  void change_parameters(const Request& request, const Respond& respond);
  std::optional<std::size_t> board_of(const std::string& name) const;

  RunInfo info_;
  LivePageConfig config_;
  Parameters* parameters_;
  const Links* links_;
  std::string links_text_ = "null";  ///< slow control links as last published
  stats::RateTracker rates_;
  std::function<void(const std::string&)> publish_;
  State state_ = State::kWaiting;
  std::string result_ = "null";  ///< result passed to conclude(), as JSON
  Time due_;
  Time counters_due_ = 0;
  std::deque<std::string> history_;
  std::size_t history_bytes_ = 0;
  std::vector<engine::EndpointSnapshot> endpoints_;
  fabric::NetworkSnapshot network_;
  std::vector<dataplane::CpuTimes> cpu_;
  stats::Sample last_;
};

}  // namespace softfeb::telemetry
