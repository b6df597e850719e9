// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace softfeb::dataplane {

/// Keeps DPDK's log lines while it lives, so that a failure can be told in one message of ours; afterwards
/// they go to stderr. Set-up only.
class LogCollector {
 public:
  LogCollector();
  ~LogCollector();
  LogCollector(const LogCollector&) = delete;
  LogCollector& operator=(const LogCollector&) = delete;

  std::string text();
  /// The same on one line.
  std::string one_line();

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  FILE* stream_;
};

}  // namespace softfeb::dataplane
