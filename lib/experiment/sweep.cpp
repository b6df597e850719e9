// SPDX-License-Identifier: BSD-3-Clause
#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "experiment/event_files.hpp"
#include "experiment/phases.hpp"
#include "experiment/setup.hpp"
#include "experiment/virtual_driver.hpp"
#include "lab/flows.hpp"
#include "lab/metrics_config.hpp"
#include "report/lab_result.hpp"
#include "report/pictures.hpp"
#include "report/registration_result.hpp"
#include "report/result.hpp"
#include "runtime/stop_signal.hpp"
#include "stats/goodput.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace softfeb::experiment {

namespace {

using Json = nlohmann::ordered_json;

/// Name of a sweep's table in the folder of `--report`.
constexpr const char* kReportSweep = "sweep.csv";

/// One point of the grid.
struct Point {
  std::vector<std::string> values;  ///< one value for each axis
  config::LabConfig config;
  report::LabRun run;
  std::optional<double> goodput_gbps;  ///< goodput of all boards together
  std::optional<double> latency_us;    ///< mean latency of all transfers
  std::string error;                   ///< reason why there is no run
  bool done = false;
};

/// A column of the table: its name, and the source of its values, which is either a check or a member of
/// Point.
struct Measure {
  const char* name;
  config::LimitUnit unit;
  const char* check;
  double scale;
  std::optional<double> Point::*member = nullptr;
};

constexpr Measure kMeasures[] = {
    {"jain_min", config::LimitUnit::kShare, "fairness_jain", 1},
    {"port_used_min", config::LimitUnit::kShare, "port_used", 1},
    {"queue_bytes_max", config::LimitUnit::kBytes, "queue_bytes_max", 1},
    {"queue_bytes_mean", config::LimitUnit::kBytes, "queue_bytes_mean", 1},
    {"dropped", config::LimitUnit::kCount, "dropped", 1},
    {"pause_tx", config::LimitUnit::kCount, "pause_tx", 1},
    {"convergence_ms", config::LimitUnit::kTime, "convergence", 1e3},
    {"retransmitted", config::LimitUnit::kCount, "retransmitted", 1},
    {"demand_met", config::LimitUnit::kShare, "demand_met", 1},
    {"goodput_gbps", config::LimitUnit::kTime, nullptr, 1, &Point::goodput_gbps},
    {"latency_us", config::LimitUnit::kTime, nullptr, 1, &Point::latency_us},
};

/// Returns all combinations of the axes' values; the last axis varies fastest.
std::vector<Point> grid(const std::vector<config::SweepAxis>& axes) {
  std::vector<Point> points(1);
  for (const config::SweepAxis& axis : axes) {
    std::vector<Point> more;
    for (const Point& p : points) {
      for (const std::string& value : axis.values) {
        more.emplace_back();
        more.back().values = p.values;
        more.back().values.push_back(value);
      }
    }
    points = std::move(more);
  }
  return points;
}

void load(std::vector<Point>& points, const Options& options, const std::vector<config::SweepAxis>& axes) {
  for (Point& p : points) {
    std::vector<std::string> overrides = options.overrides;
    for (std::size_t a = 0; a < axes.size(); ++a) overrides.push_back(axes[a].key + '=' + p.values[a]);
    p.config = config::load_lab(options.config, overrides);
  }
}

void run(Point& p) {
  try {
    VirtualDriver driver(p.config, runtime::stop_signals, event_services(p.config.run, nullptr));
    lab::Metrics metrics(
        lab::make_metrics_config(p.config, lab::flows_of(p.config.run, driver.plans().all())));
    const stats::Outcome outcome = run_phases(p.config.run, driver, {&metrics}, [](const std::string&) {});
    p.run = report::judge_lab(p.config, lab_stats(p.config, driver, outcome, metrics));
    p.goodput_gbps = stats::total_goodput_gbps(p.config.run, outcome);
    p.latency_us = report::transfer_latency_us(driver.endpoints());
    p.done = !outcome.interrupted;
  } catch (const std::exception& e) {
    p.error = e.what();
  }
}

/// Runs all points, in parallel on all CPUs.
void run(std::vector<Point>& points, bool shown) {
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex terminal;
  const auto work = [&] {
    for (std::size_t i = next++; i < points.size() && runtime::stop_signals() == 0; i = next++) {
      run(points[i]);
      const std::lock_guard lock(terminal);
      ++done;
      if (shown) fmt::print(stderr, "\r\033[K{} of {} runs", done, points.size());
    }
  };
  std::vector<std::thread> threads;
  const std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cpus, points.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  if (shown) fmt::print(stderr, "\r\033[K");
}

/// Value of a measure at a point of the grid. Empty if the run does not have this value, or did not take
/// place.
std::optional<double> value_of(const Point& p, const Measure& m) {
  if (!p.done) return std::nullopt;
  if (m.member != nullptr) return p.*m.member;
  const auto v = lab::value_of(m.check, p.run.figures);
  if (!v || std::isinf(*v)) return std::nullopt;
  return *v * m.scale;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string csv(const std::vector<config::SweepAxis>& axes, const std::vector<Point>& points) {
  std::string text;
  for (const config::SweepAxis& a : axes) text += quoted(a.key) + ',';
  for (const Measure& m : kMeasures)
    text += std::string(m.name) + (&m == std::end(kMeasures) - 1 ? "\n" : ",");
  for (const Point& p : points) {
    for (const std::string& v : p.values) text += quoted(v) + ',';
    for (const Measure& m : kMeasures) {
      if (const auto v = value_of(p, m)) text += fmt::format("{:.9g}", *v);
      text += &m == std::end(kMeasures) - 1 ? '\n' : ',';
    }
  }
  return text;
}

Json json(const config::LabConfig& base, const std::vector<Point>& points, bool held) {
  Json list = Json::array();
  for (const Point& p : points) {
    Json values = Json::object();
    for (std::size_t a = 0; a < base.lab.sweep.size(); ++a) values[base.lab.sweep[a].key] = p.values[a];
    Json point{{"values", std::move(values)}};
    for (const Measure& m : kMeasures) {
      const auto v = value_of(p, m);
      const bool whole = m.unit == config::LimitUnit::kBytes || m.unit == config::LimitUnit::kCount;
      point[m.name] = !v ? Json(nullptr) : whole ? Json(static_cast<std::uint64_t>(*v)) : Json(*v);
    }
    point["verdict"] = p.done ? Json(lab::to_string(p.run.verdict)) : Json(nullptr);
    if (!p.error.empty()) point["error"] = p.error;
    list.push_back(std::move(point));
  }
  return {{"schema_version", 1},
          {"verdict", held ? "held" : "failed"},
          {"config", config::to_json(base)},
          {"points", std::move(list)}};
}

/// True if any run has a value in the column.
bool shown(const Measure& m, const std::vector<Point>& points) {
  return std::any_of(points.begin(), points.end(),
                     [&](const Point& p) { return value_of(p, m).has_value(); });
}

int digits_of(const Measure& m) {
  if (m.member != nullptr) return 3;
  return m.unit == config::LimitUnit::kShare ? 4 : 0;
}

/// Heading of axis `a`: the last part of its key if no other axis has the same last part, otherwise the
/// whole key.
std::string heading(const std::vector<config::SweepAxis>& axes, std::size_t a) {
  const auto last = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  const std::string name = last(axes[a].key);
  const auto same = [&](const config::SweepAxis& other) { return last(other.key) == name; };
  return std::count_if(axes.begin(), axes.end(), same) == 1 ? name : axes[a].key;
}

/// Formats the table for the terminal, without columns that no run has a value for.
std::string table(const std::vector<config::SweepAxis>& axes, const std::vector<Point>& points) {
  std::string t = "\n";
  std::vector<std::size_t> widths;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    std::size_t width = heading(axes, a).size();
    for (const std::string& v : axes[a].values) width = std::max(width, v.size());
    widths.push_back(width);
    t += fmt::format("{:<{}}  ", heading(axes, a), width);
  }
  std::vector<Measure> measures;
  std::copy_if(std::begin(kMeasures), std::end(kMeasures), std::back_inserter(measures),
               [&](const Measure& m) { return shown(m, points); });
  for (const Measure& m : measures) t += fmt::format("{:>18}", m.name);
  t += '\n';
  for (const Point& p : points) {
    for (std::size_t a = 0; a < axes.size(); ++a) t += fmt::format("{:<{}}  ", p.values[a], widths[a]);
    for (const Measure& m : measures) {
      const auto v = value_of(p, m);
      t += v ? fmt::format("{:>18.{}f}", *v, digits_of(m)) : fmt::format("{:>18}", "-");
    }
    t += '\n';
  }
  return t;
}

/// True if every run was completed, and all its checks held, including conservation.
bool all_held(const std::vector<Point>& points) {
  return std::all_of(points.begin(), points.end(),
                     [](const Point& p) { return p.done && p.run.verdict == lab::Verdict::kHeld; });
}

void complain(const std::vector<config::SweepAxis>& axes, const std::vector<Point>& points) {
  for (const Point& p : points) {
    std::string where;
    for (std::size_t a = 0; a < axes.size(); ++a)
      where += (a == 0 ? "" : " ") + heading(axes, a) + '=' + p.values[a];
    if (!p.error.empty()) fmt::print(stderr, "softfeb: {}: {}\n", where, p.error);
    if (!p.done) continue;
    for (const lab::CheckResult& c : p.run.checks) {
      if (!c.held) fmt::print(stderr, "softfeb: {}: check {} failed\n", where, c.name);
    }
  }
}

}  // namespace

int run_sweep(const Options& options) {
  refuse_useless(options);
  const config::LabConfig base = config::load_lab(options.config, options.overrides);
  const std::vector<config::SweepAxis>& axes = base.lab.sweep;
  if (axes.empty()) {
    fmt::print(stderr, "softfeb: {}: lab.sweep: empty; fix: name keys and values as in conf/lab/sweep.yaml\n",
               options.config);
    return kBadUsage;
  }
  report::check_writable(base.run, options.json, options.report);
  std::vector<Point> points = grid(axes);
  load(points, options, axes);
  runtime::catch_stop_signals();
  run(points, !options.quiet && isatty(STDERR_FILENO) != 0);
  const bool held = all_held(points);
  const std::string result = json(base, points, held).dump(1) + "\n";
  if (options.json) report::write_atomically(*options.json, result);
  if (options.report) {
    report::write_atomically(*options.report + '/' + report::kReportConfig, config::to_yaml(base));
    report::write_atomically(*options.report + '/' + report::kReportResult, result);
    report::write_atomically(*options.report + '/' + kReportSweep, csv(axes, points));
  }
  if (!options.quiet && options.json != "-") fmt::print("{}", table(axes, points));
  complain(axes, points);
  if (options.report && options.pictures)
    report::make_pictures(*options.report, options.quiet || options.json == "-");
  return held ? kDone : kCheckFailed;
}

}  // namespace softfeb::experiment
