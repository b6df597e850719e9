// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::service {

/// Limits how often a message is written, so that one cause cannot fill the journal in weeks. Messages that
/// differ only in their numbers count as the same message. Of each, kMost are admitted within kWindow; the
/// others are counted, and their number is reported once the window has passed.
class MessageLimit {
 public:
  static constexpr unsigned kMost = 20;
  static constexpr Time kWindow = 60 * kSecond;
  static constexpr std::size_t kKinds = 256;  ///< kinds of messages that are remembered

  struct Verdict {
    bool admitted = true;
    std::string suppressed;  ///< a line that reports messages suppressed before; empty: none
  };
  Verdict admit(std::string_view text, Time now);

  /// Returns a line for each message that was suppressed and not reported.
  std::vector<std::string> flush();

 private:
  struct Kind {
    Time begin = 0;  ///< of its window
    unsigned admitted = 0;
    std::uint64_t suppressed = 0;
  };

  void forget_oldest();

  std::map<std::string, Kind, std::less<>> kinds_;  ///< by text with # for each number
};

}  // namespace softfeb::service
