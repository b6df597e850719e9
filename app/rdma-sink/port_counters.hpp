// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::sink {

/// Counters of a port by name, as the kernel shows them: one file each.
using CounterFiles = std::map<std::string, std::uint64_t>;

/// Reads the counters in `folder`, such as /sys/class/infiniband/rxe0/ports/1/hw_counters. Files without a
/// whole number, and `lifespan` (an interval, no counter), are left out. Empty if there is no such folder.
CounterFiles read_counters(const std::string& folder);

/// The counters of a port over a session: `hw_counters` and `counters` of the report (doc/rdma-sink.md).
class PortCounters {
 public:
  /// `port`: for example /sys/class/infiniband/rxe0/ports/1. Reads the counters at the start.
  explicit PortCounters(std::string port);

  /// Adds the increase of each counter since the start to the report; null for a kind that the device lacks.
  void add_to(nlohmann::json& report) const;

 private:
  std::string port_;
  CounterFiles hardware_;
  CounterFiles standard_;
};

}  // namespace softfeb::sink
