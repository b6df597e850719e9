// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "environment.hpp"
#include "roce/opcode.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

enum class Activity : std::uint8_t {
  kRoundRobin,  ///< queue pairs are served in the order of their addresses in memory
  kRandom,      ///< queue pairs are served in a random order that is chosen once
};

struct CraftOptions {
  std::uint32_t pmtu = 4096;
  /// If true, the payload CRCs are precomputed. If false, each iCRC is computed over every byte.
  bool known_crc = true;
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t qps = 64;      ///< number of queue pairs of each worker's board
  std::uint32_t packets = 16;  ///< packets per message
  std::uint32_t message = 0;   ///< bytes per message; 0 means that each message consists of full packets
  std::uint32_t send_queue = 16;
  Activity active = Activity::kRoundRobin;
  /// Name of the congestion control algorithm, one of algorithm_names(). Its rate or window exceeds what a
  /// core can send.
  std::string algorithm = "firmware";
  std::uint32_t ack_every = 0;  ///< packets per requested acknowledgement; 0 means one request per message
  /// If true, each queue pair additionally gets a constant rate. The highest rate is up to 16 times the
  /// lowest. The sum of the rates exceeds what a core can send. Each queue pair enters the timing wheel after
  /// every packet.
  bool mixed_rates = false;
  /// For comparison, an additional board records the times of one message out of `sample`. 0 omits this
  /// board.
  std::uint32_t sample = 64;
  bool port = true;    ///< true means a net_null port; false means only the board, without mbufs
  bool alone = false;  ///< omit the reference loops, for use with a profiler
  unsigned workers = 1;
  unsigned runs = 7;
  Time duration = 200 * kMillisecond;  ///< duration of each run of each loop
};

inline std::uint32_t message_bytes(const CraftOptions& o) {
  return o.message != 0 ? o.message : o.pmtu * o.packets;
}

/// Measures the packets per second of one worker. The worker has a board on its PortQueue on net_null, as
/// in softfeb run (queue pairs, windows, congestion control, pacing, counters), and the benchmark
/// acknowledges the packets. For comparison, the same runs also measure, in alternation, loops that build
/// the same packets without an engine (`bare` and the optimized `bare_best`), a board without a port
/// (`engine_only`) and, if the board has more than 64 queue pairs, a board with 64 (`few_qps`). The result
/// has `totals` for each board; see craft_failure(). `environment` is null without a port. See
/// doc/performance.md.
Json bench_craft(const Environment* environment, const CraftOptions& options);

struct CongestionOptions {
  std::vector<std::string> algorithms;  ///< names; empty means all
  std::uint32_t qps = 100'000;
  std::uint32_t pmtu = 4096;
  std::uint32_t packets = 16;  ///< packets per message
  unsigned runs = 7;
  Time duration = kSecond;        ///< duration of each run of each loop
  Time part = 10 * kMillisecond;  ///< duration of each run for each operation of a congestion control object
};

/// Measures the cost of a packet and of an acknowledgement for each congestion control algorithm, and how
/// this cost depends on the number of queue pairs. A worker sends as in bench_craft(), and the benchmark
/// acknowledges each packet that requests an acknowledgement. It runs three boards in alternation: one with
/// `qps` queue pairs, one with 64, and one with 64 queue pairs without congestion control. The board without
/// congestion control requests as many acknowledgements as the other two boards. All boards serve their queue
/// pairs in shuffled order. The benchmark also measures the algorithm's CongestionControl object without a
/// board, and the memory per queue pair. See doc/performance.md.
Json bench_congestion(const Environment& environment, const CongestionOptions& options);

/// Measures the packets per second that one core receives. Each packet is parsed, its iCRC is verified, every
/// payload byte is compared and copied, and the packet is acknowledged. There is no port: a board builds the
/// frames in memory beforehand, outside the measured time. The loop `bare`, which is measured in alternation,
/// performs only the CRC, the comparison and the copy. Uses all options of bench_craft() except those of port
/// and workers.
Json bench_responder(const CraftOptions& options);

/// Measures the loop board → ring → receiver → acknowledgement → ring → board. Board and receiver have one
/// core each. The receiver verifies every iCRC and compares every payload byte. Uses all options of
/// bench_craft() except those of port and workers. The rate of a run is the payload of the messages posted
/// within `duration`, divided by the time until the last of these messages was acknowledged. "held" is true
/// if nothing was lost, wrong or refused.
Json bench_loop(const Environment& environment, const CraftOptions& options);

struct LatencyOptions {
  std::vector<std::uint32_t> pmtus = {256, 512, 1024, 2048, 4096};
  std::vector<std::uint32_t> sizes = {1, 64, 1024, 4096, 65'536, 1'048'576};  ///< bytes per message
  bool known_crc = true;
  unsigned runs = 3;
  Time duration = 50 * kMillisecond;  ///< duration of each run for each path MTU and message size
};

/// A host that runs rdma-sink (doc/rdma-sink.md) on Soft-RoCE or a NIC. The benchmark sends to this host
/// instead of to a receiver on the ring.
struct GuestOptions {
  std::string sink;    ///< URL of rdma-sink: sink://HOST:PORT
  std::string device;  ///< device of the port that leads to the host, as in a configuration
  /// Address of the benchmark; the host resolves it or has a static neighbour entry for it.
  std::string ip = "10.77.0.100";
  std::string mac = "02:00:00:00:00:01";
};

/// Measures the time from posting an RC message to its completion. One message at a time is sent over a
/// net_ring to a receiver on another core, which verifies every iCRC and compares every payload byte.
/// Returns the distribution in microseconds for each path MTU and message size. The measured time begins
/// with the loop iteration that posts the message, and ends with the one that receives the acknowledgement.
Json bench_latency(const Environment& environment, const LatencyOptions& options);

/// Like bench_latency(), but sends to a queue pair on the host `guest`. Throws peers::PeerError if the host
/// is not reachable.
Json bench_guest_latency(const Environment& environment, const LatencyOptions& options,
                         const GuestOptions& guest);

enum class Algorithm {
  kConstant,  ///< constant rate of the traffic, without congestion control
  kFirmware,  ///< the firmware's token bucket at line rate, without CNPs
  kPaper,     ///< the paper's token bucket, initially empty
};

struct PacingOptions {
  /// Rate in bytes per second to which all queue pairs together are paced. The algorithms differ in which
  /// bytes of a packet they count.
  std::uint64_t rate = 1'250'000'000;
  std::uint32_t qps = 1;
  bool ring = false;
  Algorithm algorithm = Algorithm::kConstant;
  /// For kPaper: bytes of credit that may accumulate while the loop is preempted.
  std::uint64_t bucket = 16'384;
  Time duration = kSecond;
  unsigned runs = 3;
};

/// Measures how accurately each queue pair keeps its rate, which is `rate` / `qps`. The time of a packet is
/// recorded when tx_burst is called. Also reports how long the loop was preempted. See doc/pacing.md.
Json bench_pacing(const Environment& environment, const PacingOptions& options);

/// Runs bench_pacing() at 0.1 to 100 Gb/s with 1 to 10,000 queue pairs; all other options are taken from
/// `options`.
Json bench_pacing_suite(const Environment& environment, PacingOptions options);

struct ReactionOptions {
  bool ring = true;
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t packets = 16;  ///< packets per message, 4096 bytes each
  Time duration = kSecond;     ///< duration of each run
  unsigned runs = 3;
};

/// Measures how fast a CNP takes effect, in three ways. For the firmware's profile under a load of 10 Gb/s:
/// (a) the time from rx_burst until the congestion control has processed the CNP, and (b) the departures
/// after the CNP, compared with a model. For the paper's profile at 100 Gb/s: (c) the time from the arrival
/// of the CNP in the ring to the first packet with the new spacing. See doc/pacing.md.
Json bench_reaction(const Environment& environment, const ReactionOptions& options);

struct SrpOptions {
  unsigned accesses = 20'000;              ///< number of single reads per run
  std::uint64_t stream_bytes = 256 << 20;  ///< bytes of stream payload received per run
  unsigned runs = 7;
  std::string board;  ///< IPv4 or IPv6 address of a running board; empty means the benchmark's own server
};

/// Measures only slow control, over UDP on loopback, with a server on its own thread and softfeb's client:
/// the time of a 4-byte read (`read_us`), the time of 260 pipelined reads as PyRogue sends them at start
/// (`pipelined_260_ms`), and the payload rate of the data stream (`stream_gbps`).
nlohmann::ordered_json bench_srp(const SrpOptions& options);

/// Measures slow control of the running board `options.board` (softfeb, or a real board with the default
/// profile). `read_us` is the time of a read of ScratchPad, which does not involve the data path. Two further
/// times involve the data path: `live_read_us` is the time of a read of Rc, and `write_us` the time of a
/// write to Rai that keeps its value. Also measures 260 pipelined reads (`pipelined_260_ms`) and the data
/// stream of AppTx (`stream_gbps`). Leaves AppTx.ContinuousMode at 0.
nlohmann::ordered_json bench_srp_board(const SrpOptions& options);

struct PartOptions {
  unsigned runs = 7;
  Time duration = 10 * kMillisecond;  ///< duration of each run for each piece of work
};

/// Measures CRC-32 with Ethernet's polynomial over 64 bytes to 64 KiB, with ISA-L, DPDK's rte_net_crc, zlib
/// for comparison, and the functions of lib/roce that are based on them (`gbytes_per_s`). Also measures the
/// parts of an iCRC whose cost does not depend on the length (`by_packet_ns`). DPDK selects its
/// implementation when it starts.
Json bench_crc(const Environment& environment, const PartOptions& options);

/// Measures the cost of congestion control in nanoseconds per packet, per CNP and per idle period, for the
/// firmware's and the paper's algorithms.
Json bench_dcqcn(const PartOptions& options);

struct EventFileOptions {
  std::string folder = ".";       ///< folder of the files, on the disk to measure
  std::uint64_t bytes = 1 << 30;  ///< event data of each run
  unsigned runs = 5;
};

/// Measures the rate, in MB/s of event data, at which eventfile::EventFile stores events. The measured time
/// ends when the disk has stored the events. The events are those of a camera with 143 boards. For comparison
/// (`plain`), the same number of bytes is written in chunks of 1 MiB, in alternation with the events. Throws
/// std::runtime_error if writing fails.
Json bench_event_file(const EventFileOptions& options);

struct ReferenceOptions {
  std::uint32_t pmtu = 4096;  ///< payload of each packet in bytes
  unsigned seconds = 3;       ///< run time of each program
  bool scapy = true;
  std::vector<unsigned> cpus{};  ///< CPUs to use; if empty, those available to this process
};

/// Measures the rates of other programs on this machine, each in its own process. dpdk-testpmd runs on
/// net_null with `txonly` (which sends the same three-segment mbufs repeatedly) and with `flowgen` (which
/// writes the headers of each packet and sends it as one segment). scapy builds the same packet with its iCRC
/// in Python. Throws EnvironmentError if a program is missing.
Json bench_references(const ReferenceOptions& options);

/// Runs shortened versions of all benchmarks whose results are documented, and returns one document. This
/// takes about 90 seconds, multiplied by `scale`. Benchmarks that this machine cannot run (`references`
/// without dpdk-testpmd) are listed in "skipped".
Json bench_all(const Environment& environment, double scale);

/// Describes the first failed check in the document of bench_all(); empty if all checks held.
std::string failed_in(const Json& all);

}  // namespace softfeb::bench
