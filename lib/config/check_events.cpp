// SPDX-License-Identifier: BSD-3-Clause
// Checks event data of boards against the receivers that build events from them.
#include "config/address.hpp"
#include "config/checks.hpp"
#include "config/draft.hpp"
#include "detector/builder_layout.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::config {
namespace {

constexpr std::uint64_t kMostEventMemory = std::uint64_t{64} << 30;
constexpr std::uint32_t kMostPieces = 16'384;  ///< maximum number of pieces in a board's FIFO

class EventChecker {
 public:
  EventChecker(Reading& reading, const RunConfig& config) : reading_(reading), config_(config) {}

  void run() {
    for (const BoardConfig& board : config_.boards) {
      if (!board.events) continue;
      for (const SinkTarget& sink : board.events->builders.sinks) first_of_sink_.emplace(sink, &board);
    }
    for (const BoardConfig& board : config_.boards) {
      if (!board.events) {
        check_ordinary(board);
        continue;
      }
      check_board(board);
      check_builders(board);
    }
    for (const ReceiverConfig& receiver : config_.receivers) {
      if (receiver.events) check_receiver(receiver);
    }
  }

 private:
  void problem(const Where& section, const char* key, std::string message, std::string fix) {
    reading_.problem(config_.place(section, key), std::move(message), std::move(fix));
  }

  /// Checks that no queue pair of a board without event data writes to the memory of an event builder.
  void check_ordinary(const BoardConfig& board) {
    for (const QpConfig& qp : board.qps) {
      const auto refuse = [&](const std::string& builder) {
        reading_.problem(qp.to_where, builder + " builds events, but the QP has none",
                         "give the board `events`, or name another receiver");
      };
      const auto* sink = std::get_if<SinkTarget>(&qp.to);
      if (sink != nullptr && first_of_sink_.contains(*sink)) refuse(qp.to_text);
      const auto* to = std::get_if<ReceiverTarget>(&qp.to);
      if (to == nullptr) continue;
      for (const std::size_t r : to->receivers) {
        if (config_.receivers[r].events) refuse("receiver \"" + config_.receivers[r].endpoint.name + '"');
      }
    }
  }

  void check_board(const BoardConfig& board) {
    const BoardEventsConfig& e = *board.events;
    if (board.start != 0 || board.stop) {
      problem(board.where, board.stop ? "stop" : "start", "the boards of a detector run together",
              "remove it, or `events`");
    }
    if (board.control)
      problem(board.where, "control", "a board with `events` has no slow control", "remove one of them");
    const detector::EventLayout layout = e.layout();
    if (layout.memory() > kMostEventMemory) {
      problem(e.where, "slots",
              "the events of " + std::to_string(e.boards) + " boards take " +
                  std::to_string(layout.memory() >> 30) + " GiB of memory",
              "use fewer slots, or a smaller `slot`");
    }
    if (std::uint64_t{layout.pieces_of(layout.largest())} * e.fifo > kMostPieces) {
      problem(e.where, "piece",
              "the fragments of the FIFO have more than " + std::to_string(kMostPieces) + " pieces",
              "use larger pieces, a smaller `slot`, or a smaller `fifo`");
    }
    if (layout.boards > 65'535)
      problem(e.where, "to", "more than 65535 boards send to one builder", "use fewer boards");
    if (!e.builders.sinks.empty()) check_sink_limits(e);
  }

  void check_sink_limits(const BoardEventsConfig& e) {
    const auto limit = [&](const char* key, std::uint64_t bytes) {
      if (bytes <= detector::kLargestSinkSlot) return;
      problem(e.where, key, std::to_string(bytes) + " bytes are too many for rdma-sink",
              "write at most " + std::to_string(detector::kLargestSinkSlot >> 20) + "MiB");
    };
    limit("slot", e.slot);
    limit("piece", e.piece);
  }

  /// Checks that all boards that send to a builder agree on the layout of events.
  void check_builders(const BoardConfig& board) {
    const BoardEventsConfig& e = *board.events;
    for (const SinkTarget& sink : e.builders.sinks) {
      check_alike(e, *first_of_sink_.at(sink));
      check_session(board, *first_of_sink_.at(sink));
    }
    for (const std::size_t r : e.builders.receivers) {
      const ReceiverConfig& receiver = config_.receivers[r];
      if (!receiver.events || !receiver.events->first_board) {
        problem(e.where, "to", "receiver \"" + receiver.endpoint.name + "\" does not build events",
                "give the receiver a section `events`");
        continue;
      }
      check_alike(e, config_.boards[*receiver.events->first_board]);
    }
  }

  /// Checks that `e` has the same layout and the same payload as `first`, which sends to the same builder.
  void check_alike(const BoardEventsConfig& e, const BoardConfig& first) {
    const BoardEventsConfig& f = *first.events;
    const std::pair<const char*, bool> alike[] = {
        {"to", e.builders == f.builders},
        {"trigger", e.trigger == f.trigger},
        {"slots", e.slots == f.slots},
        {"slot", e.slot == f.slot},
        {"piece", e.piece == f.piece},
        {"kind", e.kind == f.kind},
        {"channels", e.channels == f.channels},
        {"samples", e.samples == f.samples},
        {"images", e.images == f.images},
        {"file", e.file == f.file},
        {"suppress",
         e.suppression.threshold == f.suppression.threshold && e.suppression.margin == f.suppression.margin},
        {"size", e.sizes.min == f.sizes.min && e.sizes.max == f.sizes.max && e.sizes.shape == f.sizes.shape &&
                     e.sizes.seed == f.sizes.seed},
        {"busy", e.veto == f.veto},
        {"busy_delay", e.busy_delay == f.busy_delay}};
    for (const auto& [key, same] : alike) {
      if (!same) {
        problem(e.where, key,
                "differs from that of \"" + first.endpoint.name + "\", which sends to the same builder",
                "write the same for all boards of a builder");
      }
    }
  }

  /// Checks that the queue pairs of `board` and `first` can be in the same session of an rdma-sink.
  void check_session(const BoardConfig& board, const BoardConfig& first) {
    const auto differs = [&](const Where& section, const char* key) {
      problem(section, key,
              "differs from that of \"" + first.endpoint.name + "\", which sends to the same rdma-sink",
              "write the same for all boards of an rdma-sink");
    };
    if (board.events->transport != first.events->transport) differs(board.events->where, "transport");
    if (board.qps.front().pmtu != first.qps.front().pmtu) differs(board.events->where, "pmtu");
    if (board.endpoint.ip.is_v4() == first.endpoint.ip.is_v4()) return;
    problem(board.where, "ip",
            "is of another IP version than that of \"" + first.endpoint.name +
                "\", which sends to the same rdma-sink",
            "give all boards of an rdma-sink addresses of the same version");
  }

  void check_receiver(const ReceiverConfig& receiver) {
    const ReceiverEventsConfig& e = *receiver.events;
    if (receiver.windows)
      problem(receiver.where, "windows", "an event builder has no windows", "remove `windows` or `events`");
    if (receiver.receives != UINT64_MAX) {
      problem(receiver.where, "receives", "an event builder never runs out of receive requests", "remove it");
    }
    if (!e.first_board) {
      return problem(e.where, "boards", "no board sends event data to this receiver",
                     "name the receiver in `to` of a board's `events`, or remove `events`");
    }
    for (const std::string& name : e.board_names) {
      if (sends(name, receiver)) continue;
      problem(e.where, "boards", "\"" + name + "\" sends no event data to this receiver",
              "name boards whose `events` have this receiver in `to`, or remove `boards`");
    }
  }

  /// True if the board with this name, or one of its replicas, sends to the receiver.
  bool sends(const std::string& name, const ReceiverConfig& receiver) const {
    return std::any_of(config_.boards.begin(), config_.boards.end(), [&](const BoardConfig& b) {
      const std::string& own = b.endpoint.name;
      const bool named =
          own == name || (own.starts_with(name + '-') &&
                          own.find_first_not_of("0123456789", name.size() + 1) == std::string::npos);
      return named && b.events &&
             std::any_of(b.events->builders.receivers.begin(), b.events->builders.receivers.end(),
                         [&](std::size_t r) { return &config_.receivers[r] == &receiver; });
    });
  }

  Reading& reading_;
  const RunConfig& config_;
  /// For each rdma-sink, the first board that sends events to it.
  std::map<SinkTarget, const BoardConfig*> first_of_sink_;
};

}  // namespace

void check_events(Reading& reading, const RunConfig& config) { EventChecker(reading, config).run(); }

void number_event_boards(RunConfig& config) {
  std::map<EventBuilders, std::uint32_t> sending;
  std::vector<std::uint32_t> triggered(config.triggers.size(), 0);
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    if (!config.boards[b].events) continue;
    BoardEventsConfig& e = *config.boards[b].events;
    e.board = sending[e.builders]++;
    e.on_trigger = triggered[e.trigger]++;
    for (std::uint32_t i = 0; i < e.builders.receivers.size(); ++i) {
      auto& builder = config.receivers[e.builders.receivers[i]].events;
      if (!builder || builder->first_board) continue;
      builder->first_board = b;
      builder->builder = i;
    }
  }
  for (BoardConfig& board : config.boards) {
    if (board.events) board.events->boards = sending[board.events->builders];
  }
  for (ReceiverConfig& receiver : config.receivers) {
    if (receiver.events && receiver.events->first_board)
      receiver.memory = config.boards[*receiver.events->first_board].events->layout().memory();
  }
}

}  // namespace softfeb::config
