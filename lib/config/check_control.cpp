// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/checks.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace softfeb::config {
namespace {

class ControlChecker {
 public:
  ControlChecker(Reading& reading, const RunConfig& config) : reading_(reading), config_(config) {}

  void check(const BoardConfig& board) {
    const ControlConfig& c = *board.control;
    if (!board.endpoint.ip.is_v4()) {
      problem(board.endpoint.where, "ip", "slow control requires a board with an IPv4 address",
              "give the board an IPv4 address, or remove its `control`");
    }
    if (!c.listen && !c.in_band) {
      problem(c.where, "listen", "the registers would be unreachable",
              "write an address, or `in_band: true`, or remove `control`");
    }
    if (c.registers_port == c.stream_port) {
      problem(c.where, "stream_port", "registers and stream use the same port", "use different ports");
    }
    if (c.window > c.send_queue) {
      problem(c.where, "window",
              "a send queue of " + std::to_string(c.send_queue) + " cannot fill a window of " +
                  std::to_string(c.window),
              "make `send_queue` at least as large");
    }
    if (c.listen) {
      claim(board, c.registers_port, "registers_port");
      claim(board, c.stream_port, "stream_port");
    }
    if (c.responder) {
      check_path(reading_, config_, board.endpoint, config_.receivers[*c.responder].endpoint,
                 config_.place(c.where, "responder"));
    }
  }

 private:
  struct Claim {
    const BoardConfig* board;
    Where where;
  };

  void problem(const Where& section, const char* key, std::string message, std::string fix) {
    reading_.problem(config_.place(section, key), std::move(message), std::move(fix));
  }

  void claim(const BoardConfig& board, std::uint16_t port, const char* key) {
    const IpAddress& ip = *board.control->listen;
    std::vector<Claim>& there = claims_[port];
    const auto taken = std::find_if(there.begin(), there.end(), [&](const Claim& c) {
      const IpAddress& other = *c.board->control->listen;
      return c.board != &board && (other == ip || is_any(other) || is_any(ip));
    });
    if (taken != there.end()) {
      problem(board.control->where, "listen",
              to_string(ip) + " UDP " + std::to_string(port) + " is already \"" +
                  taken->board->endpoint.name + "\"'s (line " + std::to_string(taken->where.line) + ')',
              "give every board its own `listen`, for example 127.0.0.2 (replicas count up by themselves)");
      return;
    }
    there.push_back({&board, config_.place(board.control->where, key)});
  }

  Reading& reading_;
  const RunConfig& config_;
  std::map<std::uint16_t, std::vector<Claim>> claims_;
};

}  // namespace

void check_controls(Reading& reading, const RunConfig& config) {
  ControlChecker checker(reading, config);
  for (const BoardConfig& board : config.boards) {
    if (board.control) checker.check(board);
  }
}

}  // namespace softfeb::config
