// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::report {

/// Builds a capture in memory, in the format of draft-ietf-opsawg-pcapng: little endian, whole Ethernet
/// frames, time stamps in nanoseconds.
class PcapngWriter {
 public:
  enum class Direction : std::uint8_t { kUnknown, kInbound, kOutbound };

  /// `comment` describes the whole capture. `program` is the name of the program that writes the capture.
  PcapngWriter(std::string_view comment, std::string_view program);

  /// Adds an interface. Returns its number, counted from 0. All interfaces must be added before the first
  /// packet.
  std::uint32_t add_interface(std::string_view name, std::string_view description);
  /// Adds a packet on the interface with the number `interface`. `at` is the time since 1970 or, if that is
  /// unknown, since the start of the capture. `comment` describes the packet.
  void add_packet(std::uint32_t interface, Time at, std::span<const std::uint8_t> frame, Direction direction,
                  std::string_view comment);

  const std::string& bytes() const { return out_; }

 private:
  void put16(std::uint16_t value);
  void put32(std::uint32_t value);
  void pad();
  void put_option(std::uint16_t code, std::string_view value);
  void put_text(std::uint16_t code, std::string_view text);
  std::size_t begin_block(std::uint32_t type);
  void end_block(std::size_t begin);

  std::string out_;
  std::uint32_t interfaces_ = 0;
};

}  // namespace softfeb::report
