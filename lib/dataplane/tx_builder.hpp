// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/arena.hpp"
#include "dataplane/mbuf_stock.hpp"
#include "dataplane/mempools.hpp"
#include "engine/tx_frame.hpp"

#include <cstdint>
#include <span>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

struct TxBuilderConfig {
  bool multi_segments = false;    ///< build chains of mbufs; requires Capabilities::multi_segments
  std::uint32_t frame_bytes = 0;  ///< longest frame in bytes, Ethernet header to iCRC
  std::uint32_t descriptors = 1024;
  /// Maximum number of packets built and not yet freed, in addition to those in the descriptors. Such packets
  /// are in the retry queue, or at the far end of a ring.
  std::uint32_t held = 1024;
  unsigned lcores = 1;
  /// Payloads of up to this many bytes are copied to the header mbuf, because the copy costs less than two
  /// more mbufs.
  std::uint32_t copy_below = 256;
  int socket = -1;
};

struct TxBuilderCounters {
  std::uint64_t bytes = 0;     ///< total bytes of the frames built, without padding
  std::uint64_t external = 0;  ///< frames with the payload attached
  std::uint64_t copied = 0;    ///< frames with the payload copied
  /// Number of times a pool ran out; the caller keeps the frame that was not built.
  std::uint64_t no_mbuf = 0;
  /// Frames that were truncated, because they did not fit into one mbuf, and the port cannot send chained
  /// mbufs.
  std::uint64_t too_long = 0;
};

/// Builds mbufs from the engine's frames, for one worker and one port.
///
/// Usage: acquire() header buffers, let the engine fill the first k frames, build() them, and release() the
/// rest. On a port with chained mbufs, a frame is a header mbuf, the payload attached as an external buffer,
/// and a trailer mbuf. On other ports, a frame is one mbuf with a copy of the payload. Short payloads,
/// transient payloads, and payloads outside the arena are always copied. Frames shorter than 60 bytes are
/// padded. After construction, nothing throws and mbufs come only from the pools. doc/dataplane.md describes
/// the life cycle of the three mbufs.
class TxBuilder {
 public:
  using TxFrame = engine::TxFrame;

  /// `arena` may be null; every payload is then copied. A non-null arena must outlive this object.
  TxBuilder(const TxBuilderConfig& config, const Arena* arena, Mempools& pools);

  /// Allocates up to frames.size() header buffers and sets frames[i].header. When the pool runs low, retries
  /// with half as many buffers. Returns the number allocated.
  unsigned acquire(std::span<TxFrame> frames, std::span<rte_mbuf*> mbufs);

  /// Completes mbufs[i] from frames[i], which were acquired together. Returns the number built, counted from
  /// the first; the remaining ones are unchanged and can be built later or released.
  unsigned build(std::span<const TxFrame> frames, std::span<rte_mbuf*> mbufs);

  /// Frees buffers that were acquired but not built.
  static void release(std::span<rte_mbuf*> mbufs);

  const TxBuilderCounters& counters() const { return counters_; }

 private:
  bool attaches(const TxFrame& frame) const {
    return externals_ != nullptr && frame.payload_length > config_.copy_below && !frame.transient_payload &&
           arena_->contains(frame.payload, frame.payload_length);
  }
  std::uint32_t attach(const TxFrame& frame, rte_mbuf* head, rte_mbuf* payload, rte_mbuf* trailer) const;
  bool stock_up(unsigned frames);
  bool copy(const TxFrame& frame, rte_mbuf* head);
  void copy_whole(const TxFrame& frame, rte_mbuf* head);
  bool copy_chain(const TxFrame& frame, rte_mbuf* head);

  TxBuilderConfig config_;
  const Arena* arena_;
  std::uint32_t head_room_;  ///< capacity of a header mbuf in bytes
  rte_mempool* heads_;
  rte_mempool* externals_;
  rte_mempool* trailers_;
  MbufStock payload_stock_;
  MbufStock trailer_stock_;
  TxBuilderCounters counters_;
};

}  // namespace softfeb::dataplane
