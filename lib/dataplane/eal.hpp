// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/port_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::dataplane {

using engine::HugePages;

/// An lcore and the CPU it runs on. Several lcores may share a CPU.
struct LcoreSpec {
  unsigned id = 0;
  std::optional<unsigned> cpu;  ///< default: the CPU with the lcore's number
};

/// Configuration of DPDK's EAL. DPDK can initialize the EAL only once per process.
struct EalConfig {
  HugePages huge = HugePages::kAuto;
  unsigned memory_mib = 256;
  std::vector<LcoreSpec> lcores;  ///< if empty, there is only lcore 0
  std::optional<unsigned> main_lcore;
  std::vector<std::string>
      pci_devices;  ///< allow list, each "0000:3b:00.0[,devargs]"; PCI is not scanned when the list is empty
  std::vector<std::string> vdevs;  ///< created at EAL start; see device.hpp for devices created later
  std::vector<std::string> extra;  ///< appended to the EAL arguments
  std::string prefix;      ///< argument of --file-prefix; if empty, no files are shared with other processes
  bool telemetry = false;  ///< enable DPDK's telemetry socket
  bool verbose = false;    ///< log DPDK's notices, not only errors
};

/// Total free huge-page memory in MiB, over all page sizes, from /sys/kernel/mm/hugepages. `root` is
/// prepended to the path.
std::uint64_t free_huge_mib(const std::string& root = "");

/// Builds the argument vector for rte_eal_init(), program name first. Has no side effects.
std::vector<std::string> eal_arguments(const EalConfig& config, std::uint64_t free_huge_mib);

/// Initializes the EAL; the destructor cleans it up. Throws EnvironmentError with DPDK's last error line.
class Eal {
 public:
  explicit Eal(const EalConfig& config);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

  bool huge_pages() const { return huge_pages_; }
  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  std::vector<std::string> arguments_;
  bool huge_pages_ = false;
};

}  // namespace softfeb::dataplane
