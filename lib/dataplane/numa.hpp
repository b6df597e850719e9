// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/device.hpp"

#include <string>
#include <vector>

/// NUMA nodes of CPUs, devices and memory. A node of -1 is unknown or irrelevant.
namespace softfeb::dataplane {

/// NUMA node of a CPU.
int cpu_socket(unsigned cpu);

/// CPUs of a node in the kernel's list format: "8-15,24-31"; "unknown to the kernel" if they cannot be read.
std::string node_cpus(int node, const std::string& root = "");

/// NUMA node of the hardware that a device text names: a PCI NIC, or the device behind a kernel interface.
/// The device need not be attached. `root` is prepended to /sys.
int device_node(const DeviceSpec& spec, const std::string& root = "");

/// The node common to all `nodes`, ignoring -1; -1 when they differ or all are -1.
int common_node(const std::vector<int>& nodes);

/// Sets this thread's memory policy for the lifetime of the object: pages that the thread touches first come
/// from `node` while it has free memory. -1, or a node number above 63, leaves the policy unchanged.
class MemoryNode {
 public:
  explicit MemoryNode(int node);
  ~MemoryNode();
  MemoryNode(const MemoryNode&) = delete;
  MemoryNode& operator=(const MemoryNode&) = delete;

 private:
  bool set_ = false;
  int mode_ = 0;  ///< previous policy; `nodes_` is the node mask of this policy
  unsigned long nodes_ = 0;
};

}  // namespace softfeb::dataplane
