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

/// Limits how often a message is written, so that a single cause cannot fill the journal over weeks. Messages
/// that differ only in their numbers count as the same message. At most kMost copies of each message are
/// admitted within kWindow. Further copies are counted, and their number is reported when the message next
/// occurs after the window, or by flush().
class MessageLimit {
 public:
  static constexpr unsigned kMost = 20;
  static constexpr Time kWindow = 60 * kSecond;
  static constexpr std::size_t kKinds = 256;  ///< maximum number of different messages that are remembered

  struct Verdict {
    bool admitted = true;
    /// A line that reports how many earlier copies were suppressed; empty if none were.
    std::string suppressed;
  };
  Verdict admit(std::string_view text, Time now);

  /// Returns one line for each message with suppressed copies that have not been reported yet.
  std::vector<std::string> flush();

 private:
  struct Kind {
    Time begin = 0;  ///< start of the current window
    unsigned admitted = 0;
    std::uint64_t suppressed = 0;
  };

  void forget_oldest();

  /// Key: the text of the message, with # for each number.
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace softfeb::service
