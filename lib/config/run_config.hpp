// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/address.hpp"
#include "config/conformance_config.hpp"
#include "config/congestion.hpp"
#include "config/endpoint_config.hpp"
#include "config/events_config.hpp"
#include "config/port_config.hpp"
#include "config/qp_config.hpp"
#include "config/switch_test_config.hpp"
#include "config/traffic_gen_config.hpp"
#include "config/values.hpp"
#include "engine/port_options.hpp"
#include "roce/congestion_header.hpp"
#include "roce/path.hpp"
#include "roce/requester.hpp"
#include "roce/udp_source_port.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The resolved configuration of `softfeb run`: defaults are set, names are indices, boards and receivers are
/// replicated (`count`). Plain data. config/load.hpp reads it from YAML and validates it as far as the file
/// alone allows. Units: picoseconds for Time, bytes for sizes; bytes, packets or messages per second for
/// rates.
namespace softfeb::config {

/// Section `run`.
struct RunSettings {
  std::optional<Time> duration;  ///< time from the start to the end of traffic; empty if it is not limited
  /// Maximum number of messages of each QP; already applied to TrafficConfig::messages.
  std::optional<std::uint64_t> messages;
  Time warmup = 0;  ///< time after the start of traffic that is excluded from the statistics
  /// Wall clock time at which traffic starts, in nanoseconds since 1970-01-01T00:00:00Z. If empty, traffic
  /// starts immediately.
  std::optional<std::int64_t> start_at_unix_ns;
  std::uint64_t seed = 1;
  std::uint32_t number = 0;  ///< run number in event headers and event files
  bool quiet = false;
  /// Time that outstanding requests may take to complete after traffic has stopped. Requests that are still
  /// outstanding afterwards are flushed.
  Time drain_timeout = 5 * kSecond;
  /// Time limit for the links to come up, and then for each remote receiver to respond.
  Time connect_timeout = 30 * kSecond;
  Time series_interval = 100 * kMillisecond;  ///< interval of the time series in the report
  std::uint32_t series_qps = 64;  ///< with more QPs than this, the series has one row per board, not per QP
  /// Maximum number of QPs that the result lists per board or receiver. If an endpoint has more QPs, the
  /// result lists only those that need attention. If this is empty, the result lists all QPs.
  std::optional<std::uint32_t> result_qps;
  /// With `hosts`: time from the moment when the last host is ready to the start of traffic.
  Time start_lead = 2 * kSecond;
  /// With `hosts`: largest difference between the clocks of two hosts.
  Time clock_limit = 100 * kMicrosecond;
  /// UDP port of packets with a congestion control header (see EndpointConfig::cc_header).
  std::uint16_t cc_port = roce::kCongestionUdpPort;
  Where where;
};

/// Section `latency`: measurement of the time that messages take from each stage to the next.
struct LatencyConfig {
  static constexpr std::uint32_t kSample = 64;        ///< default of `sample` in real time
  static constexpr std::uint32_t kVirtualSample = 1;  ///< default of `sample` in virtual time

  /// With the value N, times are recorded for one message in N. With 0, no times are recorded. If this is
  /// empty, kSample or kVirtualSample applies.
  std::optional<std::uint32_t> sample;
  Where where;
};

using engine::HugePages;

/// Section `eal`: DPDK's Environment Abstraction Layer.
struct EalConfig {
  HugePages hugepages = HugePages::kAuto;  ///< with kAuto, huge pages are used if the host has free ones
  std::optional<std::uint64_t> memory;     ///< DPDK memory in bytes; if empty, as much as is needed
  /// Argument of --file-prefix. If empty, no files are shared with other processes.
  std::optional<std::string> prefix;
  std::vector<std::string> args;  ///< appended unchanged to the arguments of rte_eal_init()
  Where where;
};

using engine::IdlePolicy;

/// Section `workers`.
struct WorkersConfig {
  std::size_t count = 1;  ///< number of workers; cpus.size() if CPUs are given
  /// CPU of each worker; if empty, the CPUs are chosen from the process's affinity.
  std::vector<unsigned> cpus;
  std::optional<unsigned> main_cpu;  ///< CPU of the main lcore, which handles no packets
  IdlePolicy idle = IdlePolicy::kPause;
  std::uint16_t burst = 32;  ///< maximum packets per RX or TX burst
  Where where;
};

enum class IcrcMethod : std::uint8_t {
  kKnown,  ///< iCRC combined from precomputed payload CRCs
  kFull,   ///< iCRC computed over every byte
};

/// Order of QPs in the slots of DCQCN registers.
enum class DcqcnSlots : std::uint8_t {
  kConfiguredFirst,  ///< QPs of the configuration, then those of the metadata bus
  kBusFirst,
};

/// Section `boards[].control`: slow control of the board (SRPv3 over RSSI over UDP).
struct ControlConfig {
  std::optional<IpAddress> listen;  ///< address of the sockets; if empty, there are no sockets
  std::uint16_t registers_port = 8192;
  std::uint16_t stream_port = 8193;
  bool in_band = false;  ///< slow control uses UDP ports 8192 and 8193 at the board's own address
  /// Client networks that may connect, over sockets or in band; other clients get no response.
  std::vector<IpPrefix> allow;
  std::uint32_t max_connects_per_second = 20;  ///< limit for each RSSI link; further SYNs get no response
  std::string profile;                         ///< name of a firmware profile (board/profile.hpp)
  // Numbers of PDs, MRs and QPs of the metadata bus; powers of two.
  std::uint32_t pds = 1;
  std::uint32_t mrs = 2;  ///< memory regions per PD
  std::uint32_t qps = 1;
  std::uint32_t send_queue = 64;    ///< maximum number of outstanding requests of a QP of the metadata bus
  std::uint32_t window = 16;        ///< maximum number of unacknowledged requests of a QP of the metadata bus
  std::optional<IpAddress> remote;  ///< initial UdpEngine.ClientRemoteIp; if empty, there is no destination
  std::optional<std::size_t> responder;  ///< receiver that acts as the host, index into RunConfig::receivers
  DcqcnSlots slots = DcqcnSlots::kConfiguredFirst;
  Where where;
};

struct BoardConfig {
  EndpointConfig endpoint;
  /// Rate limit in bytes per second on the wire, including FCS, preamble and inter-frame gap. Empty if the
  /// rate is not limited.
  std::optional<std::uint64_t> link_rate;
  roce::SourcePortPolicy udp_source_port;
  roce::TimingProfile timing = roce::TimingProfile::kStandard;
  IcrcMethod icrc = IcrcMethod::kKnown;
  CongestionConfig congestion;  ///< used by QPs without congestion parameters of their own
  std::vector<QpConfig> qps;
  /// Event data, which replaces the traffic of `qps`. `qps` then has one QP for each builder, in the order of
  /// the builders. Builders of this file share one element of `qps`; each rdma-sink has its own element.
  std::optional<BoardEventsConfig> events;
  /// Traffic generator. If it needs queue pairs, `qps` has one element, with one QP for each stream.
  std::optional<TrafficGenConfig> traffic_gen;
  /// Number of ports of the board. Each port has an element of its own in RunConfig::boards; the elements of
  /// one board are adjacent.
  std::uint32_t ports = 1;
  std::uint32_t on_port = 0;  ///< number of this element's port on the board, from 0
  Time post_delay = 0;        ///< time from the posting of a message to its first packet
  Time start = 0;  ///< delay from the start of the run's traffic to the start of this board's traffic
  /// Time from the start of the run's traffic to the end of this board's traffic. If empty, the board's
  /// traffic ends with the run.
  std::optional<Time> stop;
  std::optional<ControlConfig> control;  ///< empty if there is no slow control
  Where where;
};

/// An element of `changes`: new congestion control parameters for QPs of one board while they send.
struct ChangeConfig {
  /// A range of QPs with the same parameters after the change: first, first + 1, … (QP numbers on the board).
  struct Part {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    CongestionConfig congestion;  ///< all parameters, including those that do not change
  };
  Time at = 0;                      ///< time after the start of traffic
  std::size_t board = 0;            ///< index into RunConfig::boards
  std::optional<std::uint32_t> qp;  ///< QP number on the board; if empty, all QPs
  std::vector<Part> parts;
  std::string key = "dcqcn";  ///< name of the section: dcqcn or congestion
  /// Keys and values of the section, as written in the file.
  std::vector<std::pair<std::string, std::string>> given;
  Where where;
};

/// An element of `hosts`: a host of an experiment that several hosts run together.
struct HostConfig {
  std::string name;
  Where where;
};

struct RunConfig {
  std::string file;  ///< path as given by the user
  RunSettings run;
  LatencyConfig latency;
  EalConfig eal;
  WorkersConfig workers;
  std::vector<HostConfig> hosts;  ///< empty if all ports are on the host of this process
  /// Host of this process, as an index into `hosts`. Empty if this process has all ports. Not part of the
  /// file.
  std::optional<std::size_t> here;
  std::vector<PortConfig> ports;
  std::vector<TriggerConfig> triggers;
  std::vector<BoardConfig> boards;
  std::vector<ReceiverConfig> receivers;
  std::vector<ChangeConfig> changes;             ///< in the order of the file
  std::optional<ConformanceConfig> conformance;  ///< used by `softfeb conformance` only
  std::optional<SwitchTestConfig> switch_test;   ///< used by `softfeb switch-test` only

  /// Position of each key that the file or --set gives, indexed by dotted path.
  std::map<std::string, Where> places;

  /// True if this process opens the port, and runs the endpoints on it.
  bool is_here(std::size_t port) const { return !here || ports[port].host == here; }
  bool is_here(const EndpointConfig& endpoint) const { return is_here(endpoint.port); }

  /// Returns the position of key `name` of the section at `section`, for errors found after loading: the line
  /// of the key if the key was given, otherwise the line of the section.
  Where place(const Where& section, const std::string& name) const;
};

inline constexpr std::uint32_t kMaxQpn = 0xff'ffff;
/// Maximum number of next hops of a board, including its static neighbours. Each takes about 60 bytes of
/// memory.
inline constexpr std::size_t kMostNextHops = 16'384;
/// Maximum number of next hops of a board with traffic generators.
inline constexpr std::size_t kMostNextHopsWithTrafficGen = 256;

/// Returns the number of header and trailer bytes of the largest request packet, from the IP header to the
/// iCRC (IP, UDP 8, BTH 12, RETH 16, ImmDt 4, iCRC 4). The MTU must be at least this plus the path MTU and
/// the congestion control header, if there is one.
constexpr std::uint32_t packet_overhead(bool v6) {
  return roce::max_frame_overhead(v6, false) - roce::kEthernetSize;
}

/// Returns the number of bytes on the wire that a packet in the middle of a message has in addition to its
/// payload: all headers, iCRC, FCS, preamble and inter-packet gap.
std::uint32_t wire_overhead(const BoardConfig& board, const QpConfig& qp);
/// Size in bytes of the congestion control header of a QP's requests; 0 if they have none.
std::uint32_t congestion_header_bytes(const BoardConfig& board, const QpConfig& qp);

/// Number of messages for the file in `traffic`, including repeats; empty if the traffic sends no file.
std::optional<std::uint64_t> file_messages(const TrafficConfig& traffic);

/// Number of slots of `message_size` bytes that fit in a region of `length` bytes; at least 1.
std::uint32_t slots_in(std::uint64_t length, std::uint32_t message_size);

/// Returns the region size in bytes that one of the `qps` QPs of a group needs for its messages: enough for
/// its slots, for its file, or for one message. QPs that send transfers together share one region, which
/// holds four transfers by default.
std::uint64_t memory_needed(const TrafficConfig& traffic, std::uint32_t qps);

/// Region length of each QP of the group, in bytes; the shortest if receivers differ. Empty if only the
/// receiver knows this length (perftest://, sink://).
std::optional<std::uint64_t> region_length(const RunConfig& config, const QpConfig& qp);

}  // namespace softfeb::config
