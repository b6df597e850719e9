// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace softfeb::dataplane {

/// Collects DPDK's log output during its lifetime, so that an error can be reported in one message.
/// Afterwards DPDK logs to stderr. For set-up only.
class LogCollector {
 public:
  LogCollector();
  ~LogCollector();
  LogCollector(const LogCollector&) = delete;
  LogCollector& operator=(const LogCollector&) = delete;

  std::string text();
  /// text() joined into one line.
  std::string one_line();

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  FILE* stream_;
};

}  // namespace softfeb::dataplane
