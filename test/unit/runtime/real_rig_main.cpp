// SPDX-License-Identifier: BSD-3-Clause
#include "real_rig_main.hpp"

#include "catch_runner.hpp"

#include <sys/resource.h>

namespace softfeb::test {

std::unique_ptr<runtime::RealRig> shared_rig;
std::function<bool()> rig_hook;
bool rig_starved = false;

config::LabConfig small_configuration() {
  config::LabConfig out;
  out.run.eal.hugepages = config::HugePages::kNo;
  out.run.eal.memory = std::uint64_t{256} << 20;
  return out;
}

}  // namespace softfeb::test

int main(int argc, char* argv[]) {
  // A trial is void if another process takes a CPU of the rig, so this process asks for the highest priority.
  // Without the privilege to do so, it keeps its priority.
  (void)setpriority(PRIO_PROCESS, 0, -20);
  const int status = softfeb::test::run_catch(argc, argv);
  softfeb::test::shared_rig.reset();
  constexpr int kSkipped = 77;
  return status == 0 && softfeb::test::rig_starved ? kSkipped : status;
}
