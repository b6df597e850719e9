// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::control::rssi {

/// A segment that waits for its turn.
struct RxSegment {
  std::uint8_t sequence = 0;
  bool nul = false;
  std::vector<std::uint8_t> payload;
};

/// Which of the peer's segments come next, and copies of those that came too early or cannot be taken yet:
/// at most a window.
class RxWindow {
 public:
  enum class Place : std::uint8_t {
    kNext,
    kAhead,   ///< within the window
    kKnown,   ///< taken before
    kBeyond,  ///< a number the peer may not use yet
  };

  void start(std::uint8_t next, std::size_t window);
  void stop();

  Place place(std::uint8_t sequence) const;
  std::uint8_t next() const { return next_; }
  void advance() { ++next_; }
  /// Takes back an advance().
  void retreat() { --next_; }

  /// Keeps a copy, of each number one.
  void hold(std::uint8_t sequence, bool nul, ByteSpan payload);
  void hold(RxSegment segment);
  /// The segment that is next, if it is held; it is held no more.
  std::optional<RxSegment> take_next();
  std::size_t held() const { return held_.size(); }

 private:
  std::vector<RxSegment>::iterator find(std::uint8_t sequence);

  std::uint8_t next_ = 0;
  std::size_t window_ = 0;
  std::vector<RxSegment> held_;
};

}  // namespace softfeb::control::rssi
