// SPDX-License-Identifier: BSD-3-Clause
#include "virtual_experiment.hpp"

#include "stop_signal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace softfeb::app {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

/// On a terminal, where people wait; a log of it means nothing.
class Waiting {
 public:
  Waiting(const config::LabConfig& config, bool quiet)
      : config_(config), shown_(!quiet && isatty(STDERR_FILENO) != 0) {}
  ~Waiting() {
    if (open_) std::fputs("\r\033[K", stderr);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  void at(Time now) {
    if (!shown_ || seconds_since(last_) < 0.5) return;
    last_ = Clock::now();
    open_ = true;
    const auto& duration = config_.run.run.duration;
    fmt::print(stderr, "\r\033[Kvirtual time: {:.3f} s{}, {:.0f} s of the clock", to_seconds(now),
               duration ? fmt::format(" of {:g}", to_seconds(*duration)) : "", seconds_since(begun_));
    std::fflush(stderr);
  }

 private:
  const config::LabConfig& config_;
  bool shown_;
  bool open_ = false;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_ = begun_;
};

Outcome outcome_of(const config::RunConfig& config, lab::VirtualOutcome&& o) {
  Outcome out;
  out.started = o.origin;
  out.measured_from = o.measured_from;
  out.stopped = o.stopped;
  out.interrupted = o.interrupted;
  out.flushed = o.flushed;
  out.ended_in_warmup = config.run.warmup != 0 && o.baseline.empty();
  out.baseline = std::move(o.baseline);
  out.final = std::move(o.final);
  out.changes_made = std::move(o.changes_made);
  return out;
}

}  // namespace

VirtualExperiment run_virtually(const config::LabConfig& config, lab::VirtualLab& lab, LabRecorder& recorder,
                                bool quiet) {
  VirtualExperiment e;
  const auto begun = Clock::now();
  lab::VirtualOutcome outcome;
  {
    Waiting waiting(config, quiet);
    const int signals = stop_signals();
    recorder.prepare(lab.endpoints());
    outcome = lab.run(recorder.observers(), [&](Time now) {
      waiting.at(now);
      return stop_signals() == signals;
    });
  }
  e.seconds = seconds_since(begun);
  e.events = outcome.events;
  lab::RunFigures figures = lab::figures_of(config, lab, outcome, recorder.metrics());
  recorder.complete(figures);
  e.run = judge_lab(config, std::move(figures));
  e.network = std::move(outcome.network);
  e.outcome = outcome_of(config.run, std::move(outcome));
  return e;
}

std::string speed_in_words(const VirtualExperiment& e) {
  const double packets = static_cast<double>(std::max<std::uint64_t>(1, e.run.figures.totals.packets));
  return fmt::format(
      "{:g} s of the fabric's time in {:.2f} s: {:.2f} million events a second, {:.2f} us for each packet of "
      "a board",
      to_seconds(e.outcome.stopped - e.outcome.started), e.seconds,
      static_cast<double>(e.events) * 1e-6 / e.seconds, e.seconds * 1e6 / packets);
}

}  // namespace softfeb::app
