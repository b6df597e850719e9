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
  kBounded,       ///< only one side is known: `low` or `high` is absent
  kAbsent,        ///< the switch does not do this
  kUnresolvable,  ///< this rig cannot tell
  kInconclusive,  ///< the rig failed: void trials
};

/// How a figure was obtained. Determines what its interval means: exact to a frame, or 95 % confidence.
enum class Method : std::uint8_t {
  kCount,   ///< frames that were counted; the interval is exact
  kSearch,  ///< the largest value that works and the smallest that fails
  kFit,     ///< maximum likelihood, 95 % profile interval
  kMean,    ///< mean or quantile of many frames
  kOrder,   ///< conclusion from which frames arrived, and in which order
};

/// A result of a test. `value` is missing if `status` is kAbsent, kUnresolvable or kInconclusive, and for
/// figures that are a word (`text`).
struct Figure {
  std::string name;  ///< such as "kmin_bytes"; the test's name is not part of it
  /// Conditions of the measurement, such as {"size", "1518"}, {"queue", "3"}.
  std::map<std::string, std::string> labels{};
  std::optional<double> value{};
  std::optional<double> low{}, high{};
  std::string unit{};  ///< "B", "ns", "frames", "Gb/s", "%", "" for ratios and words
  Method method = Method::kCount;
  unsigned trials = 0;
  unsigned void_trials = 0;
  Status status = Status::kMeasured;
  std::string reason{};  ///< in words; required unless the status is kMeasured
  std::string text{};    ///< a word, such as "dynamic threshold"
};

/// Points of a chart.
struct Curve {
  struct Point {
    double x = 0, y = 0;
    std::optional<double> low{}, high{};  ///< 95 % interval of y
  };
  std::string name;   ///< of the chart, such as "marking"; curves of one chart have the same name
  std::string label;  ///< of the curve, such as "1026 bytes" or "fit"
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
  Status status = Status::kMeasured;  ///< of the whole test: kMeasured, kUnresolvable or kInconclusive
  std::string reason{};
  std::vector<Figure> figures{};
  std::vector<Curve> curves{};
  std::vector<TrialRecord> trials{};
  Time took = 0;  ///< on the rig's clock
};

}  // namespace softfeb::switchtest
