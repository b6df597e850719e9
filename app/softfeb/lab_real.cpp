// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/error.hpp"
#include "lab.hpp"

namespace softfeb::app {

int lab_real(const LabOptions& /*options*/) {
  throw dataplane::EnvironmentError("the lab in real time is not part of this build",
                                    "softfeb lab --virtual");
}

}  // namespace softfeb::app
