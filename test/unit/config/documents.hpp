// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/load.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace softfeb::config::test {

/// Wall-clock time for `start_at`, in nanoseconds since 1970: 2026-01-01T00:00:00Z.
inline constexpr std::int64_t kNow = 1'767'225'600'000'000'000;

/// A valid configuration, parts of which the tests replace. Tests check the line numbers of problems; line 1
/// is `run:`.
inline const std::string kBase =
    "run:\n"                           // 1
    "  duration: 10s\n"                // 2
    "workers:\n"                       // 3
    "  count: 2\n"                     // 4
    "ports:\n"                         // 5
    "  - name: feb\n"                  // 6
    "    device: net_ring:link\n"      // 7
    "    mtu: 4200\n"                  // 8
    "  - name: nic\n"                  // 9
    "    device: net_ring:link\n"      // 10
    "    mtu: 4200\n"                  // 11
    "boards:\n"                        // 12
    "  - name: feb0\n"                 // 13
    "    port: feb\n"                  // 14
    "    ip: 10.0.0.1/24\n"            // 15
    "    qps:\n"                       // 16
    "      - to: daq\n"                // 17
    "        transport: RC\n"          // 18
    "        pmtu: 4096\n"             // 19
    "        traffic:\n"               // 20
    "          message_size: 64KiB\n"  // 21
    "          rate: 1Gb/s\n"          // 22
    "          messages: 100\n"        // 23
    "receivers:\n"                     // 24
    "  - name: daq\n"                  // 25
    "    port: nic\n"                  // 26
    "    ip: 10.0.0.2/24\n"            // 27
    "    memory: 1MiB\n";              // 28

/// Returns `text` with the only occurrence of `from` replaced by `to`. Throws unless `from` occurs exactly
/// once, because the test would otherwise be meaningless.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    throw std::logic_error("test replaces other than one: " + from);
  }
  return text.replace(at, from.size(), to);
}

inline RunConfig load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_run_text(text, "test.yaml", overrides, kNow);
}

/// Returns the problems of `text`; empty if `text` loads.
inline std::vector<Problem> problems(const std::string& text,
                                     const std::vector<std::string>& overrides = {}) {
  try {
    load(text, overrides);
  } catch (const ConfigError& e) {
    return e.problems();
  }
  return {};
}

}  // namespace softfeb::config::test
