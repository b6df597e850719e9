// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::experiment {

/// Asks the kernel for transparent huge pages for the memory that the main thread allocates from now on, up
/// to 1 GiB. A simulation of many boards accesses the memory of each of them in turn, and with 4 KiB pages
/// many of these accesses miss the TLB. Only the first call has an effect. If the kernel offers no huge pages
/// (/sys/kernel/mm/transparent_hugepage/enabled), nothing changes.
void use_huge_heap();

}  // namespace softfeb::experiment
