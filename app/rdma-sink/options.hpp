// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_layout.hpp"
#include "hello.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace softfeb::sink {

/// The options of --events.
struct EventOptions {
  detector::EventLayout layout;  ///< one QP per board
  std::uint32_t builder = 0;     ///< index of this builder, below layout.builders
  std::uint32_t window = 256;
  std::uint64_t timeout_us = 5000;
  std::uint32_t remember = 1024;
  double loss_limit_percent = 0;  ///< a higher share of incomplete events is reported as a problem
  std::string out;                ///< event file; empty if none is written
  std::uint32_t channels = 0;     ///< number of channels in the dataset /waveforms of the event file
  std::uint32_t samples = 0;
  std::uint32_t run = 0;
};

/// The options of --registration.
struct RegistrationOptions {
  std::uint32_t entries = 64;  ///< maximum number of transfers in progress
  std::uint32_t escape = 512;  ///< maximum number of messages that wait for their transfer's first message
  std::uint64_t escape_timeout_us = 1'000'000;
  /// Time after which an incomplete transfer is abandoned; 0 means never.
  std::uint64_t entry_timeout_us = 0;
  std::uint32_t remember = 16;  ///< number of complete transfers whose late messages are recognized
};

/// The parsed command line.
struct Options {
  std::string listen = "0.0.0.0";
  std::uint16_t tcp_port = kDefaultPort;
  std::string device;
  unsigned ib_port = 1;
  std::optional<int> gid_index;
  std::uint32_t mtu = 4096;          ///< largest path MTU that a client may request
  std::uint64_t memory = 64U << 20;  ///< receive memory in bytes, divided evenly among the QPs of a session
  bool region_per_qp = false;
  std::uint32_t max_qps = 4096;
  /// Number of receives posted on each QP; if empty, share_out() chooses it.
  std::optional<std::uint32_t> recvs;
  /// Number of receives that all QPs share. Empty if each QP has receives of its own.
  std::optional<std::uint32_t> srq;
  bool solicited = false;  ///< wake up only when a message with the solicited event bit arrives
  bool replenish = true;   ///< post each receive again after a message has consumed it
  bool poll = false;
  unsigned min_rnr_timer = 12;
  unsigned traffic_class = 0;
  unsigned hop_limit = 64;
  std::string expect;  ///< file whose content is expected from clients that announce a file payload
  std::string out;     ///< file for received data
  std::string json;    ///< file to which the latest report is written
  bool sha256 = true;
  bool once = false;
  std::string command_line;
  std::optional<EventOptions> events;               ///< set by --events
  std::optional<RegistrationOptions> registration;  ///< set by --registration
};

/// Parses the command line. Exits with code 0 (--help) or 2 (bad usage) if there is nothing left to do.
Options parse_command_line(int argc, char** argv);

}  // namespace softfeb::sink
