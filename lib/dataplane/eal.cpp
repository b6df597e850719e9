// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/eal.hpp"

#include "dataplane/error.hpp"
#include "dataplane/log_collector.hpp"
#include "service/log.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <unistd.h>

namespace softfeb::dataplane {
namespace {

std::string lcore_map(const std::vector<LcoreSpec>& lcores) {
  if (lcores.empty()) return "0@0";
  std::string map;
  for (const LcoreSpec& l : lcores) {
    if (!map.empty()) map += ',';
    map += std::to_string(l.id) + '@' + std::to_string(l.cpu.value_or(l.id));
  }
  return map;
}

std::string fix_for(const std::string& log) {
  const auto says = [&log](const char* word) { return log.find(word) != std::string::npos; };
  // Test for this error before testing for huge pages, because DPDK's log also mentions huge pages if there
  // is no address space for ordinary pages.
  if (says("Cannot allocate memory") || says("failed to map segment"))
    return "allow the process more address space (ulimit -v), or add memory";
  if (says("hugepage") || says("hugetlb") || says("Cannot init memory")) {
    return "use ordinary memory (eal.hugepages: no) or reserve huge pages, e.g. sysctl vm.nr_hugepages=256";
  }
  if (says("lcore") || says("coremask") || says("CPU")) {
    return "choose CPUs available to this process (see nproc, taskset -p $$)";
  }
  if (says("Permission") || says("privileges"))
    return "run as root, or grant the capabilities that softfeb doctor lists";
  if (says("plugin") || says("driver") || says("probe") || says("find device")) {
    return "check the device with softfeb doctor";
  }
  if (says("command line")) return "check the extra EAL arguments of the configuration";
  return "see softfeb doctor";
}

/// Calls rte_eal_init() with stdout redirected: if an argument is wrong, DPDK prints about a hundred lines of
/// help, whereas our message names the error.
int start_without_usage_text(std::size_t argc, char** argv) {
  std::fflush(stdout);
  const int kept = dup(STDOUT_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (kept >= 0 && nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  const int status = rte_eal_init(static_cast<int>(argc), argv);
  std::fflush(stdout);
  if (kept >= 0) dup2(kept, STDOUT_FILENO);
  for (const int fd : {kept, nowhere}) {
    if (fd >= 0) close(fd);
  }
  return status;
}

}  // namespace

std::uint64_t free_huge_mib(const std::string& root) {
  namespace fs = std::filesystem;
  std::uint64_t kib = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root + "/sys/kernel/mm/hugepages", error)) {
    const std::string name = entry.path().filename();  // e.g. hugepages-2048kB
    const std::size_t dash = name.find('-');
    std::uint64_t pages = 0;
    if (dash == std::string::npos || !(std::ifstream(entry.path() / "free_hugepages") >> pages)) continue;
    kib += pages * std::strtoull(name.c_str() + dash + 1, nullptr, 10);
  }
  return kib / 1024;
}

std::vector<std::string> eal_arguments(const EalConfig& config, std::uint64_t free_huge) {
  std::vector<std::string> args{"softfeb", "--lcores=" + lcore_map(config.lcores)};
  if (config.main_lcore) args.push_back("--main-lcore=" + std::to_string(*config.main_lcore));
  const bool huge = config.huge == HugePages::kAuto && free_huge >= config.memory_mib;
  if (!huge) args.emplace_back("--no-huge");
  args.emplace_back("-m");
  args.push_back(std::to_string(config.memory_mib));
  if (config.prefix.empty()) {
    // Share no files, so that several processes can run at the same time. Without huge pages, use
    // --no-shconf, because DPDK rejects --in-memory together with --no-huge.
    args.emplace_back(huge ? "--in-memory" : "--no-shconf");
  } else {
    args.push_back("--file-prefix=" + config.prefix);
  }
  if (!config.telemetry) args.emplace_back("--no-telemetry");
  args.push_back(config.verbose ? "--log-level=*:notice" : "--log-level=*:error");
  if (config.pci_devices.empty()) {
    args.emplace_back("--no-pci");
    // Physical addresses are not needed without PCI devices, and reading them requires a privilege.
    args.emplace_back("--iova-mode=va");
  }
  for (const std::string& device : config.pci_devices) {
    args.emplace_back("-a");
    args.push_back(device);
  }
  for (const std::string& vdev : config.vdevs) args.push_back("--vdev=" + vdev);
  args.insert(args.end(), config.extra.begin(), config.extra.end());
  return args;
}

Eal::Eal(const EalConfig& config) : arguments_(eal_arguments(config, free_huge_mib())) {
  std::vector<std::string> copy = arguments_;
  std::vector<char*> argv;
  for (std::string& a : copy) argv.push_back(a.data());
  argv.push_back(nullptr);

  LogCollector log;
  const int status = start_without_usage_text(copy.size(), argv.data());
  const std::string text = log.text();
  if (status < 0) {
    const std::string why = text.empty() ? rte_strerror(rte_errno) : log.one_line();
    throw EnvironmentError("DPDK does not start: " + why, fix_for(text));
  }
  service::warning(text);
  huge_pages_ = rte_eal_has_hugepages() != 0;
}

Eal::~Eal() { rte_eal_cleanup(); }

}  // namespace softfeb::dataplane
