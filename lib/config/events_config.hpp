// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/qp_config.hpp"
#include "config/values.hpp"
#include "detector/event_header.hpp"
#include "detector/event_layout.hpp"
#include "detector/fragment_sizes.hpp"
#include "detector/trigger_source.hpp"
#include "detector/waveform_codec.hpp"
#include "roce/requester.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

/// An element of `triggers[].sources`.
struct TriggerSourceSettings {
  detector::TriggerSourceConfig source;  ///< `seed` is set by the loader
  std::optional<std::uint64_t> seed;     ///< if empty, the run's seed plus the index of the source
  Probability pile_up;
  std::string file;  ///< for kind `list`: file with the times; empty if the times are in the configuration
};

/// An element of `triggers`: a named sequence of triggers, merged from its sources.
struct TriggerConfig {
  std::string name;
  Time dead_time = 0;
  /// If true, boards receive the triggers of `softfeb trigger` when the run is in real time.
  bool message = false;
  std::vector<TriggerSourceSettings> sources;
  Where where;
};

/// The event builders of a board, in order: event e goes to builder e mod size(). All builders are receivers
/// of this file, or all are rdma-sinks.
struct EventBuilders {
  std::vector<std::size_t> receivers;  ///< indices into RunConfig::receivers
  std::vector<SinkTarget> sinks;

  std::uint32_t size() const { return static_cast<std::uint32_t>(receivers.size() + sinks.size()); }
  auto operator<=>(const EventBuilders&) const = default;
};

/// Section `events` of a board: event data in place of the traffic of queue pairs (doc/detector.md).
struct BoardEventsConfig {
  std::string trigger_name;
  std::vector<std::string> to_names;  ///< builders as in the file: names of receivers, or URLs of rdma-sinks
  detector::PayloadKind kind = detector::PayloadKind::kWaveform12;
  std::uint16_t channels = 49;  ///< channels per board; for `beamlets`, the number of beamlets
  std::uint16_t samples = 64;   ///< samples per channel; for `beamlets`, the number of time samples
  /// Number of different images (payloads of an event), which are sent repeatedly. Unused for `counter` and
  /// `replay`.
  std::uint32_t images = 64;
  detector::Suppression suppression;  ///< only for `roi`
  detector::FragmentSizes sizes;      ///< only for `counter`
  std::string file;                   ///< only for `replay`: the event file
  Time readout_delay = kMicrosecond;
  std::uint32_t fifo = 16;
  bool veto = true;  ///< busy boards veto triggers
  /// Only with `veto`: a board is busy while its FIFO contains at least this number of fragments.
  std::uint32_t busy_at = 12;
  Time busy_delay = kMicrosecond;  ///< only with `veto`: delay after which a busy board vetoes triggers
  std::uint64_t slots = 256;
  std::uint32_t slot = 32 * 1024;
  std::uint32_t piece = 8 * 1024;
  // Settings of the board's queue pairs.
  roce::Transport transport = roce::Transport::kRc;
  std::optional<std::uint32_t> pmtu;
  std::uint8_t timeout = 14;
  std::uint8_t retry_count = 3;

  // The loader sets the following members when it resolves names.
  std::size_t trigger = 0;       ///< index into RunConfig::triggers
  EventBuilders builders;        ///< not empty
  std::uint32_t board = 0;       ///< index among the boards that send to the same builders
  std::uint32_t boards = 0;      ///< number of boards that send to the same builders
  std::uint32_t on_trigger = 0;  ///< index among the boards with the same trigger
  Where where;

  detector::EventLayout layout() const {
    return {.boards = boards, .builders = builders.size(), .slots = slots, .slot = slot, .piece = piece};
  }
  /// Time that a fragment covers: its samples at 1 GS/s; 0 for `counter`. Must not be called for `replay`,
  /// because the recording then determines this time.
  Time window() const { return kind == detector::PayloadKind::kCounter ? 0 : samples * kNanosecond; }
};

/// Section `events` of a receiver: an event builder.
struct ReceiverEventsConfig {
  std::vector<std::string> board_names;  ///< names of the boards, as in the file; empty if not given
  std::uint32_t window = 256;
  Time timeout = 5 * kMillisecond;
  std::uint32_t remember = 1024;
  std::string out;         ///< event file; empty if none is written
  Probability loss_limit;  ///< fraction of the events that may be incomplete
  Where where;

  /// First of the boards that send to this receiver, index into RunConfig::boards. Set when names are
  /// resolved.
  std::optional<std::size_t> first_board;
  std::uint32_t builder = 0;  ///< index of this receiver in the `builders` of the boards that send to it
};

}  // namespace softfeb::config
