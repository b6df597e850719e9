// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/part_checks.hpp"

#include "config/error.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::experiment {

namespace {

/// Collects all problems, so that a single error reports them together.
class PartProblems {
 public:
  explicit PartProblems(const config::LabConfig& config) : config_(config) {}

  void check() {
    for (const config::BoardConfig& board : config_.run.boards) check_board(board);
    for (const config::ReceiverConfig& receiver : config_.run.receivers) check_receiver(receiver);
    if (!config_.run.triggers.empty())
      add({"triggers", 0, ""}, "boards in several parts cannot share triggers");
    for (const fabric::SwitchConfig& sw : config_.network.switches)
      if (sw.forge.threshold != 0)
        add({"network.switches." + sw.name + ".forge", 0, ""},
            "the forged CNPs of a switch depend on a table of flows that parts do not share");
    for (const config::LabCheck& check : config_.lab.checks)
      if (check.name == "rate_tracking" || check.name == "sawtooth")
        add({"lab.checks." + check.name, 0, ""},
            "this check needs the rate changes of all boards in one process");
    if (!problems_.empty()) throw config::ConfigError(std::move(problems_));
  }

 private:
  void add(const config::Where& where, const std::string& what) {
    problems_.push_back({where, what + ", so the network must be simulated in one part",
                         "run softfeb without mpirun, or write `network.parts: 1`"});
  }

  void check_board(const config::BoardConfig& board) {
    const config::Where& where = board.endpoint.where;
    if (board.events) add(where, "the boards of an experiment with event data share their triggers");
    if (board.traffic_gen) add(where, "the results of a traffic generator remain in its process");
    if (board.control && board.control->responder)
      add(where, "the board changes its receiver directly when it creates queue pairs");
    for (const config::QpConfig& qp : board.qps)
      if (qp.traffic.transfer) add(qp.to_where, "the queue pairs of a transfer share their progress");
  }

  void check_receiver(const config::ReceiverConfig& receiver) {
    const config::Where& where = receiver.endpoint.where;
    if (receiver.windows) add(where, "the windows of a receiver remain in its process");
    if (receiver.streams) add(where, "the streams of a receiver remain in its process");
    if (receiver.any_order) add(where, "the table of packets in any order remains in its process");
  }

  const config::LabConfig& config_;
  std::vector<config::Problem> problems_;
};

}  // namespace

void check_parts(const config::LabConfig& config) { PartProblems(config).check(); }

}  // namespace softfeb::experiment
