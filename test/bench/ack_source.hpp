// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ack_writer.hpp"
#include "dataplane/mempools.hpp"

#include <cstdint>
#include <vector>

struct rte_mbuf;
struct rte_mempool;
struct rte_eth_rxtx_callback;

namespace softfeb::bench {

/// Notes which packets ask for an acknowledgement, and makes those acknowledgements. A responder acknowledges
/// each packet that asks, so that is their real number. One thread.
class Acknowledger {
 public:
  /// The pool is one of `pools`, which outlives it.
  Acknowledger(const roce::Path& path_to_board, unsigned lcores, dataplane::Mempools& pools);

  /// Packets of the board, BTH in the first segment's place for IPv4 without a VLAN tag.
  void note(rte_mbuf* const* packets, std::uint16_t n);
  /// Up to `room` frames that are owed, in order; the caller's from then on. Returns how many.
  std::uint16_t make(rte_mbuf** frames, std::uint16_t room);

  std::uint64_t made() const { return first_; }

 private:
  struct Owed {
    roce::Qpn qpn;
    roce::Psn psn;
  };
  static constexpr std::size_t kRoom = 4096;  ///< a turn asks for a burst of them, and takes a burst

  AckWriter writer_;
  rte_mempool* pool_;
  std::vector<Owed> owed_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

/// The far end of a net_null port's queue: sees packets as they are given to tx_burst, and lets the next
/// rx_burst give their acknowledgements. One queue, one thread.
class AckSource {
 public:
  /// Everything outlives it. The port is started, and takes every packet at once, as net_null does.
  AckSource(std::uint16_t port, std::uint16_t queue, const roce::Path& path_to_board, unsigned lcores,
            dataplane::Mempools& pools);
  ~AckSource();
  AckSource(const AckSource&) = delete;
  AckSource& operator=(const AckSource&) = delete;

  std::uint64_t acks() const { return acknowledger_.made(); }

 private:
  std::uint16_t port_;
  std::uint16_t queue_;
  Acknowledger acknowledger_;
  const rte_eth_rxtx_callback* tx_ = nullptr;
  const rte_eth_rxtx_callback* rx_ = nullptr;
};

}  // namespace softfeb::bench
