// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/cpus.hpp"
#include "dataplane/doctor.hpp"
#include "dataplane/run_clock.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <rte_version.h>
#include <sys/resource.h>

namespace softfeb::dataplane {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Reads the value of a line "key : value" or "key:\tvalue".
std::string field(const std::string& path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || line.compare(0, key.size(), key) != 0) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == line.npos ? "" : line.substr(value);
  }
  return {};
}

std::set<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::size_t entries(const std::string& path) {
  std::error_code error;
  const fs::directory_iterator begin(path, error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin, fs::directory_iterator()));
}

Check check_instructions(const std::set<std::string>& flags) {
  std::string missing;
  for (const char* flag : {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"}) {
    if (flags.count(flag) == 0) missing += std::string(missing.empty() ? "" : " ") + flag;
  }
  if (missing.empty()) return {"cpu instructions", Health::kOk, "x86-64-v2", ""};
  return {"cpu instructions", Health::kBad, "missing: " + missing,
          "DPDK needs an x86-64-v2 CPU; in a virtual machine choose another CPU model (e.g. -cpu host)"};
}

Check check_multiplication(const std::set<std::string>& flags) {
  if (flags.count("pclmulqdq") == 0) {
    return {"carry-less multiply", Health::kWarn, "no pclmulqdq: iCRC calculation is slow",
            "use a CPU, or a virtual CPU model, with pclmulqdq"};
  }
  const bool wide = flags.count("vpclmulqdq") != 0 && flags.count("avx512f") != 0;
  return {"carry-less multiply", Health::kOk, wide ? "vpclmulqdq with AVX-512: fastest iCRC" : "pclmulqdq",
          ""};
}

Check check_clock(const std::set<std::string>& flags) {
  const ClockCalibration measured = measure_clock();
  if (flags.count("constant_tsc") == 0 || flags.count("nonstop_tsc") == 0) {
    return {"clock", Health::kWarn, "TSC whose rate may change, " + in_words(measured),
            "fix the CPU frequency, or expose the host's invariant TSC to the guest"};
  }
  if (!measured.consistent()) {
    return {"clock", Health::kWarn, "invariant TSC, " + in_words(measured),
            "run softfeb doctor again on an idle machine; if the warning remains, the kernel's clock source "
            "is not the TSC "
            "(/sys/devices/system/clocksource/clocksource0/current_clocksource)"};
  }
  return {"clock", Health::kOk, "invariant TSC, " + in_words(measured), ""};
}

Check check_cpus() {
  const std::size_t n = usable_cpus().size();
  const std::string found = std::to_string(n) + " usable";
  if (n >= 2) return {"cpus", Health::kOk, found, ""};
  return {"cpus", Health::kWarn, found + ": worker and control thread share one CPU",
          "add a second CPU, or use the idle policy sleep"};
}

Check check_isolation(const std::string& root) {
  const std::string isolated = first_line(root + "/sys/devices/system/cpu/isolated");
  if (!isolated.empty()) return {"isolated cpus", Health::kOk, isolated, ""};
  return {"isolated cpus", Health::kWarn, "none: the kernel may interrupt workers",
          "for measurements, set the kernel parameters isolcpus=, nohz_full= and rcu_nocbs= for the workers' "
          "CPUs"};
}

Check check_governor(const std::string& root) {
  std::set<std::string> governors;
  for (const unsigned cpu : usable_cpus()) {
    const std::string path =
        root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor";
    if (exists(path)) governors.insert(first_line(path));
  }
  if (governors.empty())
    return {"cpu governor", Health::kOk, "none (fixed frequency, or controlled by the host)", ""};
  const bool performance = governors == std::set<std::string>{"performance"};
  std::string all;
  for (const auto& g : governors) all += (all.empty() ? "" : ", ") + g;
  return {"cpu governor", performance ? Health::kOk : Health::kWarn, all,
          performance ? "" : "cpupower frequency-set -g performance"};
}

Check check_huge_pages(const std::string& root) {
  const std::uint64_t mib = free_huge_mib(root);
  if (mib >= 256) return {"huge pages", Health::kOk, std::to_string(mib) + " MiB free", ""};
  return {"huge pages", Health::kWarn,
          mib == 0 ? "none: ordinary pages are used" : std::to_string(mib) + " MiB free",
          "for a NIC at line rate: sysctl vm.nr_hugepages=512 (in /etc/sysctl.d to persist)"};
}

Check check_numa(const std::string& root) {
  std::size_t nodes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root + "/sys/devices/system/node", error)) {
    const std::string name = entry.path().filename();
    if (name.size() > 4 && name.starts_with("node") && std::isdigit(static_cast<unsigned char>(name[4])) != 0)
      ++nodes;
  }
  const std::string found =
      nodes <= 1 ? "one node" : std::to_string(nodes) + " nodes: place workers on the NIC's node";
  return {"numa", Health::kOk, found, ""};
}

Check check_iommu(const std::string& root) {
  if (entries(root + "/sys/kernel/iommu_groups") != 0) return {"iommu", Health::kOk, "on", ""};
  return {"iommu", Health::kWarn, "off or absent: only needed for NICs bound to vfio-pci",
          "set the kernel parameters intel_iommu=on or amd_iommu=on, and iommu=pt; or vfio's "
          "enable_unsafe_noiommu_mode"};
}

Check check_nic_drivers(const std::string& root) {
  std::string found;
  for (const char* module : {"vfio_pci", "uio_pci_generic", "igb_uio"}) {
    if (exists(root + "/sys/module/" + module)) found += std::string(found.empty() ? "" : ", ") + module;
  }
  if (!found.empty()) return {"nic drivers", Health::kOk, found, ""};
  return {"nic drivers", Health::kWarn, "neither vfio-pci nor uio is loaded (mlx5 needs neither)",
          "modprobe vfio-pci"};
}

Check check_locked_memory() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return {"locked memory", Health::kOk, "unlimited", ""};
  return {"locked memory", Health::kWarn,
          std::to_string(limit.rlim_cur >> 20) + " MiB: a NIC cannot map more",
          "ulimit -l unlimited, or set memlock in /etc/security/limits.d"};
}

Check check_rights(const std::string& root) {
  const std::uint64_t effective =
      std::strtoull(field(root + "/proc/self/status", "CapEff").c_str(), nullptr, 16);
  constexpr unsigned kNetAdmin = 12, kNetRaw = 13;  // linux/capability.h
  std::string missing;
  if ((effective >> kNetRaw & 1) == 0) missing = "CAP_NET_RAW (net_af_packet)";
  if ((effective >> kNetAdmin & 1) == 0)
    missing += std::string(missing.empty() ? "" : ", ") + "CAP_NET_ADMIN (net_tap, promiscuous mode)";
  if (missing.empty()) return {"rights", Health::kOk, "CAP_NET_RAW and CAP_NET_ADMIN", ""};
  return {"rights", Health::kWarn, "missing: " + missing,
          "setcap cap_net_raw,cap_net_admin+ep on the softfeb program, or run as root"};
}

Check check_devices(const std::string& root) {
  const bool tun = exists(root + "/dev/net/tun");
  return {"/dev/net/tun", tun ? Health::kOk : Health::kWarn, tun ? "present" : "missing: no net_tap",
          tun ? "" : "modprobe tun"};
}

Check check_vhost(const std::string& root) {
  const bool kernel = exists(root + "/dev/vhost-net");
  return {
      "vhost", Health::kOk,
      std::string("vhost-user needs no kernel support; /dev/vhost-net is ") + (kernel ? "present" : "absent"),
      ""};
}

/// Lists the PCI network devices as "0000:3b:00.0 mlx5_core eth2".
std::string nic_list(const std::string& root) {
  std::string out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root + "/sys/bus/pci/devices", error)) {
    if (!first_line(entry.path() / "class").starts_with("0x02")) continue;
    std::error_code ignored;
    const std::string driver = fs::read_symlink(entry.path() / "driver", ignored).filename();
    out += (out.empty() ? "" : "; ") + entry.path().filename().string() + ' ' +
           (driver.empty() ? "no driver" : driver);
    for (const auto& net : fs::directory_iterator(entry.path() / "net", ignored))
      out += ' ' + net.path().filename().string();
  }
  return out;
}

Check check_nics(const std::string& root) {
  const std::string found = nic_list(root);
  return {"nics", Health::kOk, found.empty() ? "no PCI NIC: virtual devices only" : found, ""};
}

}  // namespace

std::vector<Check> check_machine(const std::string& root) {
  const std::set<std::string> flags = words(field(root + "/proc/cpuinfo", "flags"));
  return {
      {"dpdk", Health::kOk, rte_version(), ""},
      check_instructions(flags),
      check_multiplication(flags),
      check_clock(flags),
      check_cpus(),
      check_isolation(root),
      check_governor(root),
      check_numa(root),
      check_huge_pages(root),
      check_locked_memory(),
      check_iommu(root),
      check_nic_drivers(root),
      check_nics(root),
      check_rights(root),
      check_devices(root),
      check_vhost(root),
  };
}

}  // namespace softfeb::dataplane
