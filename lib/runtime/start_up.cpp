// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/start_up.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

namespace softfeb::runtime {

double seconds_since_exec() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // The program's name, in parentheses, may contain any character. `starttime` is the twentieth field after
  // the name (proc(5)).
  std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::string skipped;
  for (int i = 0; i < 19; ++i) fields >> skipped;
  double ticks = 0;
  timespec now{};
  if (!(fields >> ticks) || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 -
         ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace softfeb::runtime
