// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/service_reporter.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// Interval between two status lines.
constexpr Time kStatusInterval = 10 * kSecond;
/// systemd recommends two reports per watchdog interval. softfeb sends three, because a busy machine may
/// delay a sample.
constexpr Time kReportsPerWatchdog = 3;

std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

ServiceReporter::ServiceReporter(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
                                 service::Notifier& notifier)
    : config_(config), notifier_(notifier), rates_(config, plans) {
  if (!notifier_.active()) return;
  interval_ = kStatusInterval;
  if (const auto watchdog = notifier_.watchdog())
    interval_ = std::clamp(*watchdog / kReportsPerWatchdog, kMillisecond, kStatusInterval);
  due_ = 0;
}

void ServiceReporter::add(const stats::Sample& sample) {
  if (sample.at < due_) return;
  due_ = sample.at + interval_;
  notifier_.alive();
  if (sample.at < status_due_) return;
  status_due_ = sample.at + kStatusInterval;
  report(sample);
}

void ServiceReporter::report(const stats::Sample& sample) {
  const stats::RunInterval& interval = rates_.add(sample);
  const stats::SendCounts& n = interval.total;
  std::string text =
      fmt::format("{}, {}: {:.3f} Gb/s of payload, {} messages, {} retransmitted",
                  counted(config_.boards.size(), "board"), counted(config_.receivers.size(), "receiver"),
                  interval.sum.payload * 8e-9, n.completed, n.retransmitted);
  if (n.failed != 0) text += fmt::format(", {} FAILED", n.failed);
  notifier_.status(text);
}

}  // namespace softfeb::experiment
