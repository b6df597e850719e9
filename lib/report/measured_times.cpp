// SPDX-License-Identifier: BSD-3-Clause
// Times of a measured switch, its watchdog, and the CNPs that the switch itself sends.
#include "report/measured_switch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace softfeb::report {

namespace {

using switchtest::Figure;
using switchtest::Status;

constexpr double kTimePerNs = kNanosecond, kTimePerUs = kMicrosecond, kTimePerMs = kMillisecond;

/// Sets a pause time from the interval of a figure. The time stays 0 if 0 lies within the interval.
void add_pause_time(const FigureIndex& figures, const char* test, const char* figure, const char* key,
                    Time& time, MeasuredSwitch& out) {
  const Figure* const f = figures.measured(test, figure);
  if (f == nullptr) {
    if (!figures.absent(test, figure)) out.unknown_key(key, figures.why_not(test, figure));
    return;
  }
  if (f->low.value_or(0) <= 0) return;
  time = std::min<Time>(roundest_decimal(range_of(*f, kTimePerNs)), fabric::SwitchTimes::kMax);
  out.notes[key] = interval_note(test, *f);
}

void add_watchdog(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const detect = figures.find("storm", "detect_ms");
  if (detect == nullptr || !detect->high) {
    if (!figures.absent("storm", "detect_ms"))
      out.unknown_key("watchdog", figures.why_not("storm", "detect_ms"));
    return;
  }
  fabric::WatchdogConfig& watchdog = out.config.watchdog;
  const double low = detect->low.value_or(*detect->high);
  watchdog.detection = std::max<Time>(
      kMicrosecond, roundest_decimal(whole_range(low * kTimePerMs, *detect->high * kTimePerMs)));
  out.notes["watchdog.detection"] = interval_note("storm", *detect);
  if (figures.word("storm", "action") == "forward")
    watchdog.action = fabric::WatchdogConfig::Action::kForward;
  out.notes["watchdog.action"] = "storm: " + figures.word("storm", "action");
  watchdog.restoration = watchdog.detection;
  const Figure* const restore = figures.find("storm", "restore_ms");
  if (restore == nullptr || !restore->low)
    return out.unknown_key("watchdog.restoration", figures.why_not("storm", "restore_ms"));
  watchdog.restoration = std::max<Time>(
      kMicrosecond, roundest_decimal(whole_range(*restore->low * kTimePerMs,
                                                 restore->high.value_or(*restore->low) * kTimePerMs)));
  out.notes["watchdog.restoration"] = interval_note("storm", *restore);
}

std::uint64_t slower_rate(const switchtest::SwitchReport& report) {
  return std::min(report.ports[report.settings.roles.a].rate, report.ports[report.settings.roles.d].rate);
}

/// Sets the threshold above which the switch sends CNPs, and the interval between CNPs. The switch counts
/// whole frames in windows of time: at a load between n and n + 1 frames per window, some windows contain
/// n + 1 frames. The switch sent no CNPs at the lower bound of the measured load, so the threshold is at
/// least n + 1 frames, where n belongs to this bound. It sent CNPs at the upper bound, so the threshold is
/// less than n + 1 frames, where n belongs to the upper bound.
void add_forge(const FigureIndex& figures, MeasuredSwitch& out) {
  const auto loads = figures.all("dcqcn", "forge_gbps");
  if (loads.empty() || loads.front()->status != Status::kMeasured) {
    if (!figures.absent("dcqcn", "forge_gbps"))
      out.unknown_key("forge", figures.why_not("dcqcn", "forge_gbps"));
    return;
  }
  constexpr double kGigabit = 1e9, kGap = 20;
  const Figure& load = *loads.front();
  fabric::ThresholdForge& forge = out.config.forge;
  const double wire = 8 * (std::strtod(load.labels.at("size").c_str(), nullptr) + kGap);
  const double windows = static_cast<double>(kSecond) / static_cast<double>(forge.window);
  const auto more = [&](double gbps) {
    return (std::floor(gbps * kGigabit / windows / wire) + 1) * wire * windows;
  };
  const WholeRange bits = whole_range(more(*load.low), more(*load.high) - 1);
  forge.threshold = std::max<std::uint64_t>(1, roundest_decimal(bits) / 8);
  out.notes["forge.threshold"] =
      interval_note("dcqcn", load) + " of frames of " + load.labels.at("size") + " B, counted in windows";
  out.unknown_key("forge.window", "the window of 100us is an assumption");
  const auto intervals = figures.all("dcqcn", "forge_interval_us");
  if (intervals.empty() || intervals.front()->status != Status::kMeasured)
    return out.unknown_key("forge.interval", figures.why_not("dcqcn", "forge_interval_us"));
  // The switch sends a CNP only when the next frame arrives, so the measured interval is longer by up to the
  // time of a frame.
  const Figure& interval = *intervals.front();
  const double frame =
      wire / 8 * static_cast<double>(kSecond) / static_cast<double>(slower_rate(figures.report()));
  forge.interval = std::max<Time>(
      1, roundest_decimal(whole_range(*interval.low * kTimePerUs - frame + 1, *interval.high * kTimePerUs)));
  out.notes["forge.interval"] = interval_note("dcqcn", interval);
}

}  // namespace

void add_times(const FigureIndex& figures, MeasuredSwitch& out) {
  add_pause_time(figures, "obedience", "response_ns", "pause_response", out.config.times.pause_response, out);
  add_pause_time(figures, "xoff", "generation_ns", "pause_generation", out.config.times.pause_generation,
                 out);
  const std::string forwarding = figures.word("latency", "forwarding");
  if (forwarding == "cut-through") {
    out.config.times.cut_through = true;
    out.notes["cut_through"] = "latency: cut-through";
  } else if (forwarding.empty()) {
    out.unknown_key("cut_through", figures.why_not("latency", "forwarding"));
  }
  add_watchdog(figures, out);
  add_forge(figures, out);
}

}  // namespace softfeb::report
