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
  bool multi_segments = false;    ///< Capabilities::multi_segments
  std::uint32_t frame_bytes = 0;  ///< longest frame, Ethernet to iCRC
  std::uint32_t descriptors = 1024;
  std::uint32_t held = 1024;  ///< packets built and not yet freed besides those in the descriptors: retry
                              ///< queue, the far end of a ring
  unsigned lcores = 1;
  std::uint32_t copy_below =
      256;  ///< shorter payloads are copied into the header's buffer: cheaper than two more mbufs
  int socket = -1;
};

struct TxBuilderCounters {
  std::uint64_t bytes = 0;     ///< of all frames built, padding not counted
  std::uint64_t external = 0;  ///< frames whose payload was attached
  std::uint64_t copied = 0;    ///< frames whose payload was copied
  std::uint64_t no_mbuf = 0;   ///< times a pool was empty; the frame stayed with the caller
  std::uint64_t too_long =
      0;  ///< frames longer than TxBuilderConfig::frame_bytes on a port without chains: sent cut off
};

/// Makes mbufs of the engine's frames, for one worker and one port.
///
/// Use: acquire() buffers, let the engine fill the first k frames, build() them, release() what is left. With
/// a port that takes chains: header mbuf → payload attached as external buffer → trailer mbuf; without: one
/// mbuf, payload copied. Payload outside the arena and short payloads are copied either way. Frames shorter
/// than 60 bytes are padded. No allocation but from the pools, nothing throws, after construction. The life
/// of the three mbufs: doc/dataplane.md.
class TxBuilder {
 public:
  using TxFrame = engine::TxFrame;

  /// `arena` may be null: then every payload is copied.
  TxBuilder(const TxBuilderConfig& config, const Arena* arena, Mempools& pools);

  /// Takes up to frames.size() header buffers, at once or not at all (half as many where pools run low); sets
  /// frames[i].header. Returns how many.
  unsigned acquire(std::span<TxFrame> frames, std::span<rte_mbuf*> mbufs);

  /// Completes mbufs[i] for frames[i] (acquired together, filled since). Returns how many, from the first on;
  /// the rest are untouched, to be built later or released.
  unsigned build(std::span<const TxFrame> frames, std::span<rte_mbuf*> mbufs);

  /// Gives back what was acquired and not built.
  static void release(std::span<rte_mbuf*> mbufs);

  const TxBuilderCounters& counters() const { return counters_; }

 private:
  bool attaches(const TxFrame& frame) const {
    return externals_ != nullptr && frame.payload_length > config_.copy_below &&
           arena_->contains(frame.payload, frame.payload_length);
  }
  std::uint32_t attach(const TxFrame& frame, rte_mbuf* head, rte_mbuf* payload, rte_mbuf* trailer) const;
  bool stock_up(unsigned frames);
  bool copy(const TxFrame& frame, rte_mbuf* head);
  void copy_whole(const TxFrame& frame, rte_mbuf* head);
  bool copy_chain(const TxFrame& frame, rte_mbuf* head);

  TxBuilderConfig config_;
  const Arena* arena_;
  std::uint32_t head_room_;  ///< bytes a header mbuf holds
  rte_mempool* heads_;
  rte_mempool* externals_;
  rte_mempool* trailers_;
  MbufStock payload_stock_;
  MbufStock trailer_stock_;
  TxBuilderCounters counters_;
};

}  // namespace softfeb::dataplane
