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

/// The far end of a net_null port's queue: notes which packets ask for an acknowledgement as they are given
/// to tx_burst, and lets the next rx_burst give them. A responder acknowledges each packet that asks, so that
/// is their real number. One queue, one thread.
class AckSource {
 public:
  /// Everything outlives it. The port is started, and takes every packet at once, as net_null does.
  AckSource(std::uint16_t port, std::uint16_t queue, const roce::Path& path_to_board, unsigned lcores,
            dataplane::Mempools& pools);
  ~AckSource();
  AckSource(const AckSource&) = delete;
  AckSource& operator=(const AckSource&) = delete;

  std::uint64_t acks() const { return first_; }

 private:
  struct Owed {
    roce::Qpn qpn;
    roce::Psn psn;
  };
  static constexpr std::size_t kRoom = 4096;  ///< a turn asks for a burst of them, and takes a burst

  void note(rte_mbuf* const* packets, std::uint16_t n);
  std::uint16_t give(rte_mbuf** packets, std::uint16_t n, std::uint16_t room);

  std::uint16_t port_;
  std::uint16_t queue_;
  AckWriter writer_;
  rte_mempool* pool_;
  std::vector<Owed> owed_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
  const rte_eth_rxtx_callback* tx_ = nullptr;
  const rte_eth_rxtx_callback* rx_ = nullptr;
};

}  // namespace softfeb::bench
