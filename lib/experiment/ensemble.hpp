// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simulator/exchange.hpp"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

/// Functions that all processes of a run in parts call together.
namespace softfeb::experiment {

/// A step has failed in at least one process, so all processes end. what() is empty in all processes but the
/// one that tells the user.
class EnsembleFailure : public std::runtime_error {
 public:
  EnsembleFailure(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  int status() const { return status_; }  ///< exit status

 private:
  int status_;
};

/// Carries out `step` in all processes. If it throws an exception in any of them, throws EnsembleFailure in
/// all. With a single process, passes the exception on.
void all_or_none(simulator::Exchange& exchange, const std::function<void()>& step);

/// Throws EnsembleFailure unless all processes run the same program with the same configuration and the same
/// payloads. `payloads`: a hash.
void require_same(simulator::Exchange& exchange, const std::string& configuration, std::uint64_t payloads);

/// Median time of an exchange of a few frames between all neighbours, in seconds; 0 with a single process.
/// Call it after Exchange::connect().
double exchange_time(simulator::Exchange& exchange);

/// Name of this host.
std::string host_name();

/// Name of a process for messages: its number and its host.
std::string process_name(std::uint32_t rank);

/// A hash of bytes, which does not depend on the host.
std::uint64_t hash_of(ByteSpan bytes, std::uint64_t before = 0);

}  // namespace softfeb::experiment
