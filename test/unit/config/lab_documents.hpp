// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "documents.hpp"

namespace softfeb::config::test {

/// A valid topology, parts of which the tests replace. Tests check the line numbers of problems; line 1 is
/// `lab:`.
inline const std::string kLabBase =
    "lab:\n"                                                                     // 1
    "  bottleneck: tor.daq\n"                                                    // 2
    "  checks: {fairness_jain: 0.99, port_used: 95%, dropped: 0}\n"              // 3
    "run:\n"                                                                     // 4
    "  duration: 1s\n"                                                           // 5
    "workers:\n"                                                                 // 6
    "  count: 2\n"                                                               // 7
    "network:\n"                                                                 // 8
    "  switches:\n"                                                              // 9
    "    - name: tor\n"                                                          // 10
    "      buffer: 4MiB\n"                                                       // 11
    "      ecn: {kmin: 100KiB, kmax: 400KiB, pmax: 10%}\n"                       // 12
    "      queues:\n"                                                            // 13
    "        - {queue: 3, lossless: true}\n"                                     // 14
    "      pause: {xoff: 600KiB, xon: 500KiB, headroom: 64KiB}\n"                // 15
    "  links:\n"                                                                 // 16
    "    - {ends: [feb, tor], rate: 10Gb/s, delay: 500ns, flow_control: pfc}\n"  // 17
    "    - {ends: [tor, daq], rate: 10Gb/s, delay: 1us, flow_control: pause}\n"  // 18
    "boards:\n"                                                                  // 19
    "  - name: feb\n"                                                            // 20
    "    count: 3\n"                                                             // 21
    "    ip: 10.0.0.1/24\n"                                                      // 22
    "    qps:\n"                                                                 // 23
    "      - to: daq\n"                                                          // 24
    "receivers:\n"                                                               // 25
    "  - name: daq\n"                                                            // 26
    "    ip: 10.0.0.101/24\n";                                                   // 27

inline LabConfig load_lab(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_lab_text(text, "lab.yaml", overrides, kNow);
}

/// Returns the problems of `text` as a topology; empty if it loads.
inline std::vector<Problem> lab_problems(const std::string& text,
                                         const std::vector<std::string>& overrides = {}) {
  try {
    load_lab(text, overrides);
  } catch (const ConfigError& e) {
    return e.problems();
  }
  return {};
}

}  // namespace softfeb::config::test
