// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/fault_config.hpp"

#include <string>

/// The notation of values in fault rules. Each format function returns text that parses to the same value.
namespace softfeb::config {

/// Longest time for which a rule may hold a packet.
inline constexpr Time kLongestHold = 10 * kSecond;

/// Parses `any`, an index, or BOARD/INDEX.
Parsed<FaultQpRef> parse_fault_qp(const std::string& text);
/// Parses PSNs: 7, 0xfffff0..0x10, +4 or +4..+9.
Parsed<faults::PsnRange> parse_psns(const std::string& text);
/// Parses positions: 100 or 100..163.
Parsed<faults::PositionRange> parse_positions(const std::string& text);

/// Bytes that `corrupt` changes.
struct CorruptPlace {
  faults::CorruptTarget target = faults::CorruptTarget::kIcrc;
  std::uint32_t offset = 0;
};
/// Parses icrc, pad, payload+N, byte+N or the name of a field such as reth.rkey.
Parsed<CorruptPlace> parse_corrupt_place(const std::string& text);

std::string format_fault_qp(const FaultQpRef& qp);
std::string format_psns(const faults::PsnRange& psns);
std::string format_positions(const faults::PositionRange& positions);
std::string format_corrupt_place(const CorruptPlace& place);

}  // namespace softfeb::config
