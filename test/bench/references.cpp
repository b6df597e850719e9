// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks.hpp"
#include "dataplane/cpus.hpp"
#include "dataplane/error.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace softfeb::bench {

namespace {

/// Runs a command and returns the lines that it prints, including standard error.
std::vector<std::string> lines_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      popen((command + " 2>&1 < /dev/null").c_str(), "r"), pclose);
  if (pipe == nullptr) throw dataplane::EnvironmentError("no shell to start programs with", "install sh");
  std::vector<std::string> lines;
  std::array<char, 512> line;
  while (std::fgets(line.data(), line.size(), pipe.get()) != nullptr) lines.emplace_back(line.data());
  return lines;
}

/// Returns the numbers that follow `key` in the lines.
std::vector<double> numbers_after(const std::vector<std::string>& lines, const std::string& key) {
  std::vector<double> out;
  for (const std::string& line : lines) {
    const std::size_t at = line.find(key);
    if (at != std::string::npos) out.push_back(std::strtod(line.c_str() + at + key.size(), nullptr));
  }
  return out;
}

std::string last_line(const std::vector<std::string>& lines) {
  return lines.empty() ? "no output" : lines.back().substr(0, lines.back().find('\n'));
}

/// Returns a command line of testpmd with two lcores, because its main lcore only prints.
std::string testpmd_command(const ReferenceOptions& o, const std::string& mode, const std::string& lengths,
                            unsigned cpu_of_main, unsigned cpu) {
  const std::string lcores = "0@" + std::to_string(cpu_of_main) + ",1@" + std::to_string(cpu);
  return "taskset -c " + std::to_string(cpu_of_main) + "," + std::to_string(cpu) + " timeout -s INT " +
         std::to_string(o.seconds + 2) +
         " dpdk-testpmd --no-huge -m 256 --no-pci --no-telemetry --no-shconf" + " --lcores=" + lcores +
         " --main-lcore=0 --vdev=net_null0,no-rx=1 --log-level=*:error --" + " --forward-mode=" + mode +
         " --txpkts=" + lengths + " --mbuf-size=4608 --total-num-mbufs=8192" +
         " --nb-cores=1 --burst=32 --stats-period=1 --no-lsc-interrupt";
}

Json testpmd(const ReferenceOptions& o, const std::string& mode, const std::string& lengths) {
  const std::vector<unsigned> cpus = o.cpus.empty() ? dataplane::usable_cpus() : o.cpus;
  const std::vector<std::string> lines =
      lines_of(testpmd_command(o, mode, lengths, cpus.front(), cpus.back()));
  std::vector<double> mpps;
  for (const double pps : numbers_after(lines, "Tx-pps:")) {
    // The first value is 0, because testpmd prints it before any time has passed.
    if (pps != 0) mpps.push_back(pps * 1e-6);
  }
  if (mpps.empty()) {
    throw dataplane::EnvironmentError("dpdk-testpmd " + mode + " gives no figures: " + last_line(lines),
                                      "install the Debian package dpdk-dev, which has it");
  }
  Json out = figures("mpps", mpps);
  out["segments"] = lengths;
  return out;
}

Json scapy(const ReferenceOptions& o) {
  const std::string program =
      "import time\n"
      "from scapy.all import Ether, IP, UDP, Raw\n"
      "from scapy.contrib.roce import BTH\n"
      "end, n = time.monotonic() + " +
      std::to_string(o.seconds) +
      ", 0\n"
      "while time.monotonic() < end:\n"
      "    bytes(Ether()/IP(dst=\"10.0.0.2\")/UDP(dport=4791)/BTH(opcode=7, psn=n)/Raw(bytes(" +
      std::to_string(o.pmtu) +
      ")))\n"
      "    n += 1\n"
      "print(\"packets:\", n)\n";
  const std::vector<std::string> lines = lines_of("/usr/bin/python3 -c '" + program + "'");
  const std::vector<double> packets = numbers_after(lines, "packets:");
  if (packets.empty()) {
    throw dataplane::EnvironmentError(
        "scapy gives no figures: " + last_line(lines),
        "install the Debian package python3-scapy, or leave it out: --no-scapy");
  }
  return figures("mpps", {packets.front() * 1e-6 / o.seconds});
}

}  // namespace

Json bench_references(const ReferenceOptions& o) {
  Json out{{"benchmark", "references"}, {"port", "net_null"}, {"pmtu", o.pmtu}};
  const std::string payload = std::to_string(o.pmtu);
  out["testpmd_txonly"] = testpmd(o, "txonly", "54," + payload + ",4");
  out["testpmd_flowgen"] = testpmd(o, "flowgen", std::to_string(54 + o.pmtu + 4));
  if (o.scapy) out["scapy"] = scapy(o);
  out["machine"] = machine_facts(nullptr);
  return out;
}

}  // namespace softfeb::bench
