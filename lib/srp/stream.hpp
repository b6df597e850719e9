// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "srp/frame_sender.hpp"
#include "srp/packetizer.hpp"
#include "srp/rssi.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/// Stream frames over an RSSI link (UDP 8193 of the board).
namespace softfeb::srp {

/// Source of the board's frames. Produces them piece by piece, so frames may have any length.
class FrameSource {
 public:
  struct Part {
    std::size_t bytes = 0;  ///< number of bytes written, 1…out.size(); a multiple of 8 if `last` is false
    bool last = false;      ///< true if these bytes end the frame
  };

  virtual ~FrameSource() = default;
  /// True if fill() has data. When new data becomes available, the owner must call StreamServer::pump().
  virtual bool ready(Time now) = 0;
  /// Writes the next bytes of the frame. out.size() is a multiple of 8.
  virtual Part fill(MutableByteSpan out, Time now) = 0;
  /// Called when the connection closes in the middle of a frame. The bytes of that frame are lost.
  virtual void abandon(Time now) = 0;
};

struct StreamCounters {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;  ///< payload bytes of the frames
};

/// Receives complete frames.
using FrameHandler = std::function<void(ByteSpan frame, const FrameTags& tags, Time now)>;

/// The board's end of the stream. Sends as fast as the source and the peer's window allow.
///
///     StreamServer server(source, {});
///     RssiServer link(…, sink, server);
///     server.attach(link);
class StreamServer final : public RssiUser {
 public:
  /// `received` handles frames from the peer and may be empty. Frames longer than `max_frame` bytes are
  /// dropped.
  StreamServer(FrameSource& source, FrameHandler received, std::size_t max_frame = 1024 * 1024);

  void attach(RssiLink& link) { link_ = &link; }
  /// Sends data from the source. Call it when the source has data again.
  void pump(Time now);

  void on_open(Time now) override;
  void on_close(RssiClose why, Time now) override;
  bool on_segment(ByteSpan payload, Time now) override;
  void on_room(Time now) override { pump(now); }

  const StreamCounters& sent() const { return sent_; }  ///< `bytes` includes unfinished frames
  const StreamCounters& received() const { return received_; }
  std::uint64_t dropped() const { return receiver_.dropped(); }  ///< packets received and dropped

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

/// The client's end of the stream: reassembles frames and passes them to the handler that the constructor
/// received.
class StreamClient final : public RssiUser {
 public:
  using Notice = std::function<void(Time)>;

  explicit StreamClient(FrameHandler received, std::size_t max_frame = 16 * 1024 * 1024);

  void attach(RssiLink& link) { link_ = &link; }
  /// Sets the functions that are called when the link has opened and when it has closed.
  void notify(Notice opened, std::function<void(RssiClose, Time)> closed);
  /// Returns false if the link is not open. Segments that do not fit into the window are queued here.
  bool send(ByteSpan frame, Time now);

  void on_open(Time now) override;
  void on_close(RssiClose why, Time now) override;
  bool on_segment(ByteSpan payload, Time now) override;
  void on_room(Time now) override { sender_.flush(*link_, now); }

  const StreamCounters& received() const { return received_; }
  std::uint64_t damaged() const { return damaged_; }  ///< frames with EOFE; not passed to the handler
  std::uint64_t dropped() const { return receiver_.dropped(); }  ///< packets received and dropped

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

}  // namespace softfeb::srp
