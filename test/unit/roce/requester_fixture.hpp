// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/requester.hpp"

#include <vector>

namespace softfeb::test {

/// A requester with helper functions for tests. The test sets the time `now`.
struct RequesterFixture {
  explicit RequesterFixture(const roce::RequesterConfig& config) : q(config) {}

  static roce::WorkRequest write(std::uint64_t id, std::uint32_t length, bool signaled = true) {
    roce::WorkRequest r;
    r.id = id;
    r.signaled = signaled;
    r.remote_address = 0x10'0000 * id;
    r.rkey = 0xabcd;
    r.length = length;
    r.payload_offset = 0x1000'0000 * id;
    return r;
  }

  bool post(std::uint64_t id, std::uint32_t length, bool signaled = true) {
    return q.post(write(id, length, signaled), now);
  }

  /// Returns all packets that may leave now.
  std::vector<roce::RequestPacket> drain() {
    std::vector<roce::RequestPacket> out;
    while (q.ready(now)) out.push_back(q.next(now));
    return out;
  }
  std::vector<roce::Psn> drain_psns() {
    std::vector<roce::Psn> out;
    for (const auto& p : drain()) out.push_back(p.psn);
    return out;
  }

  void respond(std::uint8_t syndrome, roce::Psn psn) { q.on_response(roce::Aeth{syndrome, 0}, psn, now); }
  void ack(roce::Psn psn) { respond(roce::Aeth::ack(), psn); }
  void nak(roce::AethKind kind, roce::Psn psn) { respond(roce::Aeth::nak(kind), psn); }
  void sequence_nak(roce::Psn psn) { nak(roce::AethKind::kNakSequence, psn); }
  void rnr(std::uint8_t code, roce::Psn psn) { respond(roce::Aeth::rnr(code), psn); }

  /// Advances `now` to the deadline of the requester's timer, and lets the timer expire.
  void expire() {
    now = q.deadline();
    q.on_timer(now);
  }

  std::vector<roce::Completion> completions() {
    std::vector<roce::Completion> out;
    for (roce::Completion c; q.poll(c);) out.push_back(c);
    return out;
  }
  std::vector<std::uint64_t> completed_ids() {
    std::vector<std::uint64_t> out;
    for (const auto& c : completions()) out.push_back(c.id);
    return out;
  }

  roce::Requester q;
  Time now = kSecond;
};

/// The part of a completion that most tests check: its id and its status.
using IdStatus = std::pair<std::uint64_t, roce::WcStatus>;
inline std::vector<IdStatus> id_status(const std::vector<roce::Completion>& completions) {
  std::vector<IdStatus> out;
  for (const auto& c : completions) out.emplace_back(c.id, c.status);
  return out;
}

}  // namespace softfeb::test
