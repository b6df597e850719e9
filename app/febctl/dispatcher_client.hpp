// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "catalogue.hpp"
#include "register_port.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace softfeb::febctl {

/// Where the dispatcher's messages go: message n to address + (n mod slots)·length.
struct DispatchTarget {
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint32_t lkey = 0;
  std::uint32_t sqpn = 0;  ///< the board's own queue pair
  std::uint32_t slots = 0;
  std::uint32_t length = 0;
};

/// Completions since the checker's counters were reset; they have 24 bits.
struct Completions {
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;

  /// What came since `before`.
  Completions since(const Completions& before) const;
};

struct Burst {
  std::uint32_t count = 0;
  std::uint32_t length = 0;
  Completions done;
  double seconds = 0;  ///< from the edge to the moment the last completion was seen

  bool complete() const { return done.ok == count && done.failed == 0; }
  double gbps() const { return seconds > 0 ? 8e-9 * done.ok * length / seconds : 0; }
};

/// WorkReqDispatcher and WorkCompChecker.
class DispatcherClient {
 public:
  static constexpr std::uint32_t kMaxCount = (1U << 24) - 1;

  /// Both outlive it. Throws UsageError where the profile has no dispatcher.
  DispatcherClient(RegisterPort& board, const Catalogue& catalogue);

  void set_target(const DispatchTarget& target);
  void set_length(std::uint32_t bytes);
  std::uint32_t length();
  Completions completions();
  void reset_counters();

  /// Starts a burst: a rising edge, and back. Returns what stood in the counters before.
  Completions start(std::uint32_t count);
  /// Until `count` have completed since `before`, `limit` has passed, or `stopped` says so; `started` is when
  /// the burst was.
  Burst wait(std::uint32_t count, const Completions& before, std::chrono::steady_clock::time_point started,
             std::chrono::duration<double> limit, const std::function<bool()>& stopped);

 private:
  RegisterPort& board_;
  const Catalogue& catalogue_;
  Register start_, count_, length_, ok_, failed_;
};

}  // namespace softfeb::febctl
