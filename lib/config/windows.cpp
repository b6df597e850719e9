// SPDX-License-Identifier: BSD-3-Clause
// Section `windows` of a receiver.
#include "config/checks.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"

#include <map>

namespace softfeb::config {
namespace {

/// Checks that every stream contributes one message to each window, and that these messages have the same
/// size.
class StreamChecker {
 public:
  StreamChecker(Reading& reading, const RunConfig& config) : reading_(reading), config_(config) {}

  void check(const BoardConfig& board) {
    for (const QpConfig& qp : board.qps) {
      const auto* to = std::get_if<ReceiverTarget>(&qp.to);
      if (to == nullptr) continue;
      for (const std::size_t r : to->receivers) {
        if (config_.receivers[r].windows) check(qp, r);
      }
    }
  }

  void check_used() {
    for (std::size_t r = 0; r < config_.receivers.size(); ++r) {
      const ReceiverConfig& receiver = config_.receivers[r];
      if (!receiver.windows || first_.contains(r)) continue;
      reading_.problem(receiver.windows->where,
                       "no queue pair sends to receiver \"" + receiver.endpoint.name + '"',
                       "name the receiver in a QP's `to`, or remove `windows`");
    }
  }

 private:
  void check(const QpConfig& qp, std::size_t r) {
    const TrafficConfig& traffic = qp.traffic;
    const auto problem = [&](const Where& section, const char* key, const char* what, std::string fix) {
      reading_.problem(config_.place(section, key),
                       "receiver \"" + config_.receivers[r].endpoint.name + "\" has windows, " + what,
                       std::move(fix));
    };
    if (qp.transport != roce::Transport::kUc)
      problem(qp.where, "transport", "which are made of UC streams", "write `transport: UC`");
    if (traffic.verb != roce::WrOpcode::kWriteImm ||
        traffic.immediate.kind != ImmediateConfig::Kind::kCounter) {
      problem(traffic.where, "immediate", "and needs immediates that number the messages",
              "write `verb: write_imm` and `immediate: counter`");
    }
    if (traffic.random() || traffic.payload.kind == board::PayloadKind::kFile || traffic.message_size == 0) {
      problem(traffic.where, "message_size", "whose messages have one size",
              "write a `message_size`, without `lengths`, `arrivals` or a file");
    }
    const std::uint32_t ring = config_.receivers[r].windows->ring;
    if (traffic.slots != ring)
      problem(traffic.where, "slots", "whose ring determines the slots",
              "remove `slots`, and set `windows.ring`");
    const auto [first, added] = first_.try_emplace(r, &traffic);
    if (!added && first->second->message_size != traffic.message_size) {
      problem(traffic.where, "message_size", "whose messages have one size",
              "write " + std::to_string(first->second->message_size) + "B, as for the other streams");
    }
  }

  Reading& reading_;
  const RunConfig& config_;
  std::map<std::size_t, const TrafficConfig*> first_;  ///< traffic of each receiver's first stream
};

}  // namespace

WindowsConfig read_windows(Section s) {
  WindowsConfig w;
  w.where = s.where();
  s.read("layout", w.layout, choices::kWindowLayout);
  s.read("ring", w.ring, integer(1, 65'536));
  s.read("depth", w.depth, integer(1, 65'536));
  s.read("max_jump", w.max_jump, integer(1, UINT64_C(0x7fffffff)));
  s.read("first_immediate", w.first_immediate, integer(0, UINT32_MAX));
  s.read("loss_limit", w.loss_limit, parse_probability);
  if (w.depth > w.ring) {
    s.reading().problem(
        s.given("depth") ? s.find("depth")->where : s.find("ring")->where,
        std::to_string(w.depth) + " windows cannot be open in a ring of " + std::to_string(w.ring),
        "make `depth` at most `ring`");
  }
  s.close();
  return w;
}

void check_windows(Reading& reading, const RunConfig& config) {
  StreamChecker checker(reading, config);
  for (const BoardConfig& board : config.boards) checker.check(board);
  checker.check_used();
}

}  // namespace softfeb::config
