// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::report {

/// What the live table shows, and how it is laid out: text from figures, no terminal.
struct LiveView {
  enum class Mood : std::uint8_t { kPlain, kGood, kWarning, kBad, kDim };
  struct Board {
    std::string name;
    std::string state;
    Mood mood = Mood::kPlain;
    std::optional<double> offered_gbps;  ///< payload asked for; none: as much as it can
    std::optional<double> rc_gbps;       ///< none without congestion control
    double sent_gbps = 0;                ///< BTH to pad, since the view before
    std::uint64_t cnps = 0;              ///< this and the following: since the beginning
    std::uint64_t resent = 0;
  };
  /// Of a switch.
  struct Port {
    std::string name;
    double tx_gbps = 0;                 ///< on the wire, since the view before
    double used = 0;                    ///< part of its rate
    std::uint64_t queue = 0, peak = 0;  ///< bytes; the peak since the view before
    std::uint64_t longest = 0;          ///< bytes, since the beginning
    std::uint64_t marked = 0, dropped = 0, pauses = 0;
  };

  std::string heading;
  std::vector<Board> boards;
  std::vector<Port> ports;
};

/// Lines of at most `columns` characters, at most `rows` of them. Where not all boards or ports have room, a
/// line tells of the others.
std::vector<std::string> lay_out(const LiveView& view, std::size_t columns, std::size_t rows, bool colours);

}  // namespace softfeb::report
