// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::dataplane {

enum class HugePages : std::uint8_t {
  kAuto,  ///< huge pages when enough are free, ordinary memory otherwise
  kNo,    ///< ordinary memory
};

/// A worker's lcore and the CPU it runs on. Two lcores may share a CPU on machines with few cores.
struct LcoreSpec {
  unsigned id = 0;
  std::optional<unsigned> cpu;  ///< the CPU of the same number when not given
};

/// What DPDK's environment layer is started with. One start per process (a property of DPDK).
struct EalConfig {
  HugePages huge = HugePages::kAuto;
  unsigned memory_mib = 256;
  std::vector<LcoreSpec> lcores;  ///< empty: lcore 0 alone
  std::optional<unsigned> main_lcore;
  std::vector<std::string>
      pci_devices;                 ///< allow list, "0000:3b:00.0[,devargs]"; with none, PCI is not scanned
  std::vector<std::string> vdevs;  ///< devices made at start; dataplane/device.hpp makes them later as well
  std::vector<std::string> extra;  ///< further EAL arguments, last
  std::string prefix;              ///< --file-prefix, for several processes that do not run in memory
  bool telemetry = false;          ///< DPDK's own telemetry socket
  bool verbose = false;            ///< DPDK's notices too, not only errors
};

/// Free huge pages of the machine in MiB (all sizes together), from /sys/kernel/mm/hugepages under `root`.
std::uint64_t free_huge_mib(const std::string& root = "");

/// The argument vector for rte_eal_init(), program name first. Pure.
std::vector<std::string> eal_arguments(const EalConfig& config, std::uint64_t free_huge_mib);

/// DPDK's environment, from construction to destruction. Throws EnvironmentError with DPDK's own last error
/// line.
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
