// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/data_path.hpp"
#include "engine/destination_hop.hpp"
#include "engine/spacing.hpp"
#include "engine/tx_frame.hpp"
#include "roce/path.hpp"
#include "roce/payload.hpp"
#include "roce/work.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// The traffic generator of a port (doc/dispatcher.md).
struct TrafficGenConfig {
  board::TrafficGenSettings settings;  ///< initial values of the registers
  /// True if the generator starts at Board::start(), as if the register bit Start had risen.
  bool start = false;
  /// True if registers may start the generator at any time. The board is then unfinished until its traffic is
  /// stopped.
  bool waits = false;
  /// Number of configured queue pairs, starting with the first, that send the WRITEs. These queue pairs have
  /// no traffic of their own, and their payload must be the same as that of the generator.
  std::uint32_t qps = 0;
  /// Provides bytes for any offset, and for lengths up to the longest packet. Must outlive the board.
  const roce::PayloadStream* payload = nullptr;
  roce::Path path;                        ///< path of datagrams; the generator fills in the destination
  std::uint32_t largest_datagram = 1472;  ///< payload bytes that fit the port's MTU
  /// Rate of the port, in bytes per second on the wire; 0 means 10 Gb/s. The rate determines when a packet
  /// ends.
  std::uint64_t rate = 0;
  /// If the worker is late by no more than this time, the packets after the late packet are not delayed.
  Time slack = 0;
};

/// The WRITEs of a queue pair. WRITE n goes to slot n mod `slots` of its region.
struct GeneratedWrites {
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
  std::uint64_t slots = 1;
  std::uint32_t slot_bytes = 0;
  std::uint32_t headers = 0;  ///< length of the headers of a packet from Ethernet to BTH, in bytes
  std::uint32_t pmtu = 0;
  std::uint32_t window = 0;  ///< maximum number of unacknowledged WRITEs
};

/// Counts of a generator over all its bursts.
struct TrafficGenCounters {
  std::uint64_t datagrams = 0;
  std::uint64_t writes = 0;
  std::uint64_t datagram_bytes = 0;  ///< payload bytes
  std::uint64_t write_bytes = 0;
  std::uint64_t bursts = 0;  ///< number of bursts that were started
  Time first = kNever;       ///< start of the first packet
  Time end = 0;              ///< end of the last packet on the wire, including FCS and inter-packet gap
};

/// Generates packets of one size with an exact gap between them. Decides what is sent and when; the board
/// sends it: datagrams directly, WRITEs through queue pairs. Sans-I/O; allocates nothing after construction.
class TrafficGen {
 public:
  using Mode = board::TrafficGenSettings::Mode;

  TrafficGen(const TrafficGenConfig& config, const Identity& identity, const NeighbourTable& neighbours);

  /// Call for each of TrafficGenConfig::qps, in order.
  void add_queue_pair(const GeneratedWrites& writes) { queue_pairs_.push_back({writes, 0, 0}); }

  void write(const board::SetTrafficGen& registers, Time now);
  /// Call when the board's traffic begins.
  void start(Time now);
  /// Ends the burst and ignores edges of Start until start() is called.
  void stop();
  bool finished() const { return stopped_ || !(busy_ || config_.waits); }

  board::TrafficGenLive live() const { return {sent_, busy_}; }
  const TrafficGenCounters& counters() const { return counters_; }
  std::uint32_t qps() const { return config_.qps; }

  Mode mode() const { return settings_.mode; }
  /// Time at which the next packet may leave, if nothing but its schedule delays it; kNever if there is no
  /// next packet, or if it must wait for a MAC address.
  Time due() const { return !busy_ || (mode() == Mode::kUdp && !hop_.mac()) ? kNever : due_; }
  /// Next hop of the datagrams.
  DestinationHop& hop() { return hop_; }
  const DestinationHop& hop() const { return hop_; }
  /// True if datagrams wait for a MAC address.
  bool unresolved() const { return hop_.request_at() != kNever; }

  /// Writes the next datagram, which leaves at `now`. Requires mode kUdp and due() ≤ now.
  void write_datagram(std::uint16_t identification, Time now, TxFrame& out);
  /// Headers of the datagrams, which determine their priority.
  const roce::HeaderTemplate& headers() const { return headers_; }

  /// Queue pair of the next WRITE.
  std::uint32_t queue_pair() const { return stream() % config_.qps; }
  /// Number of WRITEs that queue pair `i` may have in flight.
  std::uint32_t window(std::uint32_t i) const { return queue_pairs_[i].config.window; }
  /// Returns the next WRITE, which queue_pair() sends at `now`. Requires mode kWrite and due() ≤ now.
  roce::WorkRequest take_write(Time now);

 private:
  struct QueuePair {
    GeneratedWrites config;
    std::uint64_t writes = 0;
    std::uint64_t bytes = 0;  ///< payload offset of the next WRITE
  };

  std::uint32_t stream() const { return sent_ % std::max<std::uint32_t>(1, settings_.streams); }
  void set_destination(Time now);
  void set_headers();
  void took_packet(std::uint64_t wire_bytes, Time now);

  TrafficGenConfig config_;
  Identity identity_;
  const NeighbourTable& neighbours_;
  board::TrafficGenSettings settings_;
  std::vector<QueuePair> queue_pairs_;
  DestinationHop hop_;
  roce::HeaderTemplate headers_;
  Spacing spacing_;
  TrafficGenCounters counters_;
  Time due_ = 0;
  std::uint32_t sent_ = 0;
  bool busy_ = false;
  bool stopped_ = false;
};

}  // namespace softfeb::engine
