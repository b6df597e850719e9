// SPDX-License-Identifier: BSD-3-Clause
// Commands for parts, latency, references, and all.
#include "all.hpp"
#include "commands.hpp"
#include "latency.hpp"
#include "parts.hpp"
#include "references.hpp"
#include "roce/work.hpp"

namespace softfeb::bench {

namespace {

/// Comma-separated numbers.
void add_list(CLI::App& app, const std::string& name, std::vector<std::uint32_t>& out,
              const std::string& help, const CLI::Validator& each) {
  app.add_option(name, out, help)->delimiter(',')->check(each);
}

Outcome run_latency_command(const Environment& environment, const LatencyOptions& o,
                            const GuestOptions& guest) {
  if (!guest.sink.empty()) {
    Outcome out{bench_guest_latency(environment, o, guest)};
    for (const Json& r : out.result["results"]) {
      if (r["failed"]["max"] != 0.0) out.failed = "messages failed";
    }
    return out;
  }
  Outcome out{bench_latency(environment, o)};
  for (const Json& r : out.result["results"]) {
    if (r["bytes_wrong"]["max"] != 0.0) out.failed = "bytes arrived wrong";
  }
  return out;
}

}  // namespace

void add_crc(Commands& commands) {
  const auto o = std::make_shared<PartOptions>();
  CLI::App& app = commands.add("crc", "CRC-32 by ISA-L, DPDK and zlib, and ours",
                               [&commands, o] { return Outcome{bench_crc(commands.environment(), *o)}; });
  add_runs(app, o->runs, o->duration, "10ms");
}

void add_dcqcn(Commands& commands) {
  const auto o = std::make_shared<PartOptions>();
  CLI::App& app = commands.add("dcqcn", "What congestion control costs a packet and a CNP",
                               [o] { return Outcome{bench_dcqcn(*o)}; });
  add_runs(app, o->runs, o->duration, "10ms");
}

void add_latency(Commands& commands) {
  struct Options {
    LatencyOptions latency;
    GuestOptions guest;
  };
  const auto o = std::make_shared<Options>();
  CLI::App& app = commands.add("latency", "From posting a message to its completion", [&commands, o] {
    return run_latency_command(commands.environment(), o->latency, o->guest);
  });
  add_list(app, "--pmtu", o->latency.pmtus, "Path MTUs in bytes, 256,4096",
           CLI::IsMember({256, 512, 1024, 2048, 4096}));
  add_list(app, "--size", o->latency.sizes, "Sizes of messages in bytes, 1,4096", CLI::Range(1, 1 << 26));
  add_runs(app, o->latency.runs, o->latency.duration, "50ms");
  CLI::Option* const guest =
      app.add_option("--guest", o->guest.sink, "Not over a ring but to the rdma-sink that listens there")
          ->type_name("sink://HOST:PORT");
  app.add_option("--device", o->guest.device, "The port that leads to it, as in a configuration")
      ->needs(guest);
  app.add_option("--ip", o->guest.ip, "Our address there")->needs(guest);
  app.add_option("--mac", o->guest.mac, "Our MAC address there")->needs(guest);
  app.callback([o] {
    if (!o->guest.sink.empty() && o->guest.device.empty())
      throw CLI::ValidationError("--guest", "say by which port, e.g. --device net_af_packet:sfv-default");
  });
}

void add_references(Commands& commands) {
  const auto o = std::make_shared<ReferenceOptions>();
  CLI::App& app = commands.add("references", "What dpdk-testpmd and scapy reach on this machine",
                               [o] { return Outcome{bench_references(*o)}; });
  add_pmtu(app, o->pmtu);
  app.add_option("--seconds", o->seconds, "Of each")->check(CLI::Range(1, 600));
  app.add_flag("--scapy,!--no-scapy", o->scapy, "scapy too (default)");
}

void add_all(Commands& commands) {
  const auto scale = std::make_shared<double>(1);
  CLI::App& app = commands.add("all", "Everything, short, in one result", [&commands, scale] {
    Outcome out{bench_all(commands.environment(), *scale)};
    out.failed = failed_in(out.result);
    return out;
  });
  app.add_option("--scale", *scale, "Times the length of each run")->check(CLI::Range(0.01, 100.0));
}

}  // namespace softfeb::bench
