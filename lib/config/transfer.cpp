// SPDX-License-Identifier: BSD-3-Clause
// Keys `transfer`, `segment`, `threshold`, `registered` and `notify` of a QP's traffic, and section
// `registration` of a receiver.
#include "config/checks.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "roce/transfer_immediate.hpp"

#include <algorithm>
#include <map>

namespace softfeb::config {
namespace {

void refuse_without_transfer(Section& s) {
  for (const char* key : {"segment", "threshold", "registered", "notify"}) {
    if (!s.given(key)) continue;
    s.reading().problem(s.find(key)->where, "only transfers have it", "add `transfer: SIZE`, or remove it");
  }
}

void refuse_with_transfer(Section& s) {
  for (const char* key : {"message_size", "verb", "immediate", "lengths", "arrivals"}) {
    if (!s.given(key)) continue;
    s.reading().problem(s.find(key)->where, "`transfer` determines the messages",
                        "remove it, or remove `transfer`");
  }
}

/// Checks that all QPs that send transfers to the same receiver use the same segment size.
class TransferChecker {
 public:
  TransferChecker(Reading& reading, const RunConfig& config) : reading_(reading), config_(config) {}

  void check(const QpConfig& qp) {
    const TransferConfig& t = *qp.traffic.transfer;
    const auto* to = std::get_if<ReceiverTarget>(&qp.to);
    const bool sink = std::holds_alternative<SinkTarget>(qp.to);
    if (!sink && (to == nullptr || to->receivers.size() != 1)) {
      reading_.problem(qp.to_where, "a transfer needs one receiver of this file, or an rdma-sink",
                       "name a receiver without `count`, or write sink://HOST, or remove `transfer`");
      return;
    }
    if (qp.count > 1 && t.bytes % t.segment_bytes() != 0) {
      problem(qp, "segment", "segments that several QPs send must have one size",
              "write a `segment` that divides `transfer`, or `count: 1`");
    }
    if (sink) {
      if (!t.registered)
        problem(qp, "transfer", "rdma-sink needs registered transfers", "write `registered: true`");
      return;
    }
    if (t.notify_sender) check_sender(qp);
    const ReceiverConfig& receiver = config_.receivers[to->receivers[0]];
    if (receiver.windows) problem(qp, "transfer", "the receiver has windows", "use another receiver");
    if (!receiver.out.empty())
      problem(qp, "transfer", "the receiver writes its memory to a file", "remove its `out`");
    if (t.registered) check_registered(qp, t, receiver, to->receivers[0]);
  }

 private:
  void problem(const QpConfig& qp, const char* key, std::string what, std::string fix) {
    reading_.problem(config_.place(qp.traffic.where, key), std::move(what), std::move(fix));
  }

  void check_sender(const QpConfig& qp) {
    if (qp.transport != roce::Transport::kRc || qp.count != 1)
      problem(qp, "notify", "the notification follows an acknowledgement",
              "write `transport: RC` and `count: 1`");
    if (qp.window != 1) {
      reading_.problem(config_.place(qp.where, "window"),
                       "the notification must wait for the acknowledgement", "write `window: 1`");
    }
  }

  void check_registered(const QpConfig& qp, const TransferConfig& t, const ReceiverConfig& receiver,
                        std::size_t index) {
    if (t.segments() > receiver.registration.mask_bits) {
      problem(qp, "segment",
              std::to_string(t.segments()) + " segments exceed the " +
                  std::to_string(receiver.registration.mask_bits) + " bits of the receiver's masks",
              "use larger segments, or larger `registration.mask_bits` (up to 1024)");
    }
    const auto [first, added] = first_.try_emplace(index, t.segment_bytes());
    if (!added && first->second != t.segment_bytes()) {
      problem(qp, "segment", "the receiver's table has packets of one size",
              "write " + std::to_string(first->second) + "B, as for the other QPs");
    }
  }

  Reading& reading_;
  const RunConfig& config_;
  std::map<std::size_t, std::uint32_t> first_;  ///< segment size per receiver
};

}  // namespace

std::uint32_t TransferConfig::segment_bytes() const {
  return static_cast<std::uint32_t>(
      notify_sender || bytes <= threshold ? bytes : std::min<std::uint64_t>(segment, bytes));
}

std::uint64_t TransferConfig::segments() const { return (bytes - 1) / segment_bytes() + 1; }

void read_transfer(Section& s, TrafficConfig& traffic) {
  if (!s.given("transfer")) return refuse_without_transfer(s);
  refuse_with_transfer(s);
  TransferConfig t;
  const bool valid = s.read("transfer", t.bytes, size_in(1, roce::kMaxMessage, "the size of a transfer"));
  s.read("segment", t.segment, size_in(1, roce::kMaxMessage, "the size of a segment"));
  t.threshold = t.segment;
  s.read("threshold", t.threshold, parse_size);
  s.read("registered", t.registered, parse_bool);
  s.read("notify", t.notify_sender, choices::kNotify);
  if (t.notify_sender && s.given("registered") && t.registered) {
    s.reading().problem(s.find("registered")->where, "the sender notifies instead of the receiver",
                        "write `notify: receiver`, or remove `registered`");
  }
  if (t.notify_sender) t.registered = false;
  if (traffic.payload.kind == board::PayloadKind::kFile)
    s.reading().problem(traffic.payload.where, "a file is not sent in transfers", "write `payload: counter`");
  if (!valid) return;
  traffic.message_size = t.segment_bytes();
  traffic.verb = t.registered ? roce::WrOpcode::kWriteImm : roce::WrOpcode::kWrite;
  if (t.segments() > roce::TransferImmediate::kMostSegments) {
    s.reading().problem(s.find("transfer")->where,
                        "a transfer of " + std::to_string(t.segments()) + " segments",
                        "use larger segments, at most 1024 per transfer");
  }
  traffic.transfer = t;
}

RegistrationSettings read_registration(Section s) {
  RegistrationSettings r;
  r.where = s.where();
  s.read("mask_bits", r.mask_bits, integer(1, roce::TransferImmediate::kMostSegments));
  s.read("entries", r.entries, integer(1, 1024));
  s.read("escape", r.escape, integer(0, 4096));
  s.read("escape_timeout", r.escape_timeout, parse_time);
  s.read("entry_timeout", r.entry_timeout, parse_time);
  s.read("remember", r.remember, integer(0, 1024));
  s.close();
  return r;
}

void check_transfers(Reading& reading, const RunConfig& config) {
  TransferChecker checker(reading, config);
  for (const BoardConfig& board : config.boards) {
    for (const QpConfig& qp : board.qps) {
      if (qp.traffic.transfer) checker.check(qp);
    }
  }
}

}  // namespace softfeb::config
