// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// Traffic from each port to every other port, in frames of mixed sizes with exponential gaps (RFC 2889,
/// section 5.1: full mesh).
class Mesh {
 public:
  /// Uses all ports that have a role. Each port sends and receives at most `share` of its rate.
  Mesh(const Context& ctx, double share);

  /// Adds frame kinds and sources to a trial that has none. The sources send for `time`.
  void add(Context& ctx, Trial& trial, Time time) const;
  /// Returns the number of frames per second of all sources together.
  double frame_rate() const;
  /// Name of a kind, such as "p0 to p3, 1518 bytes".
  const std::string& name(std::uint16_t kind) const { return names_[kind]; }

 private:
  struct Stream {
    std::uint16_t from = 0, to = 0;
    Time gap = 0;
  };

  std::vector<std::uint32_t> sizes_;  ///< with FCS
  std::vector<Stream> streams_;
  std::vector<std::string> names_;  ///< names of the kinds of frames
};

}  // namespace softfeb::switchtest
