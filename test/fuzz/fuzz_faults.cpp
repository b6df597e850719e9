// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: applies fault rules to arbitrary frames. The first bytes of the input make the rules. The rest
// are frames, whose headers are made valid if the input requests it. Neither a decision nor a change may
// access memory outside the frame, and an action that is refused must change nothing. Each packet must leave
// as often as the rules specify, whether or not memory is available, and no packet may leak.
#include "faults/edit.hpp"
#include "faults/rule_actions.hpp"
#include "input.hpp"
#include "roce/headers.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace softfeb;
using namespace softfeb::faults;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint32_t kRules = 6;
constexpr std::uint32_t kAddresses = 0x0a00'0001;

PacketSelector selector_from(Input& in, Direction direction) {
  PacketSelector on;
  on.direction = direction;
  const std::uint8_t keys = in.byte();
  const auto small = [&] { return static_cast<std::uint32_t>(in.size(8)); };
  if ((keys & 1) != 0) on.psn = PsnRange{(keys & 2) != 0, (0xff'fffc + small()) & roce::kPsnMask, small()};
  if ((keys & 4) != 0) on.packet = PositionRange{small(), 4 + small()};
  if ((keys & 8) != 0) on.every = 1 + small();
  if ((keys & 16) != 0) on.message = small();
  on.part = static_cast<MessagePart>(in.byte() % 4);
  if ((keys & 32) != 0) on.iteration = 1 + small();
  if ((keys & 64) != 0) on.round = 1 + small();
  if ((keys & 128) != 0) on.count = 1 + small();
  return on;
}

FaultAction action_from(Input& in) {
  FaultAction a;
  a.kind = static_cast<ActionKind>(in.byte() % (static_cast<unsigned>(ActionKind::kReplay) + 1));
  a.value = static_cast<std::uint32_t>(in.size(300));
  a.target = static_cast<CorruptTarget>(in.byte() % (static_cast<unsigned>(CorruptTarget::kUdpSport) + 1));
  a.offset = static_cast<std::uint32_t>(in.size(300));
  a.mask = 1 + in.byte();
  a.right_icrc = (in.byte() & 1) != 0;
  a.delay = 1 + in.size(8);
  a.old = {true, a.offset % 4, a.offset % 4};
  return a;
}

std::vector<FaultRule> rules_from(Input& in, Direction direction) {
  std::vector<FaultRule> rules;
  for (std::uint32_t r = 0; r < kRules; ++r) rules.push_back({selector_from(in, direction), action_from(in)});
  return rules;
}

FaultRules on_queue_pair(const std::vector<FaultRule>& rules, Direction direction) {
  const auto address = roce::IpAddress::from_v4(kAddresses);
  FaultQp qp{address, address, 1, 0xff'fffe, {}, direction};
  for (std::uint32_t r = 0; r < kRules; ++r) qp.rules.push_back(r);
  return {rules, {qp}};
}

/// Makes the headers of an IPv4 RoCE packet valid, with a small PSN and a known opcode.
void make_plausible(std::vector<std::uint8_t>& frame, Input& in) {
  constexpr std::uint8_t kOpcodes[] = {0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x11, 0x81};
  constexpr std::size_t kIp = 14, kUdp = 34, kBth = 42;
  if (frame.size() < kBth + roce::Bth::kSize) return;
  store_be16(&frame[12], roce::kEtherTypeIpv4);
  frame[kIp] = 0x45;
  if ((in.byte() & 1) != 0) store_be16(&frame[kIp + 2], static_cast<std::uint16_t>(frame.size() - kIp));
  frame[kIp + 9] = roce::kIpProtocolUdp;
  store_be32(&frame[kIp + 12], kAddresses);
  store_be32(&frame[kIp + 16], kAddresses);
  store_be16(&frame[kUdp + 2], roce::kRoceUdpPort);
  frame[kBth] = kOpcodes[in.byte() % 8];
  store_be24(&frame[kBth + 5], 1);
  store_be24(&frame[kBth + 9], (0xff'fffc + in.byte() % 8) & roce::kPsnMask);
}

/// Applies an action to a copy of a frame. The copy occupies memory of exactly its size, so that sanitizers
/// find wrong accesses.
void check_edit(const FaultAction& action, const std::vector<std::uint8_t>& frame, const RoceLocation& at) {
  const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[frame.size()]);
  std::copy(frame.begin(), frame.end(), bytes.get());
  const auto size = edit(action, {bytes.get(), frame.size()}, at);
  if (!size) return require(std::equal(frame.begin(), frame.end(), bytes.get()));
  require(*size <= frame.size() && *size >= roce::kEthernetSize);
  require((*size == frame.size()) == (action.kind != ActionKind::kTruncate || action.value == 0));
}

/// Stores each packet in memory of exactly its size.
class ExactPackets {
 public:
  struct Bytes {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t size = 0;
  };
  using Packet = Bytes*;

  /// `exist` is the number of packets that have not been freed; `limit` is the largest number allowed.
  std::size_t exist = 0, limit = 0;

  Packet make(ByteSpan bytes) {
    if (exist >= limit) return nullptr;
    ++exist;
    auto* const packet = new Bytes{std::make_unique<std::uint8_t[]>(bytes.size()), bytes.size()};
    std::copy(bytes.begin(), bytes.end(), packet->data.get());
    return packet;
  }
  Packet copy(const Bytes* packet) { return make({packet->data.get(), packet->size}); }
  static MutableByteSpan writable(Packet packet) { return {packet->data.get(), packet->size}; }
  static void edited(Packet packet, std::size_t size) {
    require(size >= roce::kEthernetSize && size <= packet->size);
    Bytes less{std::make_unique<std::uint8_t[]>(size), size};
    std::copy_n(packet->data.get(), size, less.data.get());
    *packet = std::move(less);
  }
  bool prepare_hold(const Bytes*) const { return exist < limit; }
  void release(Packet packet) {
    --exist;
    delete packet;
  }
};

struct FuzzExit {
  ExactPackets& packets;
  std::size_t places = 0;
  std::size_t forwarded = 0, dropped = 0, released = 0;

  bool room() const { return places != 0; }
  bool forward(ExactPackets::Packet packet) {
    ++forwarded;
    packets.release(packet);
    return forwarded % 4 != 0;
  }
  void drop(ExactPackets::Packet packet) {
    ++dropped;
    packets.release(packet);
  }
  void add_copy(ExactPackets::Packet packet) {
    require(places-- != 0);
    packets.release(packet);
  }
  void add_held(ExactPackets::Packet packet) {
    ++released;
    add_copy(packet);
  }
};

/// Turns the frames into packets and passes them through the rules.
class Traffic {
 public:
  Traffic(const std::vector<FaultRule>& rules, Direction direction, Input& in) {
    packets_.limit = 2 + in.size(16);
    places_ = in.size(8);
    const HoldLimits limits{static_cast<std::uint32_t>(1 + in.size(8)), 1 + in.size(8)};
    actions_ = std::make_unique<RuleActions<ExactPackets>>(packets_, on_queue_pair(rules, direction), limits);
  }
  ~Traffic() {
    actions_.reset();
    require(packets_.exist == 0);
  }

  void send(ByteSpan bytes, const RoceLocation& at) {
    exit_.places = places_;
    actions_->release_due(exit_, ++now_);
    const ExactPackets::Packet packet = packets_.make(bytes);
    if (packet == nullptr) return;
    const auto judged = actions_->judge(bytes, at);
    if (judged.qp == FaultRules::kNone) return packets_.release(packet);
    ++entered_;
    actions_->apply(packet, at, judged, exit_, now_);
    require(entered_ == exit_.forwarded + exit_.dropped + exit_.released + actions_->held());
    require((actions_->next_due() == kNever) == (actions_->held() == 0));
  }

 private:
  ExactPackets packets_;
  FuzzExit exit_{packets_};
  std::unique_ptr<RuleActions<ExactPackets>> actions_;
  std::size_t places_ = 0, entered_ = 0;
  Time now_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  Input in(data, size);
  const Direction direction = (in.byte() & 1) != 0 ? Direction::kRx : Direction::kTx;
  const std::vector<FaultRule> list = rules_from(in, direction);
  FaultRules rules = on_queue_pair(list, direction);
  Traffic traffic(list, direction, in);
  while (!in.empty()) {
    const bool plausible = in.byte() % 4 != 0;
    const std::size_t length = in.size(200);
    const ByteSpan bytes = in.bytes(length);
    std::vector<std::uint8_t> frame(bytes.begin(), bytes.end());
    if (plausible) make_plausible(frame, in);
    const auto at = locate_roce(frame);
    if (!at) continue;
    for (const RuleHit& hit : rules.judge(frame, *at).hits) {
      require(hit.rule < kRules && hit.state < rules.states());
      if (hit.keep) continue;
      rules.applied(hit.rule);
      const auto limit = rules.rule(hit.rule).on.count;
      require(!limit || rules.counters()[hit.rule].hits <= *limit);
      check_edit(rules.rule(hit.rule).action, frame, *at);
    }
    traffic.send(frame, *at);
  }
  return 0;
}
