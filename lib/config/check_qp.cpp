// SPDX-License-Identifier: BSD-3-Clause
#include "base/uint128.hpp"
#include "config/address.hpp"
#include "config/checks.hpp"
#include "config/run_config.hpp"

#include <map>

namespace softfeb::config {
namespace {

class QpChecker {
 public:
  QpChecker(Reading& reading, const RunConfig& config, const BoardConfig& board, const QpConfig& qp)
      : reading_(reading), config_(config), board_(board), qp_(qp) {}

  void run() {
    if (std::uint64_t{qp_.qpn} + qp_.count - 1 > kMaxQpn)
      problem("qpn", "the last QPN exceeds 24 bits", "use lower QPNs or fewer QPs");
    check_pmtu(board_.endpoint);
    check_window();
    check_congestion();
    check_payload();
    check_region();
    if (const auto* to = std::get_if<ReceiverTarget>(&qp_.to)) {
      for (const std::size_t r : to->receivers) check_receiver(config_.receivers[r]);
    } else if (const auto* address = std::get_if<AddressTarget>(&qp_.to)) {
      check_address(*address);
    } else {
      check_standard();
      if (std::holds_alternative<PerftestTarget>(qp_.to)) check_perftest();
    }
  }

 private:
  bool rc() const { return qp_.transport == roce::Transport::kRc; }

  void problem(const char* key, std::string message, std::string fix) {
    reading_.problem(config_.place(qp_.where, key), std::move(message), std::move(fix));
  }
  void traffic_problem(const char* key, std::string message, std::string fix) {
    reading_.problem(config_.place(qp_.traffic.where, key), std::move(message), std::move(fix));
  }

  void check_pmtu(const EndpointConfig& e) {
    const PortConfig& port = config_.ports[e.port];
    const std::uint32_t cch = congestion_header_bytes(board_, qp_);
    const std::uint32_t needed = qp_.pmtu + packet_overhead(!e.ip.is_v4()) + cch;
    if (!port.mtu || needed <= *port.mtu) return;
    problem("pmtu",
            "packets of path MTU " + std::to_string(qp_.pmtu) +
                (cch == 0 ? "" : " with a congestion control header of " + std::to_string(cch) + " bytes") +
                " take up to " + std::to_string(needed) + " bytes of IP, above the MTU " +
                std::to_string(*port.mtu) + " of port \"" + port.name + '"',
            "use a smaller `pmtu`, or an `mtu` of at least " + std::to_string(needed));
  }

  void check_window() {
    if (!rc()) return;
    if (qp_.window > qp_.send_queue) {
      problem("window",
              "a send queue of " + std::to_string(qp_.send_queue) + " cannot fill a window of " +
                  std::to_string(qp_.window),
              "make `send_queue` at least as large");
    }
    if (qp_.signaled == SignalPolicy::kAll || qp_.sq_sig_all || qp_.ack_every != 0) return;
    const bool last_is_enough =
        qp_.signaled == SignalPolicy::kLast && qp_.traffic.messages && *qp_.traffic.messages <= qp_.window;
    if (last_is_enough) return;
    problem("signaled",
            "unsignaled RC requests do not request acknowledgements, so the window would never reopen",
            "write `signaled: all`, or give `ack_every`");
  }

  void check_congestion() {
    const CongestionConfig& d = qp_.congestion ? *qp_.congestion : board_.congestion;
    if (d.algorithm != CongestionConfig::Algorithm::kOther) return;
    const congestion::Algorithm& algorithm = *d.other.algorithm;
    if (!rc() && (algorithm.needs() & congestion::kNeedsAcks) != 0) {
      problem("transport", d.name() + " needs acknowledgements, which UC does not have",
              "write `transport: RC`, or another algorithm");
    }
    if ((algorithm.needs() & congestion::kNeedsOwnQp) != 0 && d.scope != CongestionConfig::Scope::kQp) {
      reading_.problem(config_.place(d.where, "scope"), d.name() + " controls each QP separately",
                       "remove `scope`, or write `scope: qp`");
    }
    if (needs_grants() && !board_.endpoint.cc_header) {
      reading_.problem(d.where, d.name() + " needs grants, but the board accepts no headers with them",
                       "write `cc_header: on` for the board and its receivers");
    }
    if ((algorithm.needs() & congestion::kNeedsIntRecords) == 0) return;
    if (!board_.endpoint.network) {
      reading_.problem(d.where,
                       d.name() + " needs INT records, which only the switches of `softfeb lab` write",
                       "write another algorithm, or a lab whose switches have `int: on`");
    } else if (!board_.endpoint.cc_header) {
      reading_.problem(d.where, d.name() + " needs INT records, but the board sends no headers for them",
                       "write `cc_header: on` for the board and its receivers");
    }
  }

  bool needs_grants() const {
    return config::needs_grants(qp_.congestion ? *qp_.congestion : board_.congestion);
  }

  void check_payload() {
    const TrafficConfig& traffic = qp_.traffic;
    if (traffic.payload.kind == board::PayloadKind::kFile && traffic.message_size == 0) {
      traffic_problem("message_size", "zero-length messages never send the file", "write for example 64KiB");
    }
    if (traffic.rate.unit == Rate::Unit::kPayloadBytes && traffic.message_size == 0) {
      traffic_problem("rate", "zero-length messages have no payload rate", "write a rate in pps or msg/s");
    }
  }

  void check_region() {
    const auto region = region_length(config_, qp_);
    if (!region) return;
    const TrafficConfig& traffic = qp_.traffic;
    const std::string has = " bytes, but the memory region has " + std::to_string(*region);
    if (traffic.transfer) return check_transfer_region(*region * qp_.count);
    if (traffic.message_size > *region) {
      return traffic_problem(traffic.lengths ? "lengths" : "message_size",
                             "a message has " + std::to_string(traffic.message_size) + has,
                             "write smaller messages, or enlarge the receiver's `memory` (or `length`)");
    }
    if (const std::uint64_t needed = std::uint64_t{traffic.slots} * traffic.message_size; needed > *region) {
      return traffic_problem(
          "slots", "the slots need " + std::to_string(needed) + has,
          "write at most " + std::to_string(slots_in(*region, traffic.message_size)) + " slots");
    }
    check_out(*region);
  }

  void check_transfer_region(std::uint64_t region) {
    const TransferConfig& t = *qp_.traffic.transfer;
    const Uint128 needed = Uint128{qp_.traffic.slots} * t.segments() * t.segment_bytes();
    if (needed <= region) return;
    traffic_problem("transfer",
                    std::to_string(qp_.traffic.slots) + " transfers do not fit the " +
                        std::to_string(region) + " bytes of memory of their QPs",
                    "enlarge the receiver's `memory`, or write fewer `slots`");
  }

  /// If the receiver writes its memory to a file (`out`), checks that each message of the payload file has
  /// a slot of its own. Otherwise the last messages would overwrite the first ones.
  void check_out(std::uint64_t region) {
    const auto* to = std::get_if<ReceiverTarget>(&qp_.to);
    const auto messages = file_messages(qp_.traffic);
    if (to == nullptr || !messages) return;
    const std::uint64_t once = *messages / qp_.traffic.payload.repeat;
    if (once <= qp_.traffic.slots) return;
    for (const std::size_t r : to->receivers) {
      if (config_.receivers[r].out.empty()) continue;
      return traffic_problem(
          "payload",
          "the file does not fit the " + std::to_string(region) + " bytes from which it is written out",
          "enlarge the receiver's `memory`, or remove its `out` or the `slots`");
    }
  }

  void unreachable(std::string message, std::string fix) {
    reading_.problem(qp_.to_where, std::move(message), std::move(fix));
  }

  void check_receiver(const ReceiverConfig& receiver) {
    if (check_path(reading_, config_, board_.endpoint, receiver.endpoint, qp_.to_where))
      check_pmtu(receiver.endpoint);
    if (receiver.endpoint.cc_header) return;
    if (needs_grants() && board_.endpoint.cc_header) {
      return unreachable("receiver \"" + receiver.endpoint.name +
                             "\" sends no grants, because it has no congestion control headers",
                         "write `cc_header: on` for the receiver");
    }
    if (congestion_header_bytes(board_, qp_) == 0) return;
    unreachable("requests have a congestion control header, which receiver \"" + receiver.endpoint.name +
                    "\" does not accept",
                "write `cc_header: on` for the receiver");
  }

  /// Checks that a receiver that may be a standard NIC gets only packets that such a NIC understands.
  void check_standard() {
    if (needs_grants()) {
      return unreachable("the congestion control needs grants, which only softfeb's receivers send",
                         "write another algorithm, or send to a receiver of this run");
    }
    if (congestion_header_bytes(board_, qp_) == 0) return;
    unreachable("requests have a congestion control header, which a NIC does not accept",
                "write `cc_header: off` for the board");
  }

  void check_address(const AddressTarget& to) {
    if (!to.mac && !reachable(board_.endpoint, to.ip)) {
      unreachable(to_string(to.ip) + " is outside the board's prefix",
                  "give the board a `gateway`, or the receiver's `mac`");
    }
    if (std::uint64_t{to.qpn} + qp_.count - 1 > kMaxQpn) {
      unreachable("the last QPN of the receiver exceeds 24 bits", "use fewer QPs");
    }
  }

  void check_perftest() {
    if (!rc()) problem("transport", "ib_write_bw is supported only over RC", "write `transport: RC`");
    if (qp_.traffic.verb == roce::WrOpcode::kWriteImm) {
      traffic_problem("verb", "an ib_write_bw server posts no receives",
                      "write `verb: write`, and no `immediate`");
    }
  }

  Reading& reading_;
  const RunConfig& config_;
  const BoardConfig& board_;
  const QpConfig& qp_;
};

/// Checks that the QPNs of one board do not overlap, because received packets are demultiplexed by DestQP
/// only.
void check_qpns(Reading& reading, const RunConfig& config, const BoardConfig& board) {
  std::map<std::uint64_t, const QpConfig*> by_qpn;
  for (const QpConfig& qp : board.qps) {
    const auto [at, fresh] = by_qpn.emplace(qp.qpn, &qp);
    const auto next = std::next(at);
    const bool before =
        !fresh || (at != by_qpn.begin() && std::prev(at)->first + std::prev(at)->second->count > qp.qpn);
    if (before || (next != by_qpn.end() && std::uint64_t{qp.qpn} + qp.count > next->first)) {
      reading.problem(config.place(qp.where, "qpn"), "QPNs of this board overlap",
                      "leave `qpn` out, or leave room for `count`");
    }
  }
}

/// Checks that all QPs that get grants from the same receiver have the same congestion control parameters and
/// path MTU, because the receiver also uses these values.
class GrantChecker {
 public:
  explicit GrantChecker(const RunConfig& config) : config_(config) {}

  bool agrees(Reading& reading, const BoardConfig& board, const QpConfig& qp) {
    const CongestionConfig& d = qp.congestion ? *qp.congestion : board.congestion;
    const auto* to = std::get_if<ReceiverTarget>(&qp.to);
    if (!needs_grants(d) || to == nullptr) return true;
    for (const std::size_t r : to->receivers) {
      const auto [first, added] = first_.try_emplace(r, First{&d, &board, qp.pmtu});
      const First& f = first->second;
      if (added || (f.congestion->other.values == d.other.values && f.pmtu == qp.pmtu)) continue;
      reading.problem(d.where,
                      "receiver \"" + config_.receivers[r].endpoint.name +
                          "\" needs the same parameters and `pmtu` from all QPs, but those of \"" +
                          f.board->endpoint.name + "\" differ",
                      "write the same values, or use another receiver");
      return false;
    }
    return true;
  }

 private:
  struct First {
    const CongestionConfig* congestion;
    const BoardConfig* board;
    std::uint32_t pmtu;
  };

  const RunConfig& config_;
  std::map<std::size_t, First> first_;
};

}  // namespace

void check_perftest_servers(Reading& reading, const RunConfig& config) {
  std::map<PerftestTarget, std::string> users;  // names of boards
  for (const BoardConfig& board : config.boards) {
    for (const QpConfig& qp : board.qps) {
      const auto* to = std::get_if<PerftestTarget>(&qp.to);
      if (to == nullptr) continue;
      const auto [user, first] = users.try_emplace(*to, board.endpoint.name);
      if (first) continue;
      reading.problem(
          config.place(qp.where, "to"),
          "board \"" + user->second + "\" already uses this ib_write_bw server, which accepts one client",
          "start a server with a port of its own (-p) for each board and each entry of `qps`");
      return;
    }
  }
}

bool needs_grants(const CongestionConfig& d) {
  return d.algorithm == CongestionConfig::Algorithm::kOther &&
         (d.other.algorithm->needs() & congestion::kNeedsGrants) != 0;
}

void check_grants(Reading& reading, const RunConfig& config) {
  GrantChecker checker(config);
  for (const BoardConfig& board : config.boards) {
    for (const QpConfig& qp : board.qps) {
      // Report only the first problem, because the replicas of a board have the same problem.
      if (!checker.agrees(reading, board, qp)) return;
    }
  }
}

void check_qps(Reading& reading, const RunConfig& config, const BoardConfig& board) {
  check_qpns(reading, config, board);
  for (const QpConfig& qp : board.qps) {
    QpChecker(reading, config, board, qp).run();
    check_random_traffic(reading, config, qp);
    check_beamlets(reading, config, qp);
  }
}

}  // namespace softfeb::config
