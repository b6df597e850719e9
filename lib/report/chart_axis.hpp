// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace softfeb::report {

/// An axis of a chart, with ticks at round values.
class ChartAxis {
 public:
  struct Wish {
    bool to_ticks = false;     ///< start and end the axis at a tick
    bool from_zero = false;    ///< start at 0 if no value is negative and the values are not close together
    bool logarithmic = false;  ///< use a logarithmic axis if all values are positive and their ratio is large
  };
  /// Creates an axis with room for all `values`, which must be finite. If all values are integers in a small
  /// range, the ticks are integers, too.
  ChartAxis(const std::vector<double>& values, Wish wish);

  /// Position of a value on the axis: 0 is the start of the axis, and 1 is the end.
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

/// Formats the label of a tick, for example "0.25", "1500", "250k" or "2M".
std::string tick_words(double value);

}  // namespace softfeb::report
