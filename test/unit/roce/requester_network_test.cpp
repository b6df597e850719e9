// SPDX-License-Identifier: BSD-3-Clause
// Tests properties of a requester on a network that loses, duplicates and reorders packets, for many seeds:
// every message arrives and completes once, in order; memory is correct; retransmissions equal the first
// transmission.
#include "faulty_link.hpp"
#include "model_receiver.hpp"
#include "roce/requester.hpp"

#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;

namespace {

constexpr Time kPacketTime = 100 * kNanosecond;

struct Trial {
  RequesterConfig config;
  LinkFaults out, back;
  std::uint64_t rnr = 0;
  unsigned messages = 60;
  std::uint64_t signaled = 0;  ///< probability that a request is signaled, times 2^32
  std::uint32_t longest = 0;
};

Trial random_trial(Rng& rng) {
  Trial t;
  RequesterConfig& c = t.config;
  c.pmtu = pmtu_bytes(static_cast<unsigned>(1 + rng.below(5)));
  c.initial_psn = rng.below(2) == 0 ? static_cast<Psn>(0x100'0000 - 1 - rng.below(100))
                                    : static_cast<Psn>(rng.below(kPsnMask));
  c.timeout = 4;
  c.retry_count = 7;
  c.rnr_retry = 7;
  c.window_requests = static_cast<std::uint32_t>(1 + rng.below(16));
  c.window_packets = rng.below(2) == 0 ? 0 : static_cast<std::uint32_t>(1 + rng.below(40));
  c.ack_every = static_cast<std::uint32_t>(rng.below(5));
  c.send_queue_depth = static_cast<std::uint32_t>(1 + rng.below(32));
  c.timing = rng.below(3) == 0 ? TimingProfile::kFirmware : TimingProfile::kStandard;
  c.sq_sig_all = rng.below(4) == 0;
  const auto faults = [&] {
    LinkFaults f;
    f.loss = percent(static_cast<unsigned>(rng.below(12)));
    f.duplication = percent(static_cast<unsigned>(rng.below(6)));
    f.delay = rng.below(2) == 0 ? 0 : percent(static_cast<unsigned>(rng.below(6)));
    return f;
  };
  t.out = faults();
  t.back = faults();
  t.rnr = rng.below(3) == 0 ? percent(10) : 0;
  t.signaled = percent(static_cast<unsigned>(rng.below(3)) * 50);
  t.longest = static_cast<std::uint32_t>(c.pmtu * (1 + rng.below(20)));
  return t;
}

class Simulation {
 public:
  Simulation(const Trial& trial, std::uint64_t seed)
      : trial_(trial),
        rng_(seed),
        q_(trial.config),
        out_(trial.out, seed + 1),
        back_(trial.back, seed + 2),
        receiver_(trial.config.initial_psn, 0, 0, 0) {
    std::uint64_t address = 0;
    for (unsigned i = 0; i < trial.messages; ++i) {
      WorkRequest r;
      r.id = i;
      r.opcode = rng_.below(2) == 0 ? WrOpcode::kWrite : WrOpcode::kWriteImm;
      r.signaled = rng_.chance(trial.signaled);
      r.remote_address = address;
      r.length = static_cast<std::uint32_t>(rng_.below(trial.longest + 1));
      r.immediate = i * 3;
      r.payload_offset = rng_.next() >> 8;
      address += r.length;
      requests_.push_back(r);
    }
    receiver_ = ModelReceiver(trial.config.initial_psn, address, trial.rnr, seed + 3);
  }

  void run() {
    std::uint64_t steps = 0;
    while (posted_ < requests_.size() || !q_.idle()) {
      REQUIRE(++steps < 2'000'000);
      step();
    }
    collect();
    check();
  }

 private:
  void step() {
    while (posted_ < requests_.size() && q_.can_post()) q_.post(requests_[posted_++], now_);
    if (q_.deadline() <= now_) q_.on_timer(now_);
    if (q_.ready(now_)) send(q_.next(now_));
    while (const auto p = out_.receive(now_)) {
      if (const auto answer = receiver_.receive(*p)) back_.send(*answer, now_);
    }
    while (const auto a = back_.receive(now_)) q_.on_response(a->aeth, a->psn, now_);
    collect();
    if (q_.ready(now_) || (posted_ < requests_.size() && q_.can_post())) {
      now_ += kPacketTime;
    } else {
      const Time next = std::min({q_.deadline(), out_.next_arrival(), back_.next_arrival()});
      if (!q_.idle()) REQUIRE(next != kNever);  // a requester that is not idle must wait for an event
      if (next != kNever) now_ = std::max(now_ + kPacketTime, next);
    }
  }

  void send(const RequestPacket& p) {
    std::vector<std::uint8_t> wire(kMaxTransportHeaders + 12);
    const std::size_t n = encode_request(p, 5, kDefaultPkey, wire.data());
    store_be64(&wire[n], p.payload_offset);
    store_be32(&wire[n + 8], p.payload_length);
    const auto [first, is_new] = first_.emplace(p.psn, wire);
    changed_ += first->second != wire || is_new == p.retransmission;
    out_.send(p, now_);
  }

  void collect() {
    for (Completion c; q_.poll(c);) completions_.push_back(c);
  }

  void check() {
    CHECK(changed_ == 0);
    CHECK(receiver_.violations() == 0);
    REQUIRE(receiver_.messages().size() == requests_.size());
    const bool all = q_.config().sq_sig_all && q_.config().timing == TimingProfile::kStandard;
    auto completion = completions_.begin();
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const WorkRequest& r = requests_[i];
      const auto& m = receiver_.messages()[i];
      wrong += m.length != r.length || m.address != r.remote_address;
      wrong += m.immediate.has_value() != (r.opcode == WrOpcode::kWriteImm) ||
               m.immediate.value_or(i * 3) != i * 3;
      for (std::uint32_t b = 0; b < r.length; ++b) {
        wrong += receiver_.memory()[r.remote_address + b] != stream_byte(r.payload_offset + b);
      }
      if (!r.signaled && !all) continue;
      REQUIRE(completion != completions_.end());
      wrong +=
          completion->id != i || completion->status != WcStatus::kSuccess || completion->length != r.length;
      ++completion;
    }
    CHECK(wrong == 0);
    CHECK(completion == completions_.end());
    CHECK(q_.counters().messages_completed == requests_.size());
    CHECK(q_.counters().packets - q_.counters().retransmitted_packets == first_.size());
  }

  Trial trial_;
  Rng rng_;
  Requester q_;
  FaultyLink<RequestPacket> out_;
  FaultyLink<ModelReceiver::Answer> back_;
  ModelReceiver receiver_;
  Time now_ = 0;
  std::size_t posted_ = 0;
  std::uint64_t changed_ = 0;
  std::vector<WorkRequest> requests_;
  std::vector<Completion> completions_;
  std::map<Psn, std::vector<std::uint8_t>> first_;
};

}  // namespace

TEST_CASE("requester: every message once and in order over a faulty network", "[requester]") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    Simulation(random_trial(rng), seed).run();
  }
}

TEST_CASE("requester: without a receiver every message ends with an error, in order", "[requester]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    RequesterConfig c = random_trial(rng).config;
    c.retry_count = static_cast<std::uint8_t>(rng.below(7));
    INFO("seed " << seed);
    Requester q(c);
    std::vector<Completion> done;
    unsigned posted = 0;
    for (Time now = 0; posted < 10 || !q.idle();) {
      while (posted < 10 && q.can_post()) {
        WorkRequest r;
        r.id = posted++;
        r.length = c.pmtu * 3;
        q.post(r, now);
      }
      while (q.ready(now)) q.next(now);
      if (!q.idle()) {
        REQUIRE(q.deadline() != kNever);
        now = q.deadline();
        q.on_timer(now);
      }
      for (Completion x; q.poll(x);) done.push_back(x);
    }
    for (Completion x; q.poll(x);) done.push_back(x);
    REQUIRE(done.size() == 10);
    for (std::size_t i = 0; i < done.size(); ++i) {
      CHECK(done[i].id == i);
      CHECK(done[i].status == (i == 0 ? WcStatus::kTimeoutsExceeded : WcStatus::kFlushed));
    }
    CHECK(q.counters().timeouts == c.retry_count + 1U);
  }
}
