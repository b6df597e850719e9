// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/live_state.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <vector>

namespace softfeb::slowcontrol {

/// Port states for the boards' registers. They are read from the drivers at most every 2 ms, because
/// reading a driver's counters may require a system call.
class PortStates {
 public:
  explicit PortStates(const std::vector<runtime::RunPort>& ports);

  const board::PortState& of(std::size_t port, Time now);

 private:
  struct Entry {
    board::PortState state;
    Time asked = 0;
    bool known = false;
  };

  const std::vector<runtime::RunPort>& ports_;
  std::vector<Entry> entries_;
};

}  // namespace softfeb::slowcontrol
