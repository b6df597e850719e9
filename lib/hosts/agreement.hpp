// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::hosts {

/// The values that processes send to each other while traffic runs. Each value can only increase.
enum class Told : std::uint8_t {
  kReady,     ///< 1 if links and neighbours are ready
  kStart,     ///< sent by process 0: time at which traffic starts, in ns since 1970; 0 if undecided
  kStops,     ///< number of stop requests that the process has received
  kFinished,  ///< last stage that all boards of the process have finished (1: traffic, 2: drain)
  kEnd,       ///< sent by process 0: 1 once the results of all processes have been written
};
inline constexpr std::size_t kToldKinds = 5;

/// The latest value of each kind (Told) that each process has sent.
class Agreement {
 public:
  explicit Agreement(std::size_t processes) : values_(processes) {}

  /// Stores a value. Returns false if the value is not larger than the previous value; it then need not be
  /// sent.
  bool note(std::size_t process, Told what, std::uint64_t value) {
    std::uint64_t& known = values_.at(process)[index(what)];
    if (value <= known) return false;
    known = value;
    return true;
  }
  std::uint64_t of(std::size_t process, Told what) const { return values_.at(process)[index(what)]; }
  /// True if the values of all processes are at least `value`.
  bool all(Told what, std::uint64_t value) const {
    return std::all_of(values_.begin(), values_.end(),
                       [&](const Values& v) { return v[index(what)] >= value; });
  }
  std::uint64_t most(Told what) const {
    std::uint64_t most = 0;
    for (const Values& v : values_) most = std::max(most, v[index(what)]);
    return most;
  }

 private:
  using Values = std::array<std::uint64_t, kToldKinds>;
  static std::size_t index(Told what) { return static_cast<std::size_t>(what); }

  std::vector<Values> values_;
};

}  // namespace softfeb::hosts
