// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

enum class Status : std::uint8_t {
  kMeasured,
  kBounded,       ///< only one bound is known: `low` or `high` is absent
  kAbsent,        ///< the switch does not do what the figure describes
  kUnresolvable,  ///< this rig cannot measure the figure
  kInconclusive,  ///< the rig failed: too many trials were void
};

/// How a figure was obtained. The method determines whether the interval of the figure is exact to one frame,
/// or is a 95 % confidence interval.
enum class Method : std::uint8_t {
  kCount,   ///< frames that were counted; the interval is exact
  kSearch,  ///< interval from the largest value that passed to the smallest value that failed
  kFit,     ///< maximum-likelihood fit with a 95 % profile interval
  kMean,    ///< mean or quantile of many frames
  kOrder,   ///< conclusion from the order in which frames arrived, or from which of them arrived
};

/// A result of a test. `value` is missing if `status` is kAbsent, kUnresolvable or kInconclusive, and for
/// figures that are a word (`text`).
struct Figure {
  std::string name;  ///< such as "kmin_bytes"; without the name of the test
  /// Conditions of the measurement, for example {"size", "1518"} or {"queue", "3"}.
  std::map<std::string, std::string> labels{};
  std::optional<double> value{};
  std::optional<double> low{}, high{};
  std::string unit{};  ///< "B", "ns", "frames", "Gb/s", "%", "" for ratios and words
  Method method = Method::kCount;
  unsigned trials = 0;
  unsigned void_trials = 0;
  Status status = Status::kMeasured;
  std::string reason{};  ///< reason for the status, in words; required unless the status is kMeasured
  std::string text{};    ///< a word, such as "dynamic threshold"
};

/// Points of a chart.
struct Curve {
  struct Point {
    double x = 0, y = 0;
    std::optional<double> low{}, high{};  ///< 95 % interval of y
  };
  std::string name;   ///< name of the chart, such as "marking"; curves with the same name share a chart
  std::string label;  ///< name of the curve, such as "1026 bytes" or "fit"
  std::string x_name, x_unit, y_name, y_unit;
  std::vector<Point> points;
};

/// Raw counts of a trial.
struct TrialRecord {
  struct Counts {
    std::uint64_t sent = 0, arrived = 0, duplicated = 0, reordered = 0, damaged = 0;
    std::array<std::uint64_t, 4> ecn{};  ///< arrived frames by their ECN field
  };
  Time at = 0;  ///< end of the trial, on the rig's clock
  std::vector<Counts> kinds;
  std::uint64_t pauses = 0;  ///< pause frames that the switch sent
  Time late = 0;             ///< TrialResult::late_max
  Time time_error = 0;       ///< TrialResult::time_error
  std::string void_reason{};
};

struct TestReport {
  std::string name;                   ///< such as "ecn"
  std::string title;                  ///< in words
  Status status = Status::kMeasured;  ///< status of the whole test: kMeasured, kUnresolvable or kInconclusive
  std::string reason{};
  std::vector<Figure> figures{};
  std::vector<Curve> curves{};
  std::vector<TrialRecord> trials{};
  Time took = 0;  ///< duration on the rig's clock
};

}  // namespace softfeb::switchtest
