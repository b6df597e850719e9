// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/device.hpp"

#include <string>
#include <vector>

/// Which part of a machine with several memories (NUMA nodes) CPUs, devices and memory belong to. -1: the
/// machine does not say, or it does not matter.
namespace softfeb::dataplane {

/// NUMA node of a CPU.
int cpu_socket(unsigned cpu);

/// CPUs of a node as the kernel writes them, "8-15,24-31".
std::string node_cpus(int node, const std::string& root = "");

/// NUMA node of the hardware behind a device text, before it is attached: a NIC on PCI, or the one behind a
/// kernel interface. `root`: where /sys is.
int device_node(const DeviceSpec& spec, const std::string& root = "");

/// The node that all of `nodes` are on, those apart that are -1; -1 when there are several, or none.
int common_node(const std::vector<int>& nodes);

/// As long as it lives, memory that this thread is the first to touch comes from `node` while that has any;
/// with -1 from where it would anyway.
class MemoryNode {
 public:
  explicit MemoryNode(int node);
  ~MemoryNode();
  MemoryNode(const MemoryNode&) = delete;
  MemoryNode& operator=(const MemoryNode&) = delete;

 private:
  bool set_ = false;
  int mode_ = 0;  ///< before, and of which nodes
  unsigned long nodes_ = 0;
};

}  // namespace softfeb::dataplane
