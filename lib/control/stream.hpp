// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "control/frame_sender.hpp"
#include "control/packetizer.hpp"
#include "control/rssi.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/// Frames of stream data over an RSSI link (UDP 8193 of the board).
namespace softfeb::control {

/// Where the frames of a board come from, a piece at a time, so that they may be of any length.
class FrameSource {
 public:
  struct Part {
    std::size_t bytes = 0;  ///< 1…out.size(); a multiple of 8 unless `last`
    bool last = false;      ///< ends the frame
  };

  virtual ~FrameSource() = default;
  /// Whether fill() has something to give. When it turns true by itself, somebody calls StreamServer::pump().
  virtual bool ready(Time now) = 0;
  /// The next bytes of the frame. `out` has a multiple of 8 bytes.
  virtual Part fill(MutableByteSpan out, Time now) = 0;
  /// The connection closed, and what fill() gave of an unfinished frame is lost with it.
  virtual void abandon(Time now) = 0;
};

struct StreamCounters {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;  ///< of these frames
};

/// What becomes of a received frame.
using FrameHandler = std::function<void(ByteSpan frame, const FrameTags& tags, Time now)>;

/// The board's end of the link. Sends as fast as the source and the peer's window let it.
///
///     StreamServer server(source, {});
///     RssiServer link(…, sink, server);
///     server.attach(link);
class StreamServer final : public RssiUser {
 public:
  /// `received`: frames from the peer, may be empty. Longer ones than `max_frame` bytes are dropped.
  StreamServer(FrameSource& source, FrameHandler received, std::size_t max_frame = 1024 * 1024);

  void attach(RssiLink& link) { link_ = &link; }
  /// The source has something again.
  void pump(Time now);

  void on_open(Time now) override;
  void on_close(RssiClose why, Time now) override;
  bool on_segment(ByteSpan payload, Time now) override;
  void on_room(Time now) override { pump(now); }

  const StreamCounters& sent() const { return sent_; }  ///< bytes: of unfinished frames too
  const StreamCounters& received() const { return received_; }
  std::uint64_t dropped() const { return receiver_.dropped(); }  ///< packets received

 private:
  bool send_part(Time now);

  FrameSource& source_;
  FrameHandler handler_;
  RssiLink* link_ = nullptr;
  Packetizer packetizer_;
  Depacketizer receiver_;
  std::vector<std::uint8_t> segment_;
  bool in_frame_ = false;
  bool pumping_ = false;
  StreamCounters sent_;
  StreamCounters received_;
};

/// The other end: puts frames together and hands them on.
class StreamClient final : public RssiUser {
 public:
  using Notice = std::function<void(Time)>;

  explicit StreamClient(FrameHandler received, std::size_t max_frame = 16 * 1024 * 1024);

  void attach(RssiLink& link) { link_ = &link; }
  /// Called when the link has opened and closed.
  void notify(Notice opened, std::function<void(RssiClose, Time)> closed);
  /// False when the link is not open. What the window does not take waits here.
  bool send(ByteSpan frame, Time now);

  void on_open(Time now) override;
  void on_close(RssiClose why, Time now) override;
  bool on_segment(ByteSpan payload, Time now) override;
  void on_room(Time now) override { sender_.flush(*link_, now); }

  const StreamCounters& received() const { return received_; }
  std::uint64_t damaged() const { return damaged_; }             ///< frames with EOFE; given to nobody
  std::uint64_t dropped() const { return receiver_.dropped(); }  ///< packets received

 private:
  FrameHandler handler_;
  Notice opened_;
  std::function<void(RssiClose, Time)> closed_;
  RssiLink* link_ = nullptr;
  FrameSender sender_;
  Depacketizer receiver_;
  StreamCounters received_;
  std::uint64_t damaged_ = 0;
};

}  // namespace softfeb::control
