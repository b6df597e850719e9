// SPDX-License-Identifier: BSD-3-Clause
#include "base/uint128.hpp"
#include "config/checks.hpp"
#include "config/draft.hpp"
#include "config/units.hpp"
#include "congestion/int_record.hpp"
#include "fabric/egress_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace softfeb::config {
namespace {

class NetworkChecker {
 public:
  NetworkChecker(Reading& reading, const LabConfig& config, const LabDraft& draft)
      : reading_(reading), config_(config), draft_(draft) {
    for (const fabric::LinkConfig& link : config.network.links) {
      for (const fabric::NodeRef& node : {link.a, link.b}) {
        if (node.kind == fabric::NodeRef::Kind::kStation) rates_[node.index] = link.rate;
      }
    }
  }

  void run() {
    if (config_.network_worker >= config_.run.workers.count) {
      problem(draft_.network_where, "worker", "there is no worker " + std::to_string(config_.network_worker),
              "workers are numbered from 0; there are " + std::to_string(config_.run.workers.count) +
                  " (workers.count or workers.cpus)");
    }
    std::uint32_t index = 0;
    for (const SwitchDraft& s : draft_.switches) {
      bool pauses = false;
      for (std::uint32_t i = 0; i < s.count; ++i) {
        check_int_id(s, index);
        check_int_records(s, index);
        check_rates(reading_, config_, s, index);
        pauses = check_links(s, index++) || pauses;
      }
      check_buffer(s);
      for (const fabric::QueueConfig& queue : s.config.queues) check_marking(s, queue);
      if (pauses && s.config.pause.given()) check_pause(s);
    }
    for (std::size_t b = 0; b < config_.run.boards.size(); ++b) check_rate(b);
    check_int_rates();
    for (const auto& [station, port] : config_.port_stations) check_port_faults(config_.run.ports[port]);
  }

 private:
  void problem(const Where& section, const char* key, std::string message, std::string fix) {
    reading_.problem(config_.run.place(section, key), std::move(message), std::move(fix));
  }

  /// Checks that the switch has links, and that it has the pause thresholds and lossless queues that these
  /// links need for flow control. Returns true if any link has flow control.
  bool check_links(const SwitchDraft& s, std::uint32_t index) {
    const fabric::NodeRef node{fabric::NodeRef::Kind::kSwitch, index};
    bool linked = false, pauses = false, pfc = false;
    for (const fabric::LinkConfig& link : config_.network.links) {
      if (link.a != node && link.b != node) continue;
      linked = true;
      pauses = pauses || link.flow_control != roce::PauseMode::kOff;
      pfc = pfc || link.flow_control == roce::PauseMode::kPfc;
    }
    const std::string& name = config_.network.switches[index].name;
    if (!linked)
      problem(s.where, "name", "no link leads to switch \"" + name + '"', "name it in `ends` of a link");
    if (pauses && !s.config.pause.given()) {
      problem(s.where, "pause",
              "a link of switch \"" + name + "\" has flow control, but the switch has no thresholds",
              "add `pause: {xoff: 200KiB, xon: 100KiB, headroom: 64KiB}`, or `flow_control: off`");
    }
    const auto& queues = s.config.queues;
    if (pfc && std::none_of(queues.begin(), queues.end(), [](const auto& q) { return q.lossless; })) {
      problem(s.where, "queues", "a link of switch \"" + name + "\" has PFC, but no queue is lossless",
              "add `queues: [{queue: 3, lossless: true}]`, or `flow_control: pause`");
    }
    return pauses;
  }

  /// Checks that no other switch with INT has the identifier of switch `index`.
  void check_int_id(const SwitchDraft& s, std::uint32_t index) {
    const fabric::SwitchConfig& config = config_.network.switches[index];
    if (s.config.int_id + s.count > std::uint32_t{UINT16_MAX} + 1) {
      return problem(s.where, "int_id",
                     "leaves no identifiers up to 65535 for " + std::to_string(s.count) + " switches",
                     "write a smaller one; replicas take the following numbers");
    }
    if (!config.int_on) return;
    const std::uint16_t id = fabric::int_id_of(config_.network, index);
    const auto [other, first] = int_ids_.emplace(id, config.name);
    if (first) return;
    problem(s.where, s.config.int_id != 0 ? "int_id" : "int",
            "switch \"" + config.name + "\" has the identifier of switch \"" + other->second + "\", " +
                std::to_string(id),
            "give each switch its own `int_id`, or none");
  }

  /// If the congestion control of any board needs INT records, checks that the switch writes them.
  void check_int_records(const SwitchDraft& s, std::uint32_t index) {
    const fabric::SwitchConfig& config = config_.network.switches[index];
    if (config.int_on) return;
    for (const BoardConfig& board : config_.run.boards) {
      if (!board.endpoint.network || !needs_int_records(board)) continue;
      return problem(s.where, "int",
                     "switch \"" + config.name +
                         "\" writes no INT records, which the congestion control of \"" +
                         board.endpoint.name + "\" needs",
                     "write `int: on`");
    }
  }

  /// If a board needs INT records, checks that an INT record can express the rate of every link over which a
  /// switch may send packets with INT records. The links of boards are exempt, because switches send only
  /// acknowledgements to boards.
  void check_int_rates() {
    const auto& boards = config_.run.boards;
    const auto board = std::find_if(boards.begin(), boards.end(), [](const BoardConfig& b) {
      return b.endpoint.network && needs_int_records(b);
    });
    if (board == boards.end()) return;
    const Where* reported = nullptr;
    for (std::size_t i = 0; i < config_.network.links.size(); ++i) {
      const fabric::LinkConfig& link = config_.network.links[i];
      if (congestion::int_rate_code(link.rate) != congestion::IntRecord::kUnknownRate) continue;
      if (is_board(link.a) || is_board(link.b)) continue;
      const Where& where = config_.link_wheres[i];
      // Several links may result from one link of the file. Report only the first of them.
      if (reported != nullptr && reported->key == where.key) continue;
      reported = &where;
      problem(where, "rate",
              format_bandwidth(link.rate) +
                  " has no code in INT records, which the congestion control of \"" + board->endpoint.name +
                  "\" needs",
              "write one of " + int_rates() + ", or another algorithm");
    }
  }

  bool is_board(const fabric::NodeRef& node) const {
    if (node.kind != fabric::NodeRef::Kind::kStation) return false;
    for (std::size_t b = 0; b < config_.run.boards.size(); ++b) {
      if (config_.station_of[b] == node.index) return true;
    }
    return false;
  }

  static std::string int_rates() {
    std::string list;
    for (const std::uint64_t rate : congestion::kIntRates)
      list += (list.empty() ? "" : ", ") + format_bandwidth(rate);
    return list;
  }

  static bool needs_int_records(const BoardConfig& board) {
    return std::any_of(board.qps.begin(), board.qps.end(), [&](const QpConfig& qp) {
      const CongestionConfig& d = qp.congestion ? *qp.congestion : board.congestion;
      return d.algorithm == CongestionConfig::Algorithm::kOther &&
             (d.other.algorithm->needs() & congestion::kNeedsIntRecords) != 0;
    });
  }

  void check_buffer(const SwitchDraft& s) {
    const fabric::SwitchConfig& config = s.config;
    const fabric::EgressMemory memory(config, 0);
    if (const std::uint64_t frame = memory.occupied(draft_.mtu + 18); config.buffer < frame) {
      problem(s.where, "buffer", "is smaller than one frame of " + std::to_string(frame) + " bytes",
              "write for example 4MiB");
    }
    if (config.port_limit > config.buffer) {
      problem(s.where, "port_limit", "exceeds the `buffer` of " + format_size(config.buffer),
              "write a smaller value, or remove it");
    }
  }

  void check_marking(const SwitchDraft& s, const fabric::QueueConfig& queue) {
    if (!queue.ecn.enabled) return;
    const std::uint64_t shared = s.config.port_limit != 0 ? s.config.port_limit : s.config.buffer;
    const std::uint64_t most = shared + std::min(queue.minimum, UINT64_MAX - shared);
    if (queue.ecn.kmin < most) return;
    problem(s.where, "ecn",
            "a queue never reaches `kmin`, because packets are dropped at " + format_size(most),
            "write a smaller `kmin`, or a larger `buffer` or `port_limit`");
  }

  void check_pause(const SwitchDraft& s) {
    const fabric::PauseThresholds& pause = s.config.pause;
    const Where section = config_.run.place(s.where, "pause");
    if (pause.xoff_alpha != 0) {
      check_dynamic_pause(s, section);
    } else if (pause.xon >= pause.xoff) {
      problem(section, "xon", "is not below `xoff`", "write less than " + format_size(pause.xoff));
    }
    if (pause.xoff >= s.config.buffer) {
      problem(section, "xoff",
              "packets are dropped at " + format_size(s.config.buffer) + ", before it is reached",
              "write less than `buffer`");
    }
    if (pause.headroom > s.config.buffer) {
      problem(section, "headroom", "exceeds the `buffer` of " + format_size(s.config.buffer),
              "enlarge `buffer`, or write the number of bytes in flight when a pause frame is sent");
    }
  }

  /// Checks that `xon_offset` is less than the greatest dynamic threshold. This threshold applies while the
  /// buffer is empty; it is alpha times the buffer, but at most the buffer.
  void check_dynamic_pause(const SwitchDraft& s, const Where& section) {
    const fabric::PauseThresholds& pause = s.config.pause;
    const auto most = static_cast<std::uint64_t>(
        std::min<Uint128>(Uint128{s.config.buffer} * pause.xoff_alpha / 256, s.config.buffer));
    if (pause.xon_offset < most) return;
    problem(section, "xon_offset",
            "the pause threshold is at most " + format_size(most) + ", so nothing would be left to resume at",
            "write a smaller `xon_offset`, or a larger `xoff_alpha`");
  }

  /// Checks that a board's rate does not exceed that of its link.
  void check_rate(std::size_t b) {
    const BoardConfig& board = config_.run.boards[b];
    if (!config_.station_of[b] || !board.link_rate) return;
    const std::uint64_t rate = rates_.at(*config_.station_of[b]);
    if (*board.link_rate <= rate) return;
    problem(board.where, "link_rate", "exceeds the rate of its link, " + format_bandwidth(rate),
            "remove it; the default is the rate of its link");
  }

  /// Checks that a port with a link has no faults of its own: the network's worker exchanges packets with
  /// such a port directly, without injecting the port's faults.
  void check_port_faults(const PortConfig& port) {
    if (!port.faults.any()) return;
    reading_.problem(port.faults.where, "port \"" + port.name + "\" has a link, where its faults do not act",
                     "write them in `faults` of the link in `network.links`");
  }

  Reading& reading_;
  const LabConfig& config_;
  const LabDraft& draft_;
  std::map<std::uint16_t, std::string> int_ids_;  ///< names of the switches with INT
  std::map<std::uint32_t, std::uint64_t> rates_;  ///< link rate of each station, bytes per second
};

}  // namespace

void check_network(Reading& reading, const LabConfig& config, const LabDraft& draft) {
  NetworkChecker(reading, config, draft).run();
}

}  // namespace softfeb::config
