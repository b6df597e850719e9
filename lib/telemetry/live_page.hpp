// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/sample.hpp"
#include "telemetry/http.hpp"
#include "telemetry/links.hpp"
#include "telemetry/scene.hpp"
#include "telemetry/tracker.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::telemetry {

/// Parameters of the boards' congestion control, while they send: whoever can reach them.
class Parameters {
 public:
  struct Change {
    std::size_t board = 0;            ///< into Scene::boards
    std::optional<std::uint32_t> qp;  ///< number on its board; none: all
    std::vector<std::pair<std::string, std::string>>
        given;  ///< as in the `dcqcn` of a configuration's change
  };
  virtual ~Parameters() = default;
  /// Answers with the board's parameters as JSON, or with what is wrong.
  virtual void read(std::size_t board, Respond respond) = 0;
  /// Answers as read() does when the change is in force.
  virtual void write(const Change& change, Respond respond) = 0;
};

struct LivePageConfig {
  Time interval = 100 * kMillisecond;  ///< between two samples
  std::string chart_js;                ///< path of Chart.js' chart.min.js
  std::uint64_t run = 0;               ///< tells this run from others: when it started, in any unit
};

/// The live page of a run, its event stream, its JSON and /metrics (doc/telemetry.md). As an observer it is
/// fed with samples; as a site it answers requests from the last ones. Memory is bounded: the last minute or
/// so of samples is kept for those who come later.
class LivePage final : public lab::Observer, public Site {
 public:
  static constexpr std::size_t kHistory = 600;                   ///< samples
  static constexpr std::size_t kHistoryBytes = 8 * 1024 * 1024;  ///< of their JSON

  /// `parameters` may be null: nothing can be changed then. It outlives the page.
  /// `links` may be null: no board's slow control is served. It outlives the page, too.
  LivePage(Scene scene, LivePageConfig config, Parameters* parameters, const Links* links = nullptr);

  /// Gets every event from now on: HttpServer::publish.
  void publish_by(std::function<void(const std::string& event)> publish) { publish_ = std::move(publish); }

  void begin() override;
  Time due() const override { return due_; }
  void add(const lab::Sample& sample) override;
  /// From here on nothing can be changed.
  void end(const lab::Sample& sample) override;
  /// What came of it, after end(): held, failed, inconclusive; and the same in the words that a terminal
  /// gets.
  void conclude(const std::string& verdict, const std::string& text);

  void serve(const Request& request, const Respond& respond) override;
  bool is_stream(const std::string& path) const override { return path == "/events"; }
  std::string greeting() override;

  /// What the last sample was made of; its pointers are null before the first one.
  const lab::Sample& last() const { return last_; }
  const Scene& scene() const { return scene_; }

 private:
  enum class State : std::uint8_t { kWaiting, kRunning, kEnded };

  void keep(const lab::Sample& sample);
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

  Scene scene_;
  LivePageConfig config_;
  Parameters* parameters_;
  const Links* links_;
  std::string links_text_ = "null";  ///< as it was published last
  Tracker tracker_;
  std::function<void(const std::string&)> publish_;
  State state_ = State::kWaiting;
  std::string result_ = "null";  ///< of conclude(), as JSON
  Time due_;
  Time counters_due_ = 0;
  std::deque<std::string> history_;
  std::size_t history_bytes_ = 0;
  std::vector<engine::EndpointSnapshot> endpoints_;
  fabric::NetworkSnapshot network_;
  lab::Sample last_;
};

}  // namespace softfeb::telemetry
