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

/// Records which packets request an acknowledgement, and builds these acknowledgements. A responder
/// acknowledges each such packet, so the number is realistic. Single-threaded.
class Acknowledger {
 public:
  /// The pool belongs to `pools`, which must outlive this object.
  Acknowledger(const roce::Path& path_to_board, unsigned lcores, dataplane::Mempools& pools);

  /// Packets of the board; the BTH is at its position for IPv4 without a VLAN tag.
  void note(rte_mbuf* const* packets, std::uint16_t n);
  /// Returns up to `room` pending frames, in order. The caller owns them.
  std::uint16_t make(rte_mbuf** frames, std::uint16_t room);

  std::uint64_t made() const { return first_; }

 private:
  struct Owed {
    roce::Qpn qpn;
    roce::Psn psn;
  };
  static constexpr std::size_t kRoom = 4096;  ///< an iteration records at most one burst and sends one burst

  AckWriter writer_;
  rte_mempool* pool_;
  std::vector<Owed> owed_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

/// The far end of a net_null queue: inspects packets passed to tx_burst, and returns their acknowledgements
/// from the next rx_burst. One queue, one thread.
class AckSource {
 public:
  /// All references must outlive this object. The port is started and, like net_null, accepts every packet at
  /// once.
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
