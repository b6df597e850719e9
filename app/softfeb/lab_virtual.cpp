// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/error.hpp"
#include "lab.hpp"

namespace softfeb::app {

int lab_virtual(const LabOptions& /*options*/) {
  throw dataplane::EnvironmentError("the lab in virtual time is not part of this build", "softfeb run");
}

}  // namespace softfeb::app
