// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb {

/// Exit status of every program of the project.
enum ExitCode : int {
  kDone = 0,         ///< done, and all checks held
  kCheckFailed = 1,  ///< loss, mismatch, threshold, a message that did not complete
  kBadUsage = 2,     ///< usage or configuration, with the place and the fix
  kEnvironment = 3,  ///< the machine lacks something, with the fix
};

}  // namespace softfeb
