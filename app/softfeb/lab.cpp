// SPDX-License-Identifier: BSD-3-Clause
#include "lab.hpp"

#include "lab_sweep.hpp"
#include "lost_options.hpp"
#include "pictures.hpp"

namespace softfeb::app {

int lab(const LabOptions& options) {
  refuse_lost(options);
  if (!options.sweep && !options.virtual_time) return lab_real(options);
  const int status = options.sweep ? lab_sweep(options) : lab_virtual(options);
  if (options.report && options.pictures) {
    make_pictures(*options.report, options.quiet || options.json == "-");
  }
  return status;
}

}  // namespace softfeb::app
