// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/trial.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Counts how a switch changes the ECN fields of frames, and which frames the switch changes in error.
namespace softfeb::switchtest {

inline constexpr std::size_t kEcnValues = 4;
/// True if a switch may set CE in frames with this ECN field (RFC 3168).
constexpr bool may_become_ce(roce::Ecn ecn) { return ecn == roce::Ecn::kEct0 || ecn == roce::Ecn::kEct1; }

/// Frames of one IP version whose queue had about the same length when they arrived.
struct CodepointCounts {
  /// Number of frames, by the ECN field that was sent and the ECN field that was received.
  std::array<std::array<std::uint64_t, kEcnValues>, kEcnValues> became{};
  std::array<std::uint64_t, kEcnValues> sent{}, missing{};
  std::uint64_t wrong_dscp = 0;
  std::uint64_t damaged = 0;  ///< wrong length or iCRC

  /// Counts one arrival of a frame of `kind`.
  void add(const FrameKind& kind, const Arrival& arrival);
  void add(const CodepointCounts& other);
  std::uint64_t arrived(std::size_t from) const;
  /// Number of frames whose ECN field changed in a way that RFC 3168 does not permit.
  std::uint64_t wrong_ecn() const;
  std::uint64_t violations() const { return wrong_ecn() + wrong_dscp + damaged; }
};

}  // namespace softfeb::switchtest
