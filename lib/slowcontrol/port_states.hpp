// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/live_state.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <vector>

namespace softfeb::slowcontrol {

/// State of the ports as shown in the boards' registers. Read from the drivers at most every 2 ms, because
/// reading a driver's counters may take a system call.
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
