// SPDX-License-Identifier: BSD-3-Clause
#include "config/checks.hpp"
#include "config/error.hpp"
#include "config/fault_match.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::config {
namespace {

std::uint32_t qps_of(const BoardConfig& board) {
  std::uint32_t n = 0;
  for (const QpConfig& qp : board.qps) n += qp.count;
  return n;
}

bool has_qpn(const BoardConfig& board, std::uint32_t qpn) {
  for (const QpConfig& qp : board.qps) {
    if (qpn >= qp.qpn && qpn - qp.qpn < qp.count) return true;
  }
  return false;
}

/// Checks that the queue pairs named in the fault rules of one port exist.
class FaultChecker {
 public:
  FaultChecker(Reading& reading, const RunConfig& config, std::size_t port)
      : reading_(reading), config_(config), port_(config.ports[port]) {
    for (const BoardConfig& board : config.boards) {
      if (!board.endpoint.network && board.endpoint.port == port) boards_.push_back(&board);
    }
  }

  void check(const FaultRuleConfig& rule) {
    if (boards_.empty()) return refuse_port(rule);
    if (rule.qp.kind == FaultQpRef::Kind::kIndex) check_index(rule);
    if (rule.qp.kind == FaultQpRef::Kind::kQpn) check_qpn(rule);
    check_match(rule);
    const bool delay = rule.rule.action.kind == faults::ActionKind::kDelay;
    if (delay && rule.rule.on.direction == faults::Direction::kTx && port_.pacing == Pacing::kTimestamp) {
      reading_.problem(rule.where, "packets with departure times cannot be delayed",
                       "use another `pacing` for this port");
    }
  }

 private:
  void refuse_port(const FaultRuleConfig& rule) {
    const bool lab = std::any_of(config_.boards.begin(), config_.boards.end(),
                                 [](const BoardConfig& board) { return board.endpoint.network.has_value(); });
    reading_.problem(rule.where, "port " + port_.name + " has no board",
                     lab ? "write the rule in `faults` of the board's link in `network.links`, with `qp: "
                           "BOARD/INDEX`"
                         : "move the rule to the port of the board whose packets it selects");
  }

  /// Reports the rule if no queue pair that it names has packets that fulfil the rule's conditions.
  void check_match(const FaultRuleConfig& rule) {
    std::optional<NoMatch> why;
    for (const BoardConfig* board : boards_) {
      std::uint32_t on_board = 0;
      for (const QpConfig& qp : board->qps) {
        for (std::uint32_t i = 0; i < qp.count; ++i) {
          if (!rule.qp.selects(*board, on_board++, qp.qpn + i)) continue;
          auto no = no_match(rule.rule.on, *board, qp);
          if (!no) return;
          if (!why) why = std::move(no);
        }
      }
    }
    if (why) reading_.problem(at(rule, why->key), why->message, why->fix);
  }

  Where at(const FaultRuleConfig& rule, const std::string& key) const {
    return config_.place(rule.where, "on." + key);
  }

  void check_index(const FaultRuleConfig& rule) {
    const FaultQpRef& qp = rule.qp;
    const BoardConfig* board = boards_.front();
    if (qp.board.empty() && boards_.size() != 1) {
      return reading_.problem(
          at(rule, "qp"), "port " + port_.name + " has " + std::to_string(boards_.size()) + " boards",
          "write BOARD/INDEX, for example " + board->endpoint.name + '/' + std::to_string(qp.index));
    }
    if (!qp.board.empty()) board = find(rule);
    if (board == nullptr) return;
    const std::uint32_t count = qps_of(*board);
    if (qp.index < count) return;
    reading_.problem(
        at(rule, "qp"), "board " + board->endpoint.name + " has no queue pair " + std::to_string(qp.index),
        count == 0
            ? "add `qps` to the board"
            : "it has " + std::to_string(count) + ": write an index from 0 to " + std::to_string(count - 1));
  }

  /// Returns the board that the rule names. If the port has no such board, reports a problem and returns
  /// null.
  const BoardConfig* find(const FaultRuleConfig& rule) {
    std::string names;
    for (const BoardConfig* board : boards_) {
      if (board->endpoint.name == rule.qp.board) return board;
      if (names.size() < 200) names += (names.empty() ? "" : ", ") + board->endpoint.name;
    }
    reading_.problem(at(rule, "qp"), "port " + port_.name + " has no board \"" + rule.qp.board + '"',
                     "boards of this port: " + names);
    return nullptr;
  }

  void check_qpn(const FaultRuleConfig& rule) {
    for (const BoardConfig* board : boards_) {
      if (has_qpn(*board, rule.qp.qpn)) return;
    }
    reading_.problem(
        at(rule, "qpn"),
        "no board of port " + port_.name + " has a queue pair with QPN " + std::to_string(rule.qp.qpn),
        "write a QPN from `boards[].qps[].qpn`, or use `qp` with an index");
  }

  Reading& reading_;
  const RunConfig& config_;
  const PortConfig& port_;
  std::vector<const BoardConfig*> boards_;
};

}  // namespace

void check_faults(Reading& reading, const RunConfig& config) {
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    FaultChecker checker(reading, config, p);
    for (const FaultRuleConfig& rule : config.ports[p].faults.rules) checker.check(rule);
  }
}

}  // namespace softfeb::config
