// SPDX-License-Identifier: BSD-3-Clause
#include "lab.hpp"

#include "lab_sweep.hpp"
#include "pictures.hpp"
#include "run_parts.hpp"

namespace softfeb::app {

int lab(const LabOptions& options) {
  if (!options.sweep && !options.virtual_time) return lab_real(options);
  if (options.hold) refuse_hold("in virtual time there is no page", "leave out --virtual, or --hold");
  const int status = options.sweep ? lab_sweep(options) : lab_virtual(options);
  if (options.report && options.pictures) {
    make_pictures(*options.report, options.quiet || options.json == "-");
  }
  return status;
}

}  // namespace softfeb::app
