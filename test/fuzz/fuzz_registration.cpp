// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests receiver registration with arbitrary packets, most of which resemble those of real
// operations. A notification of an operation may be sent only when all its packets have been placed, and
// every packet must get exactly one verdict.
#include "input.hpp"
#include "roce/registration.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

using namespace softfeb;
using namespace softfeb::roce;
using fuzz::Input;
using fuzz::require;

namespace {

using Key = std::pair<std::uint32_t, std::uint32_t>;
using Verdict = RegistrationVerdict;

constexpr std::uint32_t kPacket = 64;

/// Stores for each operation the set of addresses at which packets were placed.
class Follower : public RegistrationObserver {
 public:
  void registered(Time at, const RegistrationEntry& e, std::span<const std::uint64_t>) override {
    pass(at);
    require(open.emplace(Key{e.source, e.op}, Operation{e.count, {}}).second);
  }
  void abandoned(Time at, const RegistrationEntry& e, std::span<const std::uint64_t>) override {
    pass(at);
    require(open.erase({e.source, e.op}) == 1);
  }
  void settled(Time at, Verdict v, const RegistrationPacket& p) override {
    pass(at);
    require(v != Verdict::kEscaped);
    ++count;
    if (v != Verdict::kPlaced) return;
    const auto found = open.find({p.source, p.op});
    require(found != open.end() && found->second.placed.insert(p.address).second);
    if (found->second.placed.size() == found->second.count) {
      open.erase(found);
      ++complete;
    }
  }
  void pass(Time at) {
    require(at >= now);
    now = at;
  }

  struct Operation {
    std::uint32_t count;
    std::set<std::uint64_t> placed;
  };
  std::map<Key, Operation> open;
  std::uint64_t count = 0, complete = 0;
  Time now = 0;
};

RegistrationPacket packet_from(Input& in, bool open_length) {
  const std::uint8_t what = in.byte();
  const std::uint8_t name = in.byte();
  RegistrationPacket p;
  p.type = static_cast<RegistrationPacket::Type>(what % 8 == 7 ? 2 : what % 4 != 0);
  p.source = name % 4;
  p.op = name / 4 % 8;
  const std::uint32_t count = 1 + (name / 4 + 3 * p.source) % 7;
  const std::uint32_t last = open_length ? kPacket : 1 + name % kPacket;
  const std::uint64_t base = (name & 0x80) != 0 ? UINT64_MAX - 150 : 0x1000 * (name / 16);
  const std::uint32_t k = p.type == RegistrationPacket::Type::kFirst ? 0 : in.byte() % (count + 1);
  p.address = base + k * kPacket;
  p.length = k + 1 == count ? last : kPacket;
  p.count = count;
  p.bytes = (count - 1) * kPacket + last;
  if (p.type == RegistrationPacket::Type::kFirst) p.length = std::min<std::uint64_t>(kPacket, p.bytes);
  if (what < 0xe0) return p;
  const std::uint64_t wrong = in.size(0x10000) * 0x0101010101010101ULL;
  switch (what % 5) {
    case 0:
      p.address = wrong;
      break;
    case 1:
      p.length = wrong % 100;
      break;
    case 2:
      p.count = wrong;
      break;
    case 3:
      p.bytes = wrong;
      break;
    default:
      p.op = static_cast<std::uint32_t>(wrong);
  }
  return p;
}

void check(const Registration& table, const Follower& follower) {
  const RegistrationConfig& c = table.config();
  const RegistrationCounters& n = table.counters();
  require(table.open() <= c.entries && table.waiting() <= c.escape && table.open() == follower.open.size());
  require(n.packets == follower.count + table.waiting());
  require(n.registered == n.complete + n.abandoned + table.open() && n.complete == follower.complete);
  for (std::size_t a = 0; a < table.open(); ++a) {
    const RegistrationEntry& e = table.entry(a);
    std::uint64_t ones = 0;
    for (const std::uint64_t word : table.mask(a)) ones += static_cast<std::uint64_t>(std::popcount(word));
    require(e.left != 0 && ones == c.mask_bits - e.left);
    for (std::size_t b = 0; b < a; ++b) require(!e.overlaps(table.entry(b).address, table.entry(b).bytes));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  RegistrationConfig config;
  config.packet = kPacket;
  config.mask_bits = 1 + in.byte() % 130;
  config.entries = 1 + in.byte() % 4;
  config.escape = in.byte() % 5;
  config.escape_timeout = in.byte();
  config.entry_timeout = in.byte();
  config.remember = in.byte() % 5;
  config.notifications = in.byte() % 4;
  config.open_length = (in.byte() & 1) != 0;
  Follower follower;
  Registration table(config, &follower);
  Time now = 0;
  while (!in.empty()) {
    now += in.byte() % 32;
    const Verdict verdict = table.packet(now, packet_from(in, config.open_length));
    require(verdict != Verdict::kEscapeTimeout && table.next_event() >= now);
    check(table, follower);
    if (now % 3 == 0) table.poll();
  }
  table.advance(now + 1000);
  check(table, follower);
  require(table.waiting() == 0);
  return 0;
}
