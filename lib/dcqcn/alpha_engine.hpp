// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

inline constexpr std::uint16_t kAlphaOne = 1023;  ///< largest alpha, which represents 1.0 (Q0.10)

/// Computes one update of alpha: multiply by AlphaG / 1024, rounding half up, and add 1024 − AlphaG (g in
/// units of 1/1024) if a CNP arrived. The result wraps at ten bits. For example, if AlphaG ≤ 512, an alpha
/// of 1023 and a CNP give 1024, which wraps to 0.
constexpr std::uint16_t next_alpha(std::uint16_t alpha, std::uint16_t alpha_g, bool cnp) {
  const std::uint32_t decayed = (std::uint32_t{alpha} * alpha_g + 512) >> 10;
  return static_cast<std::uint16_t>((decayed + (cnp ? 1024U - alpha_g : 0U)) & 1023);
}

/// The firmware's alpha engine. After the first CNP, it runs continuously and updates alpha every
/// AlphaUpdInterval + 2 clocks. The timer starts at edge `zero` and expires at edge `expiry`; the next edge
/// samples alpha and the CNP flag, and the edge after that commits the result.
class AlphaEngine {
 public:
  void start(Edge zero, std::uint16_t interval);
  /// Sets a new interval, visible after edge m.
  void set_interval(std::uint16_t interval, Edge m);

  /// The first edge at which the engine changes state.
  Edge next() const { return pending_ ? zero_ + 1 : updating_ ? expiry_ + 1 : expiry_; }
  bool commits(Edge n) const { return pending_ && n == zero_ + 1; }
  /// Returns the value to commit and clears the pending commit.
  std::uint16_t commit() {
    pending_ = false;
    return result_;
  }
  /// Processes edge n, but not a commit at that edge. `alpha` and the CNP flag `flag` are the values before
  /// the edge.
  void act(Edge n, std::uint16_t alpha, bool flag, std::uint16_t alpha_g, std::uint16_t interval);
  /// Processes all edges up to `last`. No CNP may be handled at any of these edges.
  void run(Edge last, std::uint16_t& alpha, bool& flag, std::uint16_t alpha_g, std::uint16_t interval);

 private:
  Edge zero_ = 0;
  Edge expiry_ = kNoEdge;
  std::uint16_t result_ = 0;
  bool updating_ = false;
  bool pending_ = false;
};

}  // namespace softfeb::dcqcn
