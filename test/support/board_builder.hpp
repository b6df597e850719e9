// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"

#include <cstdint>
#include <memory>

namespace softfeb::test {

inline constexpr roce::Qpn kSendQpn = 0x100;  ///< QPN of a board's first queue pair
/// QPN of the queue pair to which the board's first queue pair writes
inline constexpr roce::Qpn kReceiveQpn = 0x800;
inline constexpr std::uint64_t kRemoteAddress = 0x1000;
inline constexpr std::uint32_t kRkey = 0x55;

/// Returns the identity of station `n`. Its MAC address is 02:00:00:00:00:00 + n. Its IP address is 10.0.0.0
/// + n with prefix length 24 or, if `v6` is true, fd00::1:0 + n with prefix length 64.
engine::Identity identity(std::uint32_t n, bool v6 = false);

/// Returns the path from one station to another, with both MAC addresses and the VLAN of `from`.
roce::Path path(const engine::Identity& from, const engine::Identity& to);

/// Builds a board. Change `config` before build() to override the defaults.
class BoardBuilder {
 public:
  explicit BoardBuilder(const engine::Identity& identity) { config.identity = identity; }

  /// Adds a queue pair that sends the messages of `payload` to station `to` over RC, without pacing. It needs
  /// no address resolution. Queue pair i has QPN kSendQpn + i and writes to QPN kReceiveQpn + i. `payload`
  /// must outlive the board. The returned reference is valid until the next call.
  engine::SendQpConfig& qp(const engine::Identity& to, const board::PayloadSource& payload,
                           std::uint32_t pmtu = 1024);

  std::unique_ptr<engine::Board> build() const { return std::make_unique<engine::Board>(config); }

  engine::BoardConfig config;
};

/// Builds a receiver. Change `config` before build() to override the defaults.
class ReceiverBuilder {
 public:
  explicit ReceiverBuilder(const engine::Identity& identity) { config.identity = identity; }

  /// Adds a queue pair that receives from the queue pair `peer` and matches its transport, QPNs, PSN and path
  /// MTU. It grants packets if `peer` runs Homa. `memory` is the region to which `peer` writes; it must
  /// outlive the receiver. If `memory` is empty, there is no region. The returned reference is valid until
  /// the next call.
  engine::ReceiveQpSetup& qp(const engine::SendQpConfig& peer, MutableByteSpan memory = {});

  std::unique_ptr<engine::Receiver> build() const { return std::make_unique<engine::Receiver>(config); }

  engine::ReceiverConfig config;
};

/// Configures `qp` to number the arriving messages and to compare each with the message of `payload` that has
/// the same number. The sequence of messages of `payload` must have no end. `payload` must outlive the
/// receiver.
void expect_payload(engine::ReceiveQpSetup& qp, const board::PayloadSource& payload);

}  // namespace softfeb::test
