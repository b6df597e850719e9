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
  // If another process takes a CPU of the rig during a trial, the result of the trial is invalid. This
  // process therefore requests the highest priority. If it lacks the privilege, its priority does not change.
  (void)setpriority(PRIO_PROCESS, 0, -20);
  const int status = softfeb::test::run_catch(argc, argv);
  softfeb::test::shared_rig.reset();
  constexpr int kSkipped = 77;
  return status == 0 && softfeb::test::rig_starved ? kSkipped : status;
}
