// SPDX-License-Identifier: BSD-3-Clause
#include "service/message_limit.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::service {

namespace {

/// Returns the text with each number replaced by #.
std::string kind_of(std::string_view text) {
  std::string kind;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) kind += c;
    if (digit && !kind.ends_with('#')) kind += '#';
  }
  return kind;
}

std::string report(std::uint64_t count, const std::string& kind) {
  return std::to_string(count) + " more messages were suppressed: " + kind.substr(0, kind.find('\n'));
}

}  // namespace

MessageLimit::Verdict MessageLimit::admit(std::string_view text, Time now) {
  const std::string kind = kind_of(text);
  if (kinds_.size() >= kKinds && kinds_.find(kind) == kinds_.end()) forget_oldest();
  Kind& k = kinds_.try_emplace(kind, Kind{.begin = now}).first->second;
  Verdict verdict;
  if (now >= k.begin + kWindow) {
    if (k.suppressed != 0) verdict.suppressed = report(k.suppressed, kind);
    k = Kind{.begin = now};
  }
  verdict.admitted = k.admitted < kMost;
  if (verdict.admitted)
    ++k.admitted;
  else
    ++k.suppressed;
  return verdict;
}

std::vector<std::string> MessageLimit::flush() {
  std::vector<std::string> lines;
  for (const auto& [kind, k] : kinds_) {
    if (k.suppressed != 0) lines.push_back(report(k.suppressed, kind));
  }
  kinds_.clear();
  return lines;
}

void MessageLimit::forget_oldest() {
  kinds_.erase(std::min_element(kinds_.begin(), kinds_.end(), [](const auto& a, const auto& b) {
    return a.second.begin < b.second.begin;
  }));
}

}  // namespace softfeb::service
