// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: fault rules on arbitrary frames. The first bytes make rules, the rest are frames, which begin
// as valid headers if the input says so. Neither the decision nor the change may read or write outside the
// frame, and an action that is refused changes nothing.
#include "faults/edit.hpp"
#include "faults/fault_rules.hpp"
#include "input.hpp"
#include "roce/headers.hpp"

#include <algorithm>
#include <memory>
#include <optional>
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
  return a;
}

FaultRules rules_from(Input& in) {
  const Direction direction = (in.byte() & 1) != 0 ? Direction::kRx : Direction::kTx;
  std::vector<FaultRule> rules;
  FaultQp qp{roce::IpAddress::from_v4(kAddresses), roce::IpAddress::from_v4(kAddresses), 1, 0xff'fffe, {}};
  for (std::uint32_t r = 0; r < kRules; ++r) {
    rules.push_back({selector_from(in, direction), action_from(in)});
    qp.rules.push_back(r);
  }
  return {direction, rules, {qp}};
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

/// Applies an action to a frame in memory of exactly its size, so that sanitizers find wrong accesses.
void check_edit(const FaultAction& action, const std::vector<std::uint8_t>& frame, const RoceLocation& at) {
  const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[frame.size()]);
  std::copy(frame.begin(), frame.end(), bytes.get());
  const auto size = edit(action, {bytes.get(), frame.size()}, at);
  if (!size) return require(std::equal(frame.begin(), frame.end(), bytes.get()));
  require(*size <= frame.size() && *size >= roce::kEthernetSize);
  require((*size == frame.size()) == (action.kind != ActionKind::kTruncate || action.value == 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  Input in(data, size);
  FaultRules rules = rules_from(in);
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
  }
  return 0;
}
