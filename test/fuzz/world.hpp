// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The network for hostile frames: boards that write to receivers, and an attacker. The attacker is the peer
/// of some queue pairs (targets) but not of others (victims).
namespace softfeb::fuzz {

/// Addresses and numbers known to the attacker.
struct Party {
  roce::MacAddress mac{};
  roce::IpAddress ip;
};

/// Number of victims: one RC and one UC queue pair. A board and its receiver have queue pairs with the same
/// indices. The peer of a board's victim is the receiver's victim with the same index, and vice versa. The
/// peer of a target is the attacker.
inline constexpr std::size_t kVictims = 2;
/// Number of targets: two RC queue pairs (the second has firmware timing and few receives) and one UC queue
/// pair.
inline constexpr std::size_t kTargets = 3;
inline constexpr std::size_t kQps = kVictims + kTargets;
constexpr bool is_uc(std::size_t qp) { return qp == 1 || qp == 4; }
inline constexpr roce::Qpn kBoardQpn = 0xa1b200;     ///< QPN of the board's first QP
inline constexpr roce::Qpn kReceiverQpn = 0xc3d400;  ///< QPN of the receiver's first QP
/// first QPN on the attacker; the targets' peers have QPNs from here on
inline constexpr roce::Qpn kAttackerQpn = 0x000900;

inline constexpr std::uint32_t kPmtu = 256;
inline constexpr std::uint64_t kRegionSize = 8192;  ///< bytes of each target's memory region
/// The region ends at the end of the address space, where sums of hostile numbers overflow.
inline constexpr std::uint64_t kHighRegion = 0 - kRegionSize;
inline constexpr std::uint64_t kLowRegion = 0x1000;
constexpr std::uint32_t target_rkey(std::size_t qp) { return 0x7000 + static_cast<std::uint32_t>(qp); }
constexpr std::uint64_t target_region(std::size_t qp) { return qp % 2 == 0 ? kLowRegion : kHighRegion; }

/// A board and its receiver in one address family; IPv6 uses a VLAN tag.
class Pair {
 public:
  Pair(bool v6, std::uint64_t messages);
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  bool v6;
  Party board_party, receiver_party, attacker;
  std::optional<roce::VlanTag> vlan;
  std::unique_ptr<engine::Board> board;
  std::unique_ptr<engine::Receiver> receiver;
  /// PSN of the last packet that each of the board's QPs sent.
  std::array<roce::Psn, kQps> last_psn{};

  /// Resets the targets that are in ERR, so that later frames reach targets that process them.
  void renew_targets(Time now);
  bool victims_finished() const;
  /// Describes problems with victims and counters; empty if there are none.
  std::string judge() const;

  std::uint64_t renewed = 0;
  /// Sum of the responder counters of all targets, including the counts from before their resets.
  roce::ResponderCounters responder_totals() const;

 private:
  engine::Identity identity(const Party& who) const;
  void add_send_qp(test::BoardBuilder& b, std::size_t i) const;
  void add_receive_qp(test::ReceiverBuilder& r, const engine::SendQpConfig& sender, std::size_t i);
  std::uint64_t packets_per_victim() const;
  bool memory_right(std::size_t i) const;
  void judge_sender(std::size_t i, std::string& out) const;
  void judge_receiver(std::size_t i, std::string& out) const;

  std::uint64_t messages_;
  test::FilledPayload payload_;
  std::array<std::vector<std::uint8_t>, kQps> memory_;
  std::vector<engine::SendQpConfig> send_qps_;
  std::vector<roce::ReceiveQp> fresh_;  ///< copies of the targets in their initial state
  roce::ResponderCounters ended_;
};

/// One or two pairs on one wire. Frames addressed to the attacker are inspected and discarded.
class World {
 public:
  /// Each victim sends `messages` messages. Makes one pair with IPv4 and, if `both`, one with IPv6.
  explicit World(std::uint64_t messages, bool both = true);

  test::Wire wire;
  std::vector<std::unique_ptr<Pair>> pairs;

  Time now() const { return wire.now; }
  /// Delivers a frame to the classifier and then to its endpoint.
  void inject(const Segments& frame) { wire.inject(frame); }
  /// Advances time: delivers frames that are due and collects those that the endpoints send.
  void step(Time by);
  bool victims_finished() const;
  std::string judge() const;

 private:
  bool carries(const engine::Endpoint& from, const engine::TxFrame& f);
};

}  // namespace softfeb::fuzz
