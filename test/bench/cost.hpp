// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "statistics.hpp"
#include "turns.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::bench {

/// The compiler takes `value` for used.
template <typename T>
inline void keep_value(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Small pieces of work and what each costs, in nanoseconds of the thread's own time: measured by turns, a
/// median over the runs.
class Costs {
 public:
  /// `work(n)` does it n times.
  void add(std::string name, std::function<void(std::uint64_t)> work) {
    pieces_.push_back({std::move(name), std::move(work), {}, 1});
  }
  /// So many runs of about `duration` for each piece.
  void measure(unsigned runs, Time duration);

  /// Runs of each piece, by its name, as `figure` makes them of nanoseconds: {median, min, max}.
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
