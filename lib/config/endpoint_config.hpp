// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/events_config.hpp"
#include "config/values.hpp"
#include "detector/stream_buffers.hpp"
#include "roce/mac_control.hpp"
#include "roce/notification_point.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

struct Neighbour {
  IpAddress ip;
  MacAddress mac{};
};

/// Settings common to boards and receivers: an address on a port, and the worker that owns the endpoint.
struct EndpointConfig {
  std::string name;      ///< unique among boards and receivers
  std::size_t port = 0;  ///< index into RunConfig::ports
  /// For `softfeb lab`: number of the network to which the endpoint's link belongs; empty if the endpoint has
  /// no link. Different networks are not connected. If the endpoint has a link, `port` is the ring to the
  /// network's worker.
  std::optional<std::uint32_t> network;
  std::size_t worker = 0;  ///< 0 … WorkersConfig::count - 1
  MacAddress mac{};
  IpAddress ip;
  std::uint8_t prefix_length = 32;
  std::optional<std::uint16_t> vlan;  ///< IEEE 802.1Q VLAN ID, 1…4094; empty if frames are untagged
  std::uint8_t pcp = 0;               ///< IEEE 802.1Q priority; 0 without a VLAN
  std::optional<IpAddress> gateway;   ///< next hop for peers outside the prefix
  std::vector<Neighbour> neighbours;  ///< static ARP/ND entries, which never expire
  std::uint8_t dscp = 0;
  roce::Ecn ecn = roce::Ecn::kEct0;
  std::uint8_t ttl = 32;  ///< TTL of IPv4 packets and hop limit of IPv6 packets
  /// If this is true, a board sends the congestion control header of a QP's algorithm, if the algorithm has
  /// one, and a receiver accepts requests with this header and returns the header in responses.
  bool cc_header = false;
  roce::PauseMode pause = roce::PauseMode::kPause;  ///< pause frames that the MAC honours
  Where where;
};

struct CnpConfig {
  bool enabled = true;
  /// Minimum time between two CNPs for the same QP or IP address pair (see `scope`).
  Time interval = 50 * kMicrosecond;
  roce::CnpScope scope = roce::CnpScope::kQp;
  Where where;
};

/// Windows of UC streams with a map of missing data (roce::WindowMap). Every queue pair that sends to the
/// receiver is a stream, and message n of each stream belongs to window n.
struct WindowsConfig {
  enum class Layout : std::uint8_t {
    kWindow,  ///< a window is contiguous: message n of stream s is at ((n mod ring)·streams + s)·message_size
    kStream,  ///< one region per stream, with a slot for each of `ring` windows
  };
  Layout layout = Layout::kWindow;
  std::uint32_t ring = 64;
  std::uint32_t depth = 4;
  std::uint64_t max_jump = std::uint64_t{1} << 24;
  std::uint32_t first_immediate = 0;
  Probability loss_limit;  ///< fraction of the messages that may be missing
  Where where;
};

/// Settings of the table that detects when registered transfers are complete (roce::Registration).
struct RegistrationSettings {
  std::uint32_t mask_bits = 1024;
  std::uint32_t entries = 64;
  std::uint32_t escape = 512;
  /// Maximum time that a message waits for the first message of its transfer; must exceed the time that a
  /// retransmission takes.
  Time escape_timeout = kSecond;
  Time entry_timeout = 0;  ///< time after which an incomplete transfer is abandoned; 0 means never
  std::uint32_t remember = 16;
  bool given = false;
  Where where;
};

/// Streams of UDP datagrams (detector::StreamBuffers).
struct StreamsConfig {
  detector::StreamBuffersConfig buffers;
  Time hold = 0;  ///< time for which the consumer keeps a buffer
  Where where;
};

/// A receiver in this process. The boards' `to` keys create its QPs: one for each board QP that sends to this
/// receiver, in file order.
struct ReceiverConfig {
  EndpointConfig endpoint;
  /// Size of each QP's memory region, in bytes. The regions are contiguous, in QP order. For an event
  /// builder: size of the only region, which all QPs share.
  std::uint64_t memory = 0;
  std::uint32_t qpn = 0x800;            ///< QPN of the first QP; the QPNs of the others follow
  std::uint8_t rnr_timer = 12;          ///< RNR timer code in RNR NAKs
  Time response_delay = 0;              ///< time from a packet's arrival to its acknowledgement or CNP
  std::uint64_t receives = UINT64_MAX;  ///< receive requests per QP; UINT64_MAX means unlimited
  /// Receive requests posted per second on each QP, up to `receives`. With 0, no further requests are posted.
  std::uint64_t receive_rate = 0;
  RegistrationSettings registration;           ///< used if registered transfers arrive
  std::optional<WindowsConfig> windows;        ///< empty if the receiver has no map of missing data
  std::optional<ReceiverEventsConfig> events;  ///< empty if the receiver builds no events
  std::optional<StreamsConfig> streams;        ///< empty if the receiver accepts no datagrams
  bool any_order = false;                      ///< packets of a UC WRITE may arrive in any order
  /// With `any_order`: time limit for waiting packets and incomplete WRITEs.
  Time ordering_timeout = kMillisecond;
  bool check_payload = true;  ///< compare received data with the configured payload of the sending QP
  CnpConfig cnp;
  /// File to which all memory regions are written at the end of the run; empty if they are not written. Each
  /// region is written up to the last byte that was received or, if windows are contiguous, completely.
  std::string out;
  Where where;
};

}  // namespace softfeb::config
