// SPDX-License-Identifier: BSD-3-Clause
// Boards write to receivers while an attacker sends hostile frames. The program is intended for
// AddressSanitizer and UndefinedBehaviorSanitizer, but also useful without them:
//   hostile_frames [FRAMES [SEED]]
// The seed determines the whole run. The exit code is 0 if the victims finished unaffected, every frame was
// counted, and every outcome in Met occurred (required only if FRAMES suffices for a whole round).
#include "forge.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace softfeb;
using namespace softfeb::fuzz;

namespace {

/// Messages per victim and round. Together, they consist of 512 packets, which are sent within 2.6 ms.
constexpr std::uint64_t kMessages = 128;
/// Hostile frames per round. At this number, about eight frames arrive per microsecond.
constexpr std::uint64_t kFramesPerRound = 20'000;
constexpr std::uint64_t kBatch = 8;

/// Counts the outcomes of the frames over all rounds. The test requires that each outcome occurs.
struct Met {
  std::uint64_t requests_taken = 0, messages = 0, duplicate = 0, gaps = 0, access = 0, invalid = 0, rnr = 0;
  std::uint64_t responses = 0, icrc = 0, unknown_qp = 0, wrong_peer = 0, bad_transport = 0, bad_cch = 0,
                other = 0;
  std::uint64_t grants = 0, resends = 0, busy = 0;
  std::uint64_t host = 0, pause = 0, control = 0, nobodys = 0, renewed = 0;

  void add(const World& w);
  bool all() const;
  void print() const;
};

void Met::add(const World& w) {
  for (const auto& p : w.pairs) {
    const roce::ResponderCounters r = p->responder_totals();
    requests_taken += r.packets;
    messages += r.messages;
    duplicate += r.duplicate;
    gaps += r.out_of_order;
    access += r.access_errors;
    invalid += r.invalid_requests;
    rnr += r.no_receive;
    responses += p->board->counters().rx_roce;
    renewed += p->renewed;
    const engine::ReceiverCounters& c = p->receiver->receiver_counters();
    grants += c.grant_tx;
    resends += c.resend_tx;
    busy += c.busy_rx;
    for (const engine::EndpointCounters& e : {p->board->counters(), p->receiver->counters()}) {
      icrc += e.rx_icrc_errors;
      unknown_qp += e.rx_unknown_qp;
      wrong_peer += e.rx_wrong_peer;
      bad_transport += e.rx_bad_transport;
      bad_cch += e.rx_bad_cch;
      other += e.rx_other;
      host += e.rx_host;
      pause += e.rx_pause;
      control += e.rx_control;
    }
  }
  nobodys += w.wire.unclaimed;
}

bool Met::all() const {
  for (const std::uint64_t n :
       {requests_taken, messages,   duplicate,  gaps,          access,  invalid, rnr,    responses,
        icrc,           unknown_qp, wrong_peer, bad_transport, bad_cch, other,   grants, resends,
        busy,           host,       pause,      control,       nobodys, renewed}) {
    if (n == 0) return false;
  }
  return true;
}

void Met::print() const {
  const auto n = [](std::uint64_t v) { return static_cast<unsigned long long>(v); };
  std::printf(
      "requests at targets %llu: messages %llu, duplicate %llu, gaps %llu, access %llu, invalid %llu, RNR "
      "%llu\n",
      n(requests_taken), n(messages), n(duplicate), n(gaps), n(access), n(invalid), n(rnr));
  std::printf("responses at QPs %llu; QPs made anew %llu\n", n(responses), n(renewed));
  std::printf(
      "refused: iCRC %llu, unknown QP %llu, wrong peer %llu, transport %llu, congestion control header %llu, "
      "other %llu, nobody's %llu\n",
      n(icrc), n(unknown_qp), n(wrong_peer), n(bad_transport), n(bad_cch), n(other), n(nobodys));
  std::printf("grants %llu, requests to resend %llu, BUSYs %llu\n", n(grants), n(resends), n(busy));
  std::printf("ARP and echo %llu, slow control %llu, pause %llu\n", n(host), n(control), n(pause));
}

/// Delivers a frame in one to three segments. Each segment ends at the end of its memory allocation, so that
/// sanitizers detect reads beyond the segment.
class Delivery {
 public:
  void operator()(World& world, ByteSpan frame, Rng& rng) {
    Segments s;
    for (std::size_t i = 0; i + 1 < parts_.size() && !frame.empty() && rng.below(8) == 0; ++i) {
      const std::size_t n = rng.below(frame.size() + 1);
      s.push(copy(i, frame.first(n)));
      frame = frame.subspan(n);
    }
    s.push(copy(parts_.size() - 1, frame));
    world.inject(s);
  }

 private:
  static constexpr std::size_t kRoom = 10'240;
  struct Part {
    std::unique_ptr<std::uint8_t[]> bytes = std::make_unique<std::uint8_t[]>(kRoom);
  };

  ByteSpan copy(std::size_t part, ByteSpan from) {
    std::uint8_t* const to = parts_[part].bytes.get() + kRoom - from.size();
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
    return {to, from.size()};
  }

  std::array<Part, 3> parts_;
};

/// Runs one network until `frames` frames have been delivered and the victims have finished. Returns false
/// if a check has failed.
bool round(Forge& forge, Delivery& deliver, std::uint64_t frames, Met& met) {
  World world(kMessages);
  while (frames != 0 || !world.victims_finished()) {
    for (std::uint64_t k = 0; k < kBatch && frames != 0; ++k, --frames)
      deliver(world, forge.make(world), forge.rng());
    world.step(kMicrosecond);
    if (world.now() > kSecond) break;  // judge() reports victims that have not finished
  }
  for (int k = 0; k < 10; ++k) world.step(kMicrosecond);
  met.add(world);
  const std::string wrong = world.judge();
  std::fputs(wrong.c_str(), stderr);
  return wrong.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t frames = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Forge forge(seed);
  Delivery deliver;
  Met met;
  bool good = true;
  for (std::uint64_t done = 0; done < frames && good; done += kFramesPerRound) {
    good = round(forge, deliver, std::min(kFramesPerRound, frames - done), met);
    if (!good)
      std::fprintf(stderr, "in the round from frame %llu of seed %llu\n",
                   static_cast<unsigned long long>(done), static_cast<unsigned long long>(seed));
  }
  met.print();
  if (good && frames >= kFramesPerRound && !met.all()) {
    std::fputs("some of this was never met: the test no longer tests it\n", stderr);
    good = false;
  }
  return good ? 0 : 1;
}
