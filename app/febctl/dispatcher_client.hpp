// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "catalogue.hpp"
#include "register_port.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace softfeb::febctl {

/// Target of the dispatcher's messages: message n goes to address + (n mod slots)·length.
struct DispatchTarget {
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint32_t lkey = 0;
  std::uint32_t sqpn = 0;  ///< QPN on the board
  std::uint32_t slots = 0;
  std::uint32_t length = 0;
};

/// Numbers of completions, as in the counters of the board's WorkCompChecker, which have 24 bits.
struct Completions {
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;

  /// Returns the number of completions since `before`, an earlier value of the counters.
  Completions since(const Completions& before) const;
};

struct Burst {
  std::uint32_t count = 0;
  std::uint32_t length = 0;
  Completions done;
  double seconds = 0;  ///< time from the start until the last completion was seen

  bool complete() const { return done.ok == count && done.failed == 0; }
  double gbps() const { return seconds > 0 ? 8e-9 * done.ok * length / seconds : 0; }
};

/// Controls the board's WorkReqDispatcher and WorkCompChecker through their registers.
class DispatcherClient {
 public:
  static constexpr std::uint32_t kMaxCount = (1U << 24) - 1;

  /// `board` and `catalogue` must outlive this object. Throws UsageError if the profile has no dispatcher.
  DispatcherClient(RegisterPort& board, const Catalogue& catalogue);

  void set_target(const DispatchTarget& target);
  void set_length(std::uint32_t bytes);
  std::uint32_t length();
  Completions completions();
  void reset_counters();

  /// Starts a burst with a rising edge of the start bit. Returns the counters before the burst.
  Completions start(std::uint32_t count);
  /// Waits until `count` requests have completed since `before`, `limit` has passed since `started`, or
  /// `stopped` returns true.
  Burst wait(std::uint32_t count, const Completions& before, std::chrono::steady_clock::time_point started,
             std::chrono::duration<double> limit, const std::function<bool()>& stopped);

 private:
  RegisterPort& board_;
  const Catalogue& catalogue_;
  Register start_, count_, length_, ok_, failed_;
};

}  // namespace softfeb::febctl
