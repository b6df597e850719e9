// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

inline constexpr std::uint16_t kAlphaOne = 1023;  ///< the largest alpha: "1.0" in Q0.10

/// One update of alpha: decay by AlphaG / 1024, rounded half up, and + g where a CNP came. Ten bits that
/// wrap: with AlphaG ≤ 512 an alpha of 1023 and a CNP give 1024, which is 0.
constexpr std::uint16_t next_alpha(std::uint16_t alpha, std::uint16_t alpha_g, bool cnp) {
  const std::uint32_t decayed = (std::uint32_t{alpha} * alpha_g + 512) >> 10;
  return static_cast<std::uint16_t>((decayed + (cnp ? 1024U - alpha_g : 0U)) & 1023);
}

/// The firmware's alpha engine: free-running from the first CNP on, an update every AlphaUpdInterval + 2
/// clocks. Timer at `zero`; it has run out at the edge `expiry`, the next edge samples alpha and flag, the
/// one after commits.
class AlphaEngine {
 public:
  void start(Edge zero, std::uint16_t interval);
  /// A new interval, visible after edge m.
  void set_interval(std::uint16_t interval, Edge m);

  /// The first edge at which this engine does anything.
  Edge next() const { return pending_ ? zero_ + 1 : updating_ ? expiry_ + 1 : expiry_; }
  bool commits(Edge n) const { return pending_ && n == zero_ + 1; }
  /// The value to commit; the engine is then through with it.
  std::uint16_t commit() {
    pending_ = false;
    return result_;
  }
  /// What happens at edge n besides a commit, with alpha and flag as they were before it.
  void act(Edge n, std::uint16_t alpha, bool flag, std::uint16_t alpha_g, std::uint16_t interval);
  /// All edges up to `last`, no CNP being handled at any of them.
  void run(Edge last, std::uint16_t& alpha, bool& flag, std::uint16_t alpha_g, std::uint16_t interval);

 private:
  Edge zero_ = 0;
  Edge expiry_ = kNoEdge;
  std::uint16_t result_ = 0;
  bool updating_ = false;
  bool pending_ = false;
};

}  // namespace softfeb::dcqcn
