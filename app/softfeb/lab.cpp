// SPDX-License-Identifier: BSD-3-Clause
#include "lab.hpp"

namespace softfeb::app {

int lab(const LabOptions& options) { return options.virtual_time ? lab_virtual(options) : lab_real(options); }

}  // namespace softfeb::app
