// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace softfeb::engine {

/// Activities on which a worker spends its busy time. The time of an iteration of the worker's loop counts as
/// busy if packets arrive or leave in the iteration, otherwise as idle.
enum class Stage : std::uint8_t {
  kRx,     ///< taking packets from the port, parsing the headers up to UDP, finding the endpoint
  kCheck,  ///< checking the transport headers and iCRC of a received packet
  kPlace,  ///< applying a verified packet: writing and comparing payload, completing requests
  kBuild,  ///< running timers, choosing packets to send, writing headers and iCRC, filling mbufs
  kTx,     ///< handing packets to the port
  kOther,  ///< everything else, such as slow control and the simulated network
};
inline constexpr std::size_t kStages = 6;

/// Returns "rx", "check", "place", "build", "tx" or "other", as used in the result (doc/result.md).
constexpr const char* to_string(Stage stage) {
  constexpr const char* kNames[kStages] = {"rx", "check", "place", "build", "tx", "other"};
  return kNames[static_cast<std::size_t>(stage)];
}

/// Measures how long each stage takes. Sans-I/O code has no clock, so it announces its stages to this object.
class StageClock {
 public:
  virtual ~StageClock() = default;
  /// Ends the current stage and begins `stage`.
  virtual void enter(Stage stage) = 0;
};

}  // namespace softfeb::engine
