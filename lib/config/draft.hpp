// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "config/node.hpp"
#include "config/run_config.hpp"
#include "config/section.hpp"
#include "fabric/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Intermediate form between the document and RunConfig: values are parsed, but names are not resolved and
/// `count` is not expanded. Flags distinguish given values from defaults. Internal to the loader.
namespace softfeb::config {

class LinkEnds;

struct EndpointDraft {
  EndpointConfig config;
  /// Number of boards or receivers that this draft adds to RunConfig: replicas times ports.
  std::uint32_t count = 1;
  std::uint32_t ports = 1;  ///< number of ports of a board
  /// Names of the ports, if `ports` of the board is a list. If empty, `port` applies to all ports of the
  /// board.
  std::vector<std::string> port_names;
  /// Name of the port. Empty if `port_names` contains the ports, or if a link attaches the endpoint (softfeb
  /// lab).
  std::string port;
  bool port_given = false;
  std::vector<std::size_t> workers;  ///< indices of the workers that the file gives; empty if none are given
  bool mac_given = false;
};

struct QpDraft {
  QpConfig config;
  std::vector<std::string> to_names;  ///< names of receivers of this file; empty for other targets
  bool qpn_given = false;
  bool pmtu_given = false;
  bool send_queue_given = false;
};

struct ControlDraft {
  ControlConfig config;
  bool allow_given = false;
  bool send_queue_given = false;
  std::string responder;  ///< name of the receiver that acts as the host; empty if there is none
};

struct BoardDraft {
  EndpointDraft endpoint;
  BoardConfig config;
  std::optional<ControlDraft> control;
  std::vector<QpDraft> qps;
  std::vector<Time> starts, stops;  ///< assigned to the replicas round-robin; empty if not given
};

struct ReceiverDraft {
  EndpointDraft endpoint;
  ReceiverConfig config;
  bool memory_given = false;
};

/// An element of `changes`. resolve_changes() parses the parameters when it applies them to the current
/// parameters of each QP.
struct ChangeDraft {
  ChangeConfig config;
  std::string board;
  Where board_where;
  Node congestion;  ///< section `congestion` or `dcqcn`
};

struct SwitchDraft {
  fabric::SwitchConfig config;
  std::uint32_t count = 1;
  Where where;
};

struct LinkDraft {
  std::array<std::string, 2> ends;  ///< each end is a name, or FIRST..LAST
  std::array<Where, 2> ends_where;
  fabric::LinkConfig config;  ///< everything except the ends and the fault rules
  /// Fault rules of each direction: from the first end to the second, and from the second to the first. If
  /// `faults_back` is not given, the section `faults` supplies the rules of both directions.
  std::array<std::vector<FaultRuleConfig>, 2> rules;
  std::array<Where, 2> rules_where;  ///< sections `faults` and `faults_back`
  bool faults_back = false;          ///< the file has a section `faults_back`
  Where where;
};

/// An element of `network.parts`.
struct PartDraft {
  std::vector<std::string> switches;  ///< names, groups or ranges
  std::vector<Where> switch_wheres;
  Where where;
};

struct LabDraft {
  LabSettings lab;
  std::string bottleneck;  ///< observed switch port, written as SWITCH.PEER; empty if not given
  Where bottleneck_where;

  std::optional<std::size_t> worker;                 ///< worker that runs the network; empty if not given
  std::uint32_t mtu = 4200;                          ///< MTU of every link: bytes of an IP packet
  std::optional<fabric::MultipathConfig> multipath;  ///< empty for a network without loops
  /// If true, each board gets static neighbour entries for its receivers, so that nothing is resolved by ARP
  /// or ND.
  bool static_neighbours = false;
  std::vector<SwitchDraft> switches;
  std::vector<LinkDraft> links;
  std::vector<PartDraft> parts;  ///< parts that the file lists
  std::uint32_t part_count = 0;  ///< number of parts; 0 for `auto` or a list
  Where parts_where;
  Where network_where;
};

struct Draft {
  RunConfig config;
  std::vector<BoardDraft> boards;
  std::vector<ReceiverDraft> receivers;
  std::vector<ChangeDraft> changes;
  std::optional<LabDraft> lab;  ///< empty for a configuration of `softfeb run`
};

/// The subcommand that reads the document.
enum class Form : std::uint8_t { kRun, kLab, kSwitchTest };

// Readers, one per section. Problems are added to the section's Reading.
RunSettings read_run(Section section);
LatencyConfig read_latency(Section section);
ConformanceConfig read_conformance(Section section);
SwitchTestConfig read_switch_test(Section section);
EalConfig read_eal(Section section);
WorkersConfig read_workers(Section section);
PortConfig read_port(Section section);
/// Reads `hosts` of the document.
void read_hosts(Section& document, RunConfig& config);
/// Reports `hosts` in a document of a command that runs on one machine.
void refuse_hosts(Section& document);
/// Finds the host of each port. Reports ports without a valid host, and hosts that have no port.
void resolve_hosts(Reading& reading, RunConfig& config);
/// Reads section `faults` of a port.
FaultConfig read_port_faults(Section section);
/// Reads section `faults` or `faults_back` of a link: random faults and limits into `faults`, and rules into
/// `rules`.
void read_link_faults(Section section, fabric::LinkFaults& faults, std::vector<FaultRuleConfig>& rules);
/// Reads `do` of a fault rule.
void read_fault_action(Section& rule, faults::FaultAction& action);
/// Reads the keys common to boards and receivers. The caller closes the section.
EndpointDraft read_endpoint(Section& section);
BoardDraft read_board(Section section);
ControlDraft read_control(Section section);
/// Parses sink://HOST[:PORT].
Parsed<SinkTarget> parse_sink(const std::string& text);
QpDraft read_qp(Section section);
TrafficConfig read_traffic(Section section);
/// Reads the keys of random traffic (`lengths`, `arrivals`, `seed`). Reports invalid combinations of these
/// keys, and of these keys with other keys of `section`. `traffic` must already contain the values of all
/// other keys.
void read_random_traffic(Section& section, TrafficConfig& traffic);
/// Reads the keys `kind`, `period` and `phase`. With `kind: beamlets`, sets the rate, the verb and the
/// immediate, and reports keys that contradict them. `traffic` must already contain the values of all other
/// keys.
void read_beamlets(Section& section, TrafficConfig& traffic);
/// Reads the keys of transfers (`transfer`, `segment`, …). `traffic` must already contain the values of all
/// other keys.
void read_transfer(Section& section, TrafficConfig& traffic);
/// Reads section `registration` of a receiver.
RegistrationSettings read_registration(Section section);
/// Reads section `windows` of a receiver.
WindowsConfig read_windows(Section section);
/// Reads section `congestion` or `dcqcn` of a board or QP; returns nullopt if neither is given.
std::optional<CongestionConfig> read_congestion(Section& parent);
/// Reports the problems of `section`, an element of `lab.compare`.
void check_compared(Reading& reading, const Node& section);
/// Reads `algorithm` (in `congestion` also `plugin`) of a section whose name is `key`: `congestion` or
/// `dcqcn`. Returns a configuration of that algorithm; nullopt if there is a problem.
std::optional<CongestionConfig> read_algorithm(Section& section, const char* key);
/// Reads into `d` the algorithm's own parameters in section `congestion` or `dcqcn`, but not `algorithm`,
/// `scope`, the keys of the bucket, and the firmware's `width` and `line_rate`. Parameters whose keys are
/// missing keep their values.
void read_congestion_parameters(Section& section, CongestionConfig& d);
/// For algorithms other than DCQCN: sets the parameters that the section contains, and checks that they are
/// consistent.
void set_given(Reading& reading, CongestionConfig& d);
/// Reads an element of `triggers`.
TriggerConfig read_trigger(Section section);
/// Reads section `events` of a board or a receiver.
BoardEventsConfig read_board_events(Section section);
ReceiverEventsConfig read_receiver_events(Section section);
ChangeDraft read_change(Section section);
/// Replaces the parameters of `d` that `draft.congestion` contains. The algorithm of `draft` must be that of
/// `d`.
void apply_change(Reading& reading, const ChangeDraft& draft, CongestionConfig& d);
ReceiverDraft read_receiver(Section section);
/// Reads section `streams` of a receiver.
StreamsConfig read_streams(Section section);
/// Reads `ports` of a board into `draft`. Call this after `port` and `count` have been read.
void read_board_ports(Section& section, EndpointDraft& draft);
/// Reads section `traffic_gen` of a board.
TrafficGenConfig read_traffic_gen(Section section);
/// Returns the queue pairs of a traffic generator that sends to receiver `receiver`. Their path MTU is not
/// set.
QpConfig generator_qps(const TrafficGenConfig& traffic_gen, std::size_t receiver);
/// Reads section `lab` into `draft`.
void read_lab(Section section, LabDraft& draft);
/// Reads section `network` into `draft`.
void read_network(Section section, LabDraft& draft);
/// Reads a switch. `multipath` is the `multipath` of the network; the section `multipath` of the switch may
/// override single keys of it.
SwitchDraft read_switch(Section section, const std::optional<fabric::MultipathConfig>& multipath);
/// Parses a rate in a network, which is at most one byte per picosecond. `what` names the value in the error
/// message.
inline auto network_rate(const char* what) {
  return [what](const std::string& text) -> Parsed<std::uint64_t> {
    auto rate = parse_bandwidth(text);
    if (rate.value && *rate.value > 1'000'000'000'000)
      return {text + " is out of range for " + what, "write at most 8000Gb/s"};
    return rate;
  };
}

/// Reads `parts` of section `network`.
void read_parts(Section& network, LabDraft& draft);
/// Finds the switches of the parts. `ends` contains the names of all nodes.
PartsConfig resolve_parts(Reading& reading, const LabDraft& draft, LinkEnds& ends, const LabConfig& lab);
/// Reads the rates of an element of `queues`.
void read_queue_rates(Section& section, fabric::QueueRates& rates);
/// Reads the MTU of a switch, and whether it routes.
void read_port_rules(Section& section, fabric::SwitchConfig& config);
/// Reads the VLANs of a link.
void read_vlans(Section& section, fabric::LinkConfig& link);
/// Reads the keys of a switch's scheduler.
void read_scheduler(Section& section, fabric::SchedulerConfig& scheduler);
/// Reads section `multipath` of the network or of a switch. Keys that are not given keep their values.
void read_multipath(Section section, fabric::MultipathConfig& multipath);
Draft read_document(Reading& reading, const Node& document, Form form);

/// Like load_lab_text(), but loads the lab from a document.
LabConfig load_lab_document(const Node& document, const std::string& file,
                            std::optional<std::int64_t> now_unix_ns = std::nullopt);

/// Assigns each endpoint to exactly one worker. Returns the index of the worker of each endpoint: boards
/// first, then receivers, with replicas expanded.
///
/// An endpoint that names a worker is assigned to that worker. The others are assigned in order of
/// decreasing load to the least loaded worker of `workers` (not empty), so that equal loads are assigned
/// round-robin. The load of a board is the rate at which its QPs may send payload. The load of a receiver
/// is the rate at which payload may arrive. Both are in bits per second. With `hosts`, the workers of each
/// host are considered separately.
std::vector<std::size_t> spread(const Draft& draft, const std::vector<std::size_t>& workers);

/// Converts a Draft to a RunConfig: resolves names to indices, expands `count`, and sets defaults that depend
/// on other keys. Problems are added to `reading`; the result is complete only if there are none.
///
/// An endpoint without a port uses a ring to the network's worker. The ports of such rings are appended to
/// RunConfig::ports, and the rings to `rings`.
RunConfig resolve(Reading& reading, const Draft& draft, std::vector<LabRing>& rings);

/// Resolves `network` and `lab`. `names` is the draft of the whole document, and `run` the result of
/// resolve() for this draft.
LabConfig resolve_lab(Reading& reading, const LabDraft& draft, const Draft& names, RunConfig run,
                      std::vector<LabRing> rings);
/// Finds the queue pairs to which the fault rules of links apply. Reports rules that apply to no queue pair.
/// All queue pairs must be complete.
void resolve_link_rules(Reading& reading, const LabDraft& draft, LabConfig& config);
/// Index of the worker that runs the network.
std::size_t network_worker(const LabDraft& draft, const WorkersConfig& workers);

/// Numbers the boards that send event data, separately for each set of builders and for each trigger, and
/// calculates the memory size of builders. Names must be resolved.
void number_event_boards(RunConfig& config);
/// Resolves `changes`. Boards and QPs must be complete.
void resolve_changes(Reading& reading, const Draft& draft, RunConfig& config);
/// Sets the defaults of congestion control parameters that the configuration does not give. The defaults
/// depend on the board's link and the path MTU. Call this when the link and the path MTU are known, and
/// before resolve_changes().
void complete_congestion(Reading& reading, RunConfig& config);
/// Sets ArrivalsConfig::rate of all QPs. The boards' link rates must be complete.
void resolve_arrivals(Reading& reading, RunConfig& config);

}  // namespace softfeb::config
