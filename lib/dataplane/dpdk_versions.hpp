// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_version.h>

/// Differences between the versions of DPDK that softfeb supports (22.11, 23.11 and 24.11). All other code
/// compiles with each of these versions. `tools/try-builds --dpdk` tests a version.

/// The BTH flow item was added in DPDK 23.07.
#define SOFTFEB_HAS_IB_BTH (RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0))
