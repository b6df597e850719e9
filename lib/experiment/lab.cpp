// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/lab.hpp"

#include "experiment/lab_sweep.hpp"
#include "experiment/useless_options.hpp"
#include "report/pictures.hpp"

namespace softfeb::experiment {

int lab(const LabOptions& options) {
  refuse_useless(options);
  if (!options.sweep && !options.virtual_time) return lab_real(options);
  const int status = options.sweep ? lab_sweep(options) : lab_virtual(options);
  if (options.report && options.pictures) {
    report::make_pictures(*options.report, options.quiet || options.json == "-");
  }
  return status;
}

}  // namespace softfeb::experiment
