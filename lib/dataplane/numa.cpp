// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/numa.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace softfeb::dataplane {

namespace {

constexpr long kMostNodes = 64;  // bits in one word of a node mask

int read_node(const std::string& path) {
  int node = -1;
  std::ifstream(path) >> node;
  return node;
}

/// Returns the PCI address, "0000:3b:00.0", without devargs.
std::string pci_address(const DeviceSpec& spec) { return spec.argument.substr(0, spec.argument.find(',')); }

}  // namespace

int cpu_socket(unsigned cpu) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/devices/system/cpu/cpu" + std::to_string(cpu), error)) {
    const std::string name = entry.path().filename();
    if (name.size() > 4 && name.starts_with("node") && std::isdigit(static_cast<unsigned char>(name[4])) != 0)
      return std::stoi(name.substr(4));
  }
  return -1;
}

std::string node_cpus(int node, const std::string& root) {
  std::string list;
  std::ifstream in(root + "/sys/devices/system/node/node" + std::to_string(node) + "/cpulist");
  std::getline(in, list);
  return list.empty() ? "unknown to the kernel" : list;
}

int device_node(const DeviceSpec& spec, const std::string& root) {
  switch (spec.kind) {
    case DeviceKind::kPci:
      return read_node(root + "/sys/bus/pci/devices/" + pci_address(spec) + "/numa_node");
    case DeviceKind::kAfPacket:
      return read_node(root + "/sys/class/net/" + spec.argument + "/device/numa_node");
    default:
      return -1;
  }
}

int common_node(const std::vector<int>& nodes) {
  int common = -1;
  for (const int node : nodes) {
    if (node < 0) continue;
    if (common >= 0 && node != common) return -1;
    common = node;
  }
  return common;
}

// MemoryNode uses raw system calls to avoid a dependency on libnuma.
MemoryNode::MemoryNode(int node) {
  if (node < 0 || node >= kMostNodes) return;
  const unsigned long mask = 1UL << node;
  set_ = syscall(SYS_get_mempolicy, &mode_, &nodes_, kMostNodes, nullptr, 0UL) == 0 &&
         syscall(SYS_set_mempolicy, MPOL_PREFERRED, &mask, kMostNodes + 1) == 0;
}

MemoryNode::~MemoryNode() {
  if (set_) syscall(SYS_set_mempolicy, mode_, nodes_ == 0 ? nullptr : &nodes_, kMostNodes + 1);
}

}  // namespace softfeb::dataplane
