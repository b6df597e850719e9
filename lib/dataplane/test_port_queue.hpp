// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "dataplane/mbuf_return.hpp"
#include "dataplane/tsc_clock.hpp"
#include "dataplane/tx_builder.hpp"
#include "engine/tx_frame.hpp"
#include "switchtest/test_port.hpp"

#include <array>
#include <cstdint>

struct rte_mbuf;

namespace softfeb::dataplane {

/// Counters of a test port since TestPortQueue::begin().
struct TestPortCounters {
  std::uint64_t rx_packets = 0;
  std::uint64_t rx_unreadable = 0;  ///< packets with more segments than Segments holds
  std::uint64_t tx_packets = 0;
  std::uint64_t refused = 0;     ///< packets that the transmit queue did not take at once; they are retried
  std::uint64_t no_buffers = 0;  ///< number of times that the builder had no buffer for a frame
};

/// Runs a test port of a switch test on queue 0 of a DPDK port. Passes received packets to the test port,
/// with the time at which they were seen, and sends the frames of the test port. Used by one thread at a
/// time; no allocation, no locks.
class TestPortQueue {
 public:
  /// Frames that wait only for the link are handed to the port this long before they leave. This is longer
  /// than an iteration of a busy loop, so that the link does not idle, and as short as possible, because
  /// these frames cannot be held back when a pause frame arrives.
  static constexpr Time kAhead = 20 * kMicrosecond;

  /// `builder` may be shared by the test ports of a thread. `zeros` contains at least as many zero bytes as
  /// the longest payload, so that packets can refer to these bytes instead of copying them. All arguments
  /// must outlive this object.
  TestPortQueue(std::uint16_t port, switchtest::TestPort& endpoint, TxBuilder& builder, ByteSpan zeros);
  ~TestPortQueue();
  TestPortQueue(const TestPortQueue&) = delete;
  TestPortQueue& operator=(const TestPortQueue&) = delete;

  /// Begins a trial: clears the counters.
  void begin() { counters_ = {}; }
  /// Ends a trial: drops frames that were not sent.
  void end();
  /// Runs one iteration. `now` is a time that was just read from `clock`.
  void run(Time now, const TscClock& clock);

  /// Receives packets without passing them on. Returns how many of these packets were sent by a test port.
  std::size_t discard();
  /// Sends a frame at once, outside trials. Returns false if that is not possible now.
  bool send(ByteSpan frame);

  const TestPortCounters& counters() const { return counters_; }
  /// Packets received and sent since the port was opened.
  std::uint64_t received() const { return received_; }
  std::uint64_t sent() const { return sent_; }

 private:
  static constexpr std::size_t kBurst = 64;

  void receive(const TscClock& clock);
  void transmit(Time now);
  bool offer_pending();
  void fill(Time now);
  void build();
  bool acquire();

  std::uint16_t port_;
  switchtest::TestPort& endpoint_;
  TxBuilder& builder_;
  ByteSpan zeros_;
  MbufReturn returned_;
  std::array<engine::TxFrame, kBurst> frames_{};
  std::array<rte_mbuf*, kBurst> buffers_{};
  std::size_t acquired_ = 0;  ///< number of allocated buffers, at the front of buffers_
  std::size_t filled_ = 0;    ///< number of frames that wait to be built, at the front of frames_
  std::array<rte_mbuf*, kBurst> pending_{};
  std::size_t pending_first_ = 0, pending_count_ = 0;
  TestPortCounters counters_;
  std::uint64_t received_ = 0, sent_ = 0;
};

}  // namespace softfeb::dataplane
