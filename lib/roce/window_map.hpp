// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/message_map.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::roce {

struct WindowMapConfig {
  std::uint32_t streams = 0;  ///< number of queue pairs (streams); each sends one message per window
  std::uint32_t ring = 64;    ///< number of windows in memory
  std::uint32_t depth = 4;    ///< maximum number of open windows, 1 to `ring`
  /// Maximum distance, in windows, of a message from the next message expected in its stream. Messages that
  /// are further away are rejected.
  std::uint64_t max_jump = std::uint64_t{1} << 24;
  std::uint32_t first_immediate = 0;  ///< immediate of message 0
  /// Number of packets in each message. Used to check PSNs (`inconsistent`); 0 means: do not check them.
  std::uint32_t packets_per_message = 0;
  std::size_t ranges_per_stream = 64;  ///< maximum number of ranges of missing windows stored per stream
};

/// Reason why a window was closed.
enum class WindowStatus : std::uint8_t {
  kFull,    ///< the messages of all streams had arrived
  kGap,     ///< `depth` newer windows had begun
  kForced,  ///< a newer window needed the window's place in memory
  kEnd,     ///< the run ended
};
const char* name_of(WindowStatus status);  ///< name of the status in results: "full", "gap", "forced", "end"

/// Windows `first` to `last` were closed. There are several windows only if no message arrived in any of
/// them. Consecutive empty windows are closed together, so that the cost of a jump to a later window does not
/// depend on the length of the jump.
struct ClosedWindows {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  ///< last of the closed windows, inclusive
  WindowStatus status = WindowStatus::kFull;
  Time at = 0;
  /// Bit s mod 64 of word s / 64 is set if the message of stream s has arrived. Valid only during the call.
  std::span<const std::uint64_t> streams;
};

/// Receives closed windows, in ascending order and each exactly once. closed() is called on the packet path,
/// so it must not block or allocate.
class WindowConsumer {
 public:
  virtual ~WindowConsumer() = default;
  virtual void closed(const ClosedWindows& windows) = 0;
};

struct WindowCounters {
  std::uint64_t messages = 0;  ///< complete messages with immediate
  std::uint64_t marked = 0;    ///< messages that set a bit of an open window
  std::uint64_t duplicate_messages = 0;
  std::uint64_t late = 0;             ///< messages of windows that had already been closed
  std::uint64_t wrong_immediate = 0;  ///< messages whose number is negative or beyond max_jump
  std::uint64_t inconsistent = 0;     ///< messages whose PSN does not match their number
  std::uint64_t full = 0, gap = 0, forced = 0, end = 0;  ///< number of closed windows, by status
  std::uint64_t missing = 0;                             ///< messages missing in closed windows
  std::uint64_t goodput_bytes = 0;  ///< payload bytes of the messages counted in `marked`

  std::uint64_t windows() const { return full + gap + forced + end; }
};

enum class WindowVerdict : std::uint8_t { kMarked, kDuplicate, kLate, kWrongImmediate };

/// Map of missing data. Message n of every stream belongs to window n, and each window has a bitmap of the
/// streams whose messages have arrived. Windows close in order. Message n is identified by its immediate,
/// which is n + first_immediate modulo 2^32.
///
/// Sans-I/O, not thread-safe. Only the constructor allocates. A message that closes no window takes constant
/// time. A message that closes windows visits at most `ring` windows, no matter how far ahead the message is.
/// Each visited window takes time proportional to the number of streams. Memory: ring · streams / 8 bytes for
/// the bitmaps and 16 · ranges_per_stream bytes for each stream.
class WindowMap {
 public:
  /// Throws std::invalid_argument if `streams` or `depth` is 0, or if `depth` exceeds `ring`. `consumer` may
  /// be null; otherwise, it must outlive this object.
  explicit WindowMap(const WindowMapConfig& config, WindowConsumer* consumer = nullptr,
                     std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  /// Call when a message of `bytes` bytes is complete. `packet_index` is the number of its last packet in the
  /// stream (RequestOutcome::packet_index). Requires stream < streams.
  WindowVerdict message(Time now, std::uint32_t stream, std::uint32_t immediate, std::uint32_t bytes,
                        std::optional<std::uint64_t> packet_index = std::nullopt);

  /// Closes the first `sent` windows, where `sent` is the number of messages that each stream sent, and all
  /// later windows in which messages arrived.
  void finish(Time now, std::uint64_t sent);

  const WindowMapConfig& config() const { return config_; }
  const WindowCounters& counters() const { return counters_; }
  std::uint64_t base() const { return base_; }  ///< the oldest open window
  /// Closed windows in which the message of `stream` is missing, as at most ranges_per_stream ranges in
  /// ascending order.
  std::span<const MessageMap::Range> missing(std::uint32_t stream) const;
  /// Number of closed windows in which the message of `stream` is missing, but which did not fit into the
  /// ranges of missing().
  std::uint64_t unlisted(std::uint32_t stream) const { return lost_[stream].unlisted; }
  /// Memory in bytes of a map with this configuration: the sum of all allocations.
  static std::size_t memory_bytes(const WindowMapConfig& config);

 private:
  struct Lost {
    std::size_t ranges = 0;
    std::uint64_t unlisted = 0;
  };

  std::size_t place(std::uint64_t window) const { return static_cast<std::size_t>(window % config_.ring); }
  std::uint64_t* bitmap(std::uint64_t window) { return bits_.data() + place(window) * words_; }
  bool whole(std::uint64_t window) const { return present_[place(window)] == config_.streams; }
  void close_base(Time now, WindowStatus status);
  void close_until(Time now, std::uint64_t end, WindowStatus status);
  void close_empty(Time now, std::uint64_t end, WindowStatus status);
  void lose(std::uint32_t stream, std::uint64_t first, std::uint64_t last);
  std::uint64_t& count_of(WindowStatus status);

  WindowMapConfig config_;
  WindowConsumer* consumer_;
  std::size_t words_;                        ///< number of words in a bitmap
  std::uint64_t base_ = 0;                   ///< the oldest open window
  std::uint64_t end_ = 0;                    ///< one more than the newest window in which a message arrived
  std::pmr::vector<std::uint64_t> next_;     ///< per stream: one more than its highest message number
  std::pmr::vector<std::uint64_t> bits_;     ///< bitmaps of the windows in memory
  std::pmr::vector<std::uint32_t> present_;  ///< per place in the ring: number of bits set
  std::pmr::vector<Lost> lost_;              ///< per stream: its missing windows
  std::pmr::vector<MessageMap::Range> ranges_;
  WindowCounters counters_;
};

}  // namespace softfeb::roce
