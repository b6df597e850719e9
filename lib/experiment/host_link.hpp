// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "hosts/agreement.hpp"
#include "hosts/clock_difference.hpp"
#include "hosts/host_exchange.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace softfeb::experiment {

/// The messages between the processes of an experiment on several hosts.
class HostLink {
 public:
  /// `exchange` must outlive this object.
  explicit HostLink(hosts::HostExchange& exchange) : exchange_(exchange), agreed_(exchange.size()) {}

  std::uint32_t rank() const { return exchange_.rank(); }
  std::uint32_t size() const { return exchange_.size(); }
  /// True if this process must end without waiting for the others.
  bool ended() const { return exchange_.ended(); }

  /// Sends a value to all processes if it is larger than the value that was sent last.
  void tell(hosts::Told what, std::uint64_t value);
  /// Processes the values that other processes have sent. Call it often.
  void poll();
  const hosts::Agreement& agreed() const { return agreed_; }

  /// Measures how far the clock of this host is ahead of the clock of process 0's host. Takes up to about a
  /// second, if that is necessary to reduce the error to a tenth of `limit_ns`. All processes must call this
  /// function together. The result is unknown if the process was told to end.
  hosts::ClockReading measure_clock(std::int64_t limit_ns);

  /// Sends the counters of this process to process 0, which uses only the latest counters of each process.
  void send_sample(std::vector<std::uint8_t> bytes) { send(Kind::kSample, std::move(bytes)); }
  /// Passes the latest counters of all other processes to `take`.
  void latest_samples(const hosts::HostExchange::Take& take) const;

  /// Sends the result of this process to process 0.
  void send_result(std::vector<std::uint8_t> bytes) { send(Kind::kResult, std::move(bytes)); }
  /// For process 0: waits for the results of all other processes, and passes them to `take` in the order of
  /// ranks. Returns false if the process was told to end before all results had arrived.
  bool take_results(const hosts::HostExchange::Take& take);
  /// Waits until process 0 has written the results. Returns false if this process was told to end before
  /// that.
  bool wait_for_end();

 private:
  enum class Kind : std::uint8_t { kTold, kSample, kResult };
  void send(Kind kind, std::vector<std::uint8_t> bytes);
  hosts::ClockReading ask_process_0(std::int64_t wanted_ns);
  bool answer(std::uint32_t rank);

  hosts::HostExchange& exchange_;
  hosts::Agreement agreed_;
  std::map<std::uint32_t, std::vector<std::uint8_t>> samples_, results_;  ///< messages by rank
};

/// Reads the wall clock, in ns since 1970.
std::int64_t wall_clock_ns();

}  // namespace softfeb::experiment
