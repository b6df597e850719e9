// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

struct TestReport {
  std::string name;                   ///< such as "ecn"
  std::string title;                  ///< in words
  Status status = Status::kMeasured;  ///< of the whole test: kMeasured, kUnresolvable or kInconclusive
  std::string reason{};
  std::vector<Figure> figures{};
};

}  // namespace softfeb::switchtest
