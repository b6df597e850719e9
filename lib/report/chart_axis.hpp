// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace softfeb::report {

/// An axis of a chart with round ticks.
class ChartAxis {
 public:
  struct Wish {
    bool to_ticks = false;     ///< start and end at a tick
    bool from_zero = false;    ///< start at 0 if no value is negative and they are far apart
    bool logarithmic = false;  ///< a logarithmic axis if all values are positive and their ratio is large
  };
  /// An axis with room for all `values`, which must be finite. If they are few integers, so are the ticks.
  ChartAxis(const std::vector<double>& values, Wish wish);

  /// Place on the axis: 0 is its start, 1 its end.
  double place(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }
  bool logarithmic() const { return logarithmic_; }

 private:
  void set_linear(double low, double high, bool integers, bool to_ticks);
  void set_logarithmic(double low, double high);

  double low_ = 0, high_ = 1;
  bool logarithmic_ = false;
  std::vector<double> ticks_;
};

/// Text of a tick: "0.25", "1500", "250k", "2M".
std::string tick_words(double value);

}  // namespace softfeb::report
