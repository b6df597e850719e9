// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::report {

/// Contents of the live table. lay_out() converts it to text; terminal.hpp prints it.
struct LiveView {
  enum class Mood : std::uint8_t { kPlain, kGood, kWarning, kBad, kDim };
  struct Board {
    std::string name;
    std::string state;
    Mood mood = Mood::kPlain;
    std::optional<double> offered_gbps;  ///< requested payload rate; empty means no limit
    std::optional<double> rc_gbps;       ///< empty without congestion control
    /// Mean over the board's queue pairs; empty if no queue pair has an RTT. The same applies to
    /// `window_bytes`.
    std::optional<double> rtt_us;
    std::optional<double> window_bytes;
    double sent_gbps = 0;    ///< rate since the previous view; counts the bytes from the BTH to the pad
    std::uint64_t cnps = 0;  ///< total since the start; the same applies to `resent`
    std::uint64_t resent = 0;
  };
  /// A switch port.
  struct Port {
    std::string name;
    double tx_gbps = 0;                 ///< rate on the wire since the previous view
    double used = 0;                    ///< fraction of the link rate that is in use, 0…1
    std::uint64_t queue = 0, peak = 0;  ///< bytes in the queue now, and the maximum since the previous view
    std::uint64_t longest = 0;          ///< longest queue since the start, in bytes
    std::uint64_t marked = 0, dropped = 0, pauses = 0;
  };

  std::string heading;
  std::vector<Board> boards;
  std::vector<Port> ports;
};

/// Returns at most `rows` lines of at most `columns` characters, excluding colour sequences. If not all
/// boards or ports fit, a line summarises the others. With very few rows, only the boards are shown, or only
/// the heading. The columns for RTT and window are shown if at least one board has such a value and the
/// columns fit.
std::vector<std::string> lay_out(const LiveView& view, std::size_t columns, std::size_t rows, bool colours);

}  // namespace softfeb::report
