// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simulator/exchange.hpp"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

/// Functions for a run with several processes, in parts or on several hosts. All processes must call them
/// together.
namespace softfeb::experiment {

/// Thrown when a step has failed in at least one process, so that all processes must end. what() is empty
/// except in the process that reports the failure to the user.
class EnsembleFailure : public std::runtime_error {
 public:
  EnsembleFailure(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  int status() const { return status_; }  ///< exit status of the program

 private:
  int status_;
};

/// Carries out `step` in all processes. If `step` throws an exception in at least one process, throws
/// EnsembleFailure in all processes. With a single process, passes the exception on to the caller.
void all_or_none(simulator::Exchange& exchange, const std::function<void()>& step);

/// Throws EnsembleFailure unless all processes run the same program with the same configuration and the same
/// payloads. `payloads` is a hash of all payloads.
void require_same(simulator::Exchange& exchange, const std::string& configuration, std::uint64_t payloads);

/// Measures how long a swap of a few frames takes between all neighbouring processes (Exchange::connect()),
/// with two swaps in progress at a time. Returns the median in seconds; 0 with a single process. Call after
/// Exchange::connect().
double exchange_time(simulator::Exchange& exchange);

/// Returns the name of this host.
std::string host_name();

/// Returns the name of a process for messages: its number and its host.
std::string process_name(std::uint32_t rank);

/// Computes a hash of `bytes` that is the same on every host. `before` is the hash of the preceding bytes.
std::uint64_t hash_of(ByteSpan bytes, std::uint64_t before = 0);

}  // namespace softfeb::experiment
