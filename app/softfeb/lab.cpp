// SPDX-License-Identifier: BSD-3-Clause
#include "lab.hpp"

#include "lab_sweep.hpp"
#include "pictures.hpp"

namespace softfeb::app {

int lab(const LabOptions& options) {
  const int status = options.sweep          ? lab_sweep(options)
                     : options.virtual_time ? lab_virtual(options)
                                            : lab_real(options);
  if (options.report && options.pictures) {
    make_pictures(*options.report, options.quiet || options.json == "-");
  }
  return status;
}

}  // namespace softfeb::app
