// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_draft.hpp"
#include "config/node.hpp"
#include "config/run_config.hpp"
#include "config/section.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Between the document and RunConfig: values read, names not yet looked up, `count` not yet spread out, and
/// what was given told apart from what was not. For the loader's own files.
namespace softfeb::config {

struct EndpointDraft {
  EndpointConfig config;
  std::uint32_t count = 1;
  std::string port;  ///< empty: a link leads to it (softfeb lab)
  bool port_given = false;
  std::vector<std::size_t> workers;  ///< empty: not given
  bool mac_given = false;
};

struct QpDraft {
  QpConfig config;
  std::vector<std::string> to_names;  ///< receivers of this file; empty for other targets
  bool qpn_given = false;
  bool pmtu_given = false;
  bool send_queue_given = false;
};

struct ControlDraft {
  ControlConfig config;
  bool allow_given = false;
  bool send_queue_given = false;
  std::string responder;  ///< empty: none
};

struct BoardDraft {
  EndpointDraft endpoint;
  BoardConfig config;
  std::optional<ControlDraft> control;
  std::vector<QpDraft> qps;
  std::vector<Time> starts, stops;  ///< dealt out over the replicas; empty: not given
};

struct ReceiverDraft {
  EndpointDraft endpoint;
  ReceiverConfig config;
  bool memory_given = false;
};

/// The parameters are read again for the QPs it names, over what those have until then.
struct ChangeDraft {
  ChangeConfig config;
  std::string board;
  Where board_where;
  Node dcqcn;
};

struct Draft {
  RunConfig config;
  std::vector<BoardDraft> boards;
  std::vector<ReceiverDraft> receivers;
  std::vector<ChangeDraft> changes;
  std::optional<LabDraft> lab;  ///< none: the configuration of `softfeb run`
};

/// Which program reads the document.
enum class Form : std::uint8_t { kRun, kLab };

// Readers: one section each. Problems go to the section's Reading.
RunSettings read_run(Section section);
EalConfig read_eal(Section section);
WorkersConfig read_workers(Section section);
PortConfig read_port(Section section);
/// The keys that boards and receivers share; the caller closes the section.
EndpointDraft read_endpoint(Section& section);
BoardDraft read_board(Section section);
ControlDraft read_control(Section section);
QpDraft read_qp(Section section);
TrafficConfig read_traffic(Section section);
/// The section `dcqcn` of a board or QP, where it has one.
std::optional<DcqcnConfig> read_dcqcn(Section& parent);
/// Its parameters, `algorithm` apart, over what `d` has: those that may change while a QP sends.
void read_dcqcn_parameters(Section& section, DcqcnConfig& d);
ChangeDraft read_change(Section section);
/// `draft.dcqcn` over `d`, whose algorithm must be the one it names.
void apply_change(Reading& reading, const ChangeDraft& draft, DcqcnConfig& d);
ReceiverDraft read_receiver(Section section);
Draft read_document(Reading& reading, const Node& document, Form form);

/// Draft -> RunConfig: indices for names, replicas for `count`, defaults that depend on other keys. Problems
/// go to `reading`; what it returns is whole only when there were none.
/// Endpoints without a port stand at rings to the network's worker, which are appended to the ports and to
/// `rings`.
RunConfig resolve(Reading& reading, const Draft& draft, std::vector<LabRing>& rings);

/// Its part for `network` and `lab`, over what resolve() has made.
LabConfig resolve_lab(Reading& reading, const LabDraft& draft, const Draft& names, RunConfig run,
                      std::vector<LabRing> rings);
/// The worker that carries the network.
std::size_t network_worker(const LabDraft& draft, const WorkersConfig& workers);

/// Its part for `changes`, when boards and QPs are there.
void resolve_changes(Reading& reading, const Draft& draft, RunConfig& config);

/// What cannot work although each value by itself could. `now_unix_ns` is the wall clock.
void check(Reading& reading, const RunConfig& config, std::int64_t now_unix_ns);
void check_network(Reading& reading, const LabConfig& config, const LabDraft& draft);

}  // namespace softfeb::config
