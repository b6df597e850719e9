// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// Command line of `softfeb lab`.
struct LabOptions {
  std::string config;
  std::vector<std::string> overrides;  ///< KEY=VALUE; --duration is turned into one
  bool sweep = false;                  ///< sweep: a parameter study (lab_sweep.hpp)
  bool virtual_time = false;           ///< --virtual: no DPDK, no clock
  std::optional<std::string> json;     ///< file for the result
  std::optional<std::string> report;   ///< folder for configuration, result, time series and pictures
  bool pictures = true;                ///< in it
  bool quiet = false;
  bool hold = false;  ///< the page stays after the end, until a signal
};

/// Carries out `softfeb lab`; returns its exit status. Throws the libraries' exceptions for what stops it
/// before traffic.
int lab(const LabOptions& options);

/// Its two ways (lab_virtual.cpp, lab_real.cpp).
int lab_virtual(const LabOptions& options);
int lab_real(const LabOptions& options);

}  // namespace softfeb::experiment
