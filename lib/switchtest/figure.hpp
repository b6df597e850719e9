// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

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
const char* name_of(Status status);

/// How a figure was obtained. Determines what its interval means: exact to a frame, or 95 % confidence.
enum class Method : std::uint8_t {
  kCount,   ///< frames that were counted; the interval is exact
  kSearch,  ///< the largest value that works and the smallest that fails
  kFit,     ///< maximum likelihood, 95 % profile interval
  kMean,    ///< mean or quantile of many frames
  kOrder,   ///< conclusion from which frames arrived, and in which order
};
const char* name_of(Method method);

/// A result of a test. `value` is missing if `status` is kAbsent, kUnresolvable or kInconclusive, and for
/// figures that are a word (`text`).
struct Figure {
  std::string name;  ///< such as "kmin_bytes"; the test's name is not part of it
  /// What the figure holds for, such as {"size", "1518"}, {"queue", "3"}.
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

/// Points of a diagram.
struct CurvePoint {
  double x = 0, y = 0;
  std::optional<double> low{}, high{};  ///< 95 % interval of y
  std::uint64_t count = 0;              ///< frames on which the point rests
};
struct Curve {
  std::string name;  ///< such as "marking"
  std::map<std::string, std::string> labels{};
  std::string x_name, x_unit, y_name, y_unit;
  std::vector<CurvePoint> points{};
  std::vector<CurvePoint> fit{};  ///< the fitted function, if there is one
};

/// Raw counts of a trial, for result.json.
struct TrialRecord {
  std::map<std::string, double> values{};
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
