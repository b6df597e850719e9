// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb {

/// Exit status of every program of the project.
enum ExitCode : int {
  kDone = 0,         ///< success; all checks passed
  kCheckFailed = 1,  ///< loss, mismatch, exceeded threshold or incomplete message
  kBadUsage = 2,     ///< invalid usage or configuration; the error message states where and how to fix it
  kEnvironment = 3,  ///< the host lacks something required; the error message states the fix
};

}  // namespace softfeb
