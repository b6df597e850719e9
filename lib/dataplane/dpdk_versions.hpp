// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <rte_telemetry.h>
#include <rte_version.h>

/// Differences between the versions of DPDK that softfeb supports (22.11, 23.11 and 24.11). All other code
/// compiles with each of these versions. `tools/try-builds --dpdk` tests a version.

/// The BTH flow item was added in DPDK 23.07.
#define SOFTFEB_HAS_IB_BTH (RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0))

namespace softfeb::dataplane {

/// Adds a number to a dictionary of DPDK's telemetry. DPDK 23.03 renamed the function.
inline int add_to_dict(rte_tel_data* dict, const char* name, std::uint64_t value) {
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
  return rte_tel_data_add_dict_uint(dict, name, value);
#else
  return rte_tel_data_add_dict_u64(dict, name, value);
#endif
}

}  // namespace softfeb::dataplane
