// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cdf.hpp"
#include "board/payload.hpp"
#include "config/congestion.hpp"
#include "config/values.hpp"
#include "engine/traffic.hpp"
#include "roce/opcode.hpp"
#include "roce/work.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softfeb::config {

/// Receivers in this file. QP i of the group sends to receivers[i mod size], so the replicas of a receiver
/// are used round-robin.
struct ReceiverTarget {
  std::vector<std::size_t> receivers;  ///< indices into RunConfig::receivers; never empty
};

/// Remote QPs whose parameters are in the configuration. QP i of the group sends to QPN qpn + i and the
/// region at address + i·length.
struct AddressTarget {
  IpAddress ip;
  std::optional<MacAddress> mac;  ///< if empty, the address is resolved by ARP or ND
  std::uint32_t qpn = 0;
  /// Initial PSN of the responder's own requests. The requests of softfeb start at QpConfig::psn, which the
  /// responder must expect.
  std::uint32_t psn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

/// perftest://HOST[:PORT]: an ib_write_bw server. softfeb acts as the client of its TCP exchange.
struct PerftestTarget {
  std::string host;
  std::uint16_t port = 18515;
  auto operator<=>(const PerftestTarget&) const = default;
};

/// sink://HOST[:PORT]: an rdma-sink server.
struct SinkTarget {
  std::string host;
  std::uint16_t port = 18516;
  auto operator<=>(const SinkTarget&) const = default;
};

using Target = std::variant<ReceiverTarget, AddressTarget, PerftestTarget, SinkTarget>;

struct PayloadConfig {
  board::PayloadKind kind = board::PayloadKind::kCounter;
  std::string file;  ///< for kFile: path of the file
  /// For kFile: size of the file in bytes when the configuration was loaded; not 0.
  std::uint64_t file_size = 0;
  std::uint64_t repeat = 1;  ///< for kFile: number of times the file is sent
  Where where;
};

struct ImmediateConfig {
  enum class Kind : std::uint8_t {
    kValue,
    kCounter,  ///< message n of a QP carries n mod 2^32
    /// A message carries the number of its QP on the board, from 1; the firmware's only QP sends 1.
    kChannel,
  };
  Kind kind = Kind::kChannel;
  std::uint32_t value = 0;  ///< for kValue: the immediate of every message
};

/// Key `lengths`: message lengths are drawn from a distribution.
struct LengthsConfig {
  std::string text;  ///< the value in the file: web_search, hadoop, or the name of a file
  std::shared_ptr<const Cdf> cdf;
};

/// Key `arrivals`: messages arrive in a Poisson process (open loop). Rate and load are those of all QPs of
/// the group together.
struct ArrivalsConfig {
  enum class Queue : std::uint8_t {
    kQp,     ///< each QP has arrivals and a queue of its own
    kGroup,  ///< one queue for the group; a message goes to the first QP that has no message
  };
  /// Load as a fraction of the rate of the board's link. Empty if `given` is set instead.
  std::optional<Probability> load;
  Rate given;       ///< rate in messages per second; kUnlimited if `load` is set instead
  double rate = 0;  ///< resulting rate in messages per second, set by the loader
  Queue queue = Queue::kQp;
  Where where;
};

/// Key `transfer`: the queue pairs of a group send transfers together. Transfers longer than `threshold` are
/// cut into segments.
struct TransferConfig {
  std::uint64_t bytes = 0;  ///< length of a transfer, at least 1
  std::uint64_t segment = 16'384;
  std::uint64_t threshold = 16'384;  ///< transfers of up to this length are not cut
  /// If true, the segments carry immediates, from which the receiver recognizes that a transfer is complete.
  bool registered = true;
  /// If this is true, each transfer is one WRITE. An empty WRITE with immediate follows the acknowledgement
  /// of this WRITE.
  bool notify_sender = false;

  std::uint32_t segment_bytes() const;  ///< length of every segment but the last
  std::uint64_t segments() const;
};

/// `kind: beamlets`: message n of a stream is posted at phase + n·period after the start of the board's
/// traffic. The period is part of TrafficConfig::rate.
struct BeamletsConfig {
  Time phase = 0;
  bool spread = false;  ///< the phases of the `count` QPs are spread evenly over a period, starting at 0
};

struct TrafficConfig {
  roce::WrOpcode verb = roce::WrOpcode::kWrite;  ///< kWrite or kWriteImm
  /// Bytes, 0…2 GiB; the last message of a file may be shorter. With `lengths`, the largest length.
  std::uint32_t message_size = 65'536;
  std::optional<TransferConfig> transfer;  ///< if set, messages are segments of transfers
  std::optional<LengthsConfig> lengths;    ///< empty if all messages have message_size
  std::optional<ArrivalsConfig> arrivals;  ///< empty for a closed loop
  /// If set, the unit of `rate` is kPeriod, and immediates number the messages.
  std::optional<BeamletsConfig> beamlets;
  std::optional<std::uint64_t> seed;  ///< seed of lengths and arrivals; if empty, that of the run
  Rate rate;                          ///< rate of each QP
  /// Messages per QP: the smallest of the run's limit, the QP's own limit and the length of the file. If
  /// empty, the QP sends until the end of the run.
  std::optional<std::uint64_t> messages;
  PayloadConfig payload;
  ImmediateConfig immediate;
  /// Message n goes to address + (n mod slots)·message_size. If this is 0, there are as many slots as the
  /// memory region holds.
  std::uint32_t slots = 0;
  std::uint32_t burst = 1;  ///< packets that a QP may send back to back when it is behind schedule
  Where where;

  /// Mean length of a message in bytes.
  double mean_length() const { return lengths ? lengths->cdf->mean() : message_size; }
  /// Median length of a message in bytes: half of the messages are not longer.
  std::uint32_t median_length() const {
    return lengths ? static_cast<std::uint32_t>(lengths->cdf->at(0.5)) : message_size;
  }
  /// True if lengths or arrivals are random. Completion times are then measured.
  bool random() const { return lengths || arrivals; }
};

using engine::SignalPolicy;

/// `count` queue pairs of one board that differ only in what depends on their index: QPN, target, per-channel
/// immediate, phase of beamlets, and seed.
struct QpConfig {
  std::uint32_t count = 1;
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t qpn = 0;  ///< QPN of the first QP; unique on the board (assigned by the loader if not given)
  std::uint32_t pmtu = 1024;  ///< path MTU in bytes; fits the port's MTU if that is given
  std::uint32_t psn = 0;      ///< initial PSN of the board's requests
  std::uint8_t timeout = 14;  ///< IBA timeout code: 4.096 µs·2^code; 0 means that there is no timeout
  std::uint8_t retry_count = 3;
  std::uint8_t rnr_retry = 7;
  std::uint8_t min_rnr_timer = 1;
  std::uint32_t window = 16;         ///< maximum number of unacknowledged requests (RC)
  std::uint32_t window_packets = 0;  ///< maximum number of unacknowledged packets (RC); 0 means 2^22
  /// Every N-th packet of a message requests an acknowledgement, where N is this value. With 0, none does.
  /// Other packets, such as the last one of a signaled message, request an acknowledgement regardless of this
  /// value.
  std::uint32_t ack_every = 0;
  std::uint32_t send_queue = 64;  ///< maximum number of outstanding work requests
  SignalPolicy signaled = SignalPolicy::kAll;
  bool sq_sig_all = false;
  bool solicited = false;
  Target to;
  /// Target as written in the file, for error texts; empty for an AddressTarget or a list of receivers.
  std::string to_text;
  Where to_where;
  TrafficConfig traffic;
  std::optional<CongestionConfig> congestion;  ///< overrides the board's congestion control
  Where where;
};

}  // namespace softfeb::config
