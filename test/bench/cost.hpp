// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "statistics.hpp"
#include "turns.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::bench {

/// Makes the compiler treat `value` as used.
template <typename T>
inline void keep_value(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Costs of small pieces of work, in nanoseconds of CPU time: measured alternately, median over the runs.
class Costs {
 public:
  /// `work(n)` executes the piece n times.
  void add(std::string name, std::function<void(std::uint64_t)> work) {
    pieces_.push_back({std::move(name), std::move(work), {}, 1});
  }
  /// Measures `runs` runs of about `duration` per piece.
  void measure(unsigned runs, Time duration);

  /// Runs of each piece by name, converted by `figure` from nanoseconds: {median, min, max}.
  Json json(const std::function<double(double)>& figure = [](double ns) { return ns; }) const;

 private:
  struct Piece {
    std::string name;
    std::function<void(std::uint64_t)> work;
    std::vector<double> ns;
    std::uint64_t times;
  };
  static Time time_of(const Piece& piece);

  std::vector<Piece> pieces_;
};

}  // namespace softfeb::bench
