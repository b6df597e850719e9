// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::sink {

/// Counters of a port by name. In sysfs, each counter is a file.
using CounterFiles = std::map<std::string, std::uint64_t>;

/// Reads the counters in `folder`, such as /sys/class/infiniband/rxe0/ports/1/hw_counters. Ignores files that
/// do not contain a whole number, and `lifespan`, which is an interval and not a counter. Returns an empty
/// map if the folder does not exist.
CounterFiles read_counters(const std::string& folder);

/// Returns the current values of the counters of a port: `hw_counters` and `counters`, each null if the
/// device has no counters of this kind. `port` is as in PortCounters.
nlohmann::json current_counters(const std::string& port);

/// The counters of a port over a session: `hw_counters` and `counters` of the report (doc/rdma-sink.md).
class PortCounters {
 public:
  /// Reads the initial values of the counters. `port` is the folder of a port, for example
  /// /sys/class/infiniband/rxe0/ports/1.
  explicit PortCounters(std::string port);

  /// Adds the increase of each counter since construction to the report. If the device has no counters of a
  /// kind, adds null for this kind.
  void add_to(nlohmann::json& report) const;

 private:
  std::string port_;
  CounterFiles hardware_;
  CounterFiles standard_;
};

}  // namespace softfeb::sink
