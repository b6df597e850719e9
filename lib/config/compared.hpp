// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"

#include <string>
#include <vector>

/// The runs of `softfeb lab compare`: one topology, with a different congestion control in each run.
namespace softfeb::config {

/// A lab in which all boards use one congestion control.
struct ComparedLab {
  std::string name;  ///< unique; also the name of a folder
  LabConfig config;
  /// Settings that were added because the algorithm needs them and the file lacks them, in the syntax of
  /// `--set`.
  std::vector<std::string> switched_on;
  /// Keys of the file that were omitted, because they concern another algorithm.
  std::vector<std::string> left_out;
};

/// An algorithm that would be compared by default, but cannot be used in this lab.
struct UnfitAlgorithm {
  std::string name;
  std::string reason;  ///< first problem that the loader reported, formatted by to_string(Problem)
};

struct Comparison {
  std::vector<ComparedLab> labs;  ///< contains at least one lab
  std::vector<UnfitAlgorithm> unfit;
};

/// Loads the lab at `path` once for each of `names`. If `names` is empty, loads it once for each section of
/// `lab.compare`. If the file has no such section, loads it for `dcqcn` and for each algorithm of
/// congestion::algorithms() that can be used.
///
/// Each of `names` is the name of a section of `lab.compare`, the word `dcqcn`, a value of `algorithm` in
/// section `congestion`, or the path of a plug-in. Every board and queue pair uses the first of these
/// settings that exists:
///   1. the section of `lab.compare` with this name, unless the section is empty;
///   2. the section `congestion` or `dcqcn` of the board or queue pair, if that section names the same
///      algorithm. For the word `dcqcn`, the section may name any DCQCN algorithm;
///   3. the algorithm with default parameters, and for DCQCN with the `line_rate` of the board's link. The
///      word `dcqcn` then selects the firmware's algorithm.
/// The function also adds what the algorithm needs:
///   - DCQCN: ECN marking by the switches, if none of them marks packets or forges CNPs;
///   - HPCC: INT records, congestion control headers, and room for them in the MTU;
///   - Homa: congestion control headers, and priorities in the switches.
/// Throws ConfigError, for example if `names` contains an algorithm that cannot be used.
Comparison load_compared(const std::string& path, const std::vector<std::string>& overrides,
                         const std::vector<std::string>& names);

}  // namespace softfeb::config
