// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.hpp"
#include "benchmarks.hpp"
#include "commands.hpp"
#include "config/units.hpp"
#include "craft_check.hpp"
#include "roce/work.hpp"

namespace softfeb::bench {

namespace {

Outcome run_craft(Commands& commands, const CraftOptions& o) {
  Outcome out{bench_craft(o.port ? &commands.environment(o.workers > 1 ? o.workers - 1 : 1) : nullptr, o)};
  out.failed = craft_failure(out.result);
  return out;
}

void add_icrc(CLI::App& app, CraftOptions& o) {
  app.add_option_function<std::string>(
         "--icrc", [&o](const std::string& i) { o.known_crc = i == "known"; },
         "known: take payload CRCs from a prepared table; full: compute the CRC of every byte")
      ->check(CLI::IsMember({"known", "full"}));
}

void add_traffic(CLI::App& app, CraftOptions& o) {
  add_pmtu(app, o.pmtu);
  app.add_option("--qps", o.qps, "Number of queue pairs of each worker's board")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--message", o.packets, "Length of a message in packets")->check(CLI::Range(1, 4096));
  app.add_option("--send-queue", o.send_queue, "Length of a queue pair's send queue, in requests")
      ->check(CLI::Range(2, 4096));
  add_transport(app, o.transport);
  app.add_option_function<std::string>(
         "--active",
         [&o](const std::string& a) { o.active = a == "random" ? Activity::kRandom : Activity::kRoundRobin; },
         "Order in which queue pairs send: round-robin follows their order in memory; random is shuffled")
      ->check(CLI::IsMember({"round-robin", "random"}));
  app.add_flag_function(
      "--paced,!--no-pacing", [&o](std::int64_t paced) { o.algorithm = paced > 0 ? "firmware" : "none"; },
      "Use the firmware's DCQCN, at a rate that does not limit the core (default), or no congestion control");
  app.add_option("--congestion", o.algorithm, "Congestion control algorithm")
      ->check(CLI::IsMember(algorithm_names()));
  app.add_flag("--mixed-rates", o.mixed_rates,
               "Also give each queue pair a constant rate. The rates differ by up to a factor of 16, and "
               "their sum does not limit the core");
}

}  // namespace

void add_craft(Commands& commands) {
  const auto options = std::make_shared<CraftOptions>();
  CLI::App& app =
      commands.add("craft", "Rate at which a worker makes packets, compared with a loop without an engine",
                   [&commands, options] { return run_craft(commands, *options); });
  CraftOptions& o = *options;
  add_icrc(app, o);
  add_traffic(app, o);
  app.add_option_function<std::string>(
         "--port", [&o](const std::string& p) { o.port = p == "null"; },
         "null: send to net_null; none: measure only the engine, without mbufs and DPDK")
      ->check(CLI::IsMember({"null", "none"}));
  app.add_option(
      "--sample", o.sample,
      "Compare with a board that records the times of one in this many messages; 0: do not compare");
  app.add_option("--workers", o.workers, "Number of workers; each has a board and a CPU of its own")
      ->check(CLI::Range(1, 64));
  app.add_flag(
      "--alone", o.alone,
      "Run only the board, without the loops for comparison and without bytes_per_qp (for a profiler)");
  add_runs(app, o.runs, o.duration, "200ms");
  app.callback([&o] {
    if (!o.port && o.workers > 1)
      throw CLI::ValidationError(
          "--workers", "there is one worker without a port; fix: omit --workers, or write --port null");
  });
}

void add_responder(Commands& commands) {
  const auto o = std::make_shared<CraftOptions>();
  CLI::App& app = commands.add(
      "responder", "Rate at which a core receives, checks, copies and acknowledges packets", [o] {
        Outcome out{bench_responder(*o)};
        const Json& t = out.result["totals"];
        if (t["bytes_wrong"] != 0 || t["icrc_errors"] != 0 || t["refused"] != 0 || t["bare_wrong"] != 0)
          out.failed = "packets arrived wrong";
        return out;
      });
  add_traffic(app, *o);
  add_runs(app, o->runs, o->duration, "200ms");
}

void add_loop(Commands& commands) {
  const auto o = std::make_shared<CraftOptions>();
  CLI::App& app = commands.add(
      "loop",
      "Rate from a board over a ring to a receiver that checks all bytes, with acknowledgements (two cores)",
      [&commands, o] {
        Outcome out{bench_loop(commands.environment(), *o)};
        if (!out.result["held"].get<bool>()) out.failed = "something was lost, wrong or refused: see totals";
        return out;
      });
  add_icrc(app, *o);
  add_traffic(app, *o);
  add_runs(app, o->runs, o->duration, "200ms");
}

namespace {

Outcome run_pacing(const Environment& environment, const PacingOptions& o, bool suite) {
  Outcome out{suite ? bench_pacing_suite(environment, o) : bench_pacing(environment, o)};
  if (!out.result.value("never_ahead", true))
    out.failed = "a queue pair was ahead of its rate, or events were lost";
  return out;
}

void add_algorithm(CLI::App& app, PacingOptions& o) {
  app.add_option_function<std::string>(
         "--algorithm",
         [&o](const std::string& a) {
           o.algorithm = a == "constant"   ? Algorithm::kConstant
                         : a == "firmware" ? Algorithm::kFirmware
                                           : Algorithm::kPaper;
         },
         "constant: pace at the rate of the traffic; firmware, paper: pace with the token bucket of that "
         "DCQCN")
      ->check(CLI::IsMember({"constant", "firmware", "paper"}));
  add_value<std::uint64_t>(app, "--bucket", o.bucket, config::parse_size,
                           "Size of the token bucket of `paper`, 5KiB to 1GiB", "16KiB");
}

}  // namespace

void add_pacing(Commands& commands) {
  struct Options {
    PacingOptions pacing;
    bool suite = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& app = commands.add("pacing", "Deviation of queue pairs from their rates", [&commands, options] {
    return run_pacing(commands.environment(), options->pacing, options->suite);
  });
  PacingOptions& o = options->pacing;
  add_value<std::uint64_t>(app, "--rate", o.rate, config::parse_bandwidth, "Total rate of all queue pairs",
                           "10Gb/s");
  app.add_option("--qps", o.qps, "Number of queue pairs; each has an equal part of the rate")
      ->check(CLI::Range(1, 100'000));
  add_port(app, o.ring);
  add_algorithm(app, o);
  add_runs(app, o.runs, o.duration, "1s");
  app.add_flag("--suite", options->suite,
               "Ignore --rate and --qps; measure 0.1 to 100 Gb/s with 1, 100 and 10,000 queue pairs");
  app.callback([&o] {
    if (o.bucket < 5'120 || o.bucket > (1U << 30))
      throw CLI::ValidationError("--bucket", "write 5KiB to 1GiB");
  });
}

void add_reaction(Commands& commands) {
  const auto o = std::make_shared<ReactionOptions>();
  CLI::App& app =
      commands.add("reaction", "Time until a congestion notification packet takes effect",
                   [&commands, o] { return Outcome{bench_reaction(commands.environment(), *o)}; });
  add_port(app, o->ring);
  add_transport(app, o->transport);
  app.add_option("--message", o->packets, "Length of a message in packets")->check(CLI::Range(1, 256));
  add_runs(app, o->runs, o->duration, "1s");
}

void add_srp(Commands& commands) {
  const auto o = std::make_shared<SrpOptions>();
  CLI::App& app =
      commands.add("srp", "Speed of register access and of the data stream of slow control, over loopback",
                   [o] { return Outcome{o->board.empty() ? bench_srp(*o) : bench_srp_board(*o)}; });
  app.add_option("--accesses", o->accesses, "Number of single register reads in each run")
      ->check(CLI::Range(1, 10'000'000));
  add_value<std::uint64_t>(app, "--stream", o->stream_bytes, config::parse_size,
                           "Bytes streamed in each run, in frames of 128 KiB", "256MiB");
  app.add_option("--runs", o->runs, "Number of runs, of which the median is taken")
      ->check(CLI::Range(1, 1000));
  app.add_option(
         "--board", o->board,
         "Measure the board at this address, for example one started with softfeb run -c conf/board.yaml")
      ->type_name("IP");
}

namespace {

/// Adds an option that takes comma-separated numbers.
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
  CLI::App& app = commands.add("crc", "Speed of the CRC-32 of ISA-L, DPDK, zlib and softfeb",
                               [&commands, o] { return Outcome{bench_crc(commands.environment(), *o)}; });
  add_runs(app, o->runs, o->duration, "10ms");
}

void add_event_file(Commands& commands) {
  const auto o = std::make_shared<EventFileOptions>();
  CLI::App& app =
      commands.add("event-file", "Rate at which events are written to disk, compared with plain writes", [o] {
        Outcome out{bench_event_file(*o)};
        if (out.result["not_written"] != 0) out.failed = "events were not written";
        return out;
      });
  app.add_option("--folder", o->folder, "Folder on the disk that is measured")->check(CLI::ExistingDirectory);
  add_value<std::uint64_t>(app, "--bytes", o->bytes, config::parse_size, "Size of the event data in each run",
                           "1GiB");
  app.add_option("--runs", o->runs, "Number of runs, of which the median is taken")
      ->check(CLI::Range(1, 1000));
}

void add_dcqcn(Commands& commands) {
  const auto o = std::make_shared<PartOptions>();
  CLI::App& app = commands.add("dcqcn", "Cost of DCQCN for a packet and for a CNP",
                               [o] { return Outcome{bench_dcqcn(*o)}; });
  add_runs(app, o->runs, o->duration, "10ms");
}

namespace {

/// Describes the first failed check of an algorithm. The text is empty if all checks held.
std::string congestion_failure(const Json& result) {
  for (const auto& [name, algorithm] : result["algorithms"].items()) {
    for (const auto& [part, figures] : algorithm.items()) {
      if (!figures.is_object() || !figures.contains("totals")) continue;
      const Json& t = figures["totals"];
      if (t["refused"] != 0 || t["failed"] != 0 || t["packets"] == 0)
        return name + ", " + part + ": no packets left, packets were refused or messages failed: see totals";
    }
  }
  return {};
}

}  // namespace

void add_congestion(Commands& commands) {
  const auto o = std::make_shared<CongestionOptions>();
  CLI::App& app = commands.add(
      "congestion",
      "Cost of a packet and of an acknowledgement for each algorithm, with few and with many queue pairs",
      [&commands, o] {
        Outcome out{bench_congestion(commands.environment(), *o)};
        out.failed = congestion_failure(out.result);
        return out;
      });
  app.add_option("--algorithms", o->algorithms, "Measure only these algorithms, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(algorithm_names()));
  app.add_option("--qps", o->qps, "Number of queue pairs of the larger board")
      ->check(CLI::Range(1, 1'000'000));
  add_pmtu(app, o->pmtu);
  app.add_option("--message", o->packets, "Length of a message in packets")->check(CLI::Range(1, 4096));
  add_runs(app, o->runs, o->duration, "1s");
  add_value<Time>(app, "--part", o->part, config::parse_time,
                  "Duration of each run that measures only the algorithm's object", "10ms");
}

void add_latency(Commands& commands) {
  struct Options {
    LatencyOptions latency;
    GuestOptions guest;
  };
  const auto o = std::make_shared<Options>();
  CLI::App& app = commands.add("latency", "Time from posting a message to its completion", [&commands, o] {
    return run_latency_command(commands.environment(), o->latency, o->guest);
  });
  add_list(app, "--pmtu", o->latency.pmtus, "Path MTUs in bytes, for example 256,4096",
           CLI::IsMember({256, 512, 1024, 2048, 4096}));
  add_list(app, "--size", o->latency.sizes, "Message sizes in bytes, for example 1,4096",
           CLI::Range(1, 1 << 26));
  add_runs(app, o->latency.runs, o->latency.duration, "50ms");
  CLI::Option* const guest =
      app.add_option("--guest", o->guest.sink, "Send to the rdma-sink at this address instead of over a ring")
          ->type_name("sink://HOST:PORT");
  app.add_option("--device", o->guest.device,
                 "Device through which the rdma-sink is reached, as in a configuration")
      ->needs(guest);
  app.add_option("--ip", o->guest.ip, "Address of the board on this device")->needs(guest);
  app.add_option("--mac", o->guest.mac, "MAC address of the board on this device")->needs(guest);
  app.callback([o] {
    if (!o->guest.sink.empty() && o->guest.device.empty())
      throw CLI::ValidationError(
          "--guest", "needs a device; fix: add --device, for example --device net_af_packet:sfv-default");
  });
}

void add_references(Commands& commands) {
  const auto o = std::make_shared<ReferenceOptions>();
  CLI::App& app = commands.add("references", "Packet rates of dpdk-testpmd and scapy on this machine",
                               [o] { return Outcome{bench_references(*o)}; });
  add_pmtu(app, o->pmtu);
  app.add_option("--seconds", o->seconds, "Seconds that each program is measured")->check(CLI::Range(1, 600));
  app.add_flag("--scapy,!--no-scapy", o->scapy, "Also measure scapy (default)");
}

void add_all(Commands& commands) {
  const auto scale = std::make_shared<double>(1);
  CLI::App& app =
      commands.add("all", "Run all benchmarks, with short runs, and write one result", [&commands, scale] {
        Outcome out{bench_all(commands.environment(), *scale)};
        out.failed = failed_in(out.result);
        return out;
      });
  app.add_option("--scale", *scale, "Multiply the duration of each run by this factor")
      ->check(CLI::Range(0.01, 100.0));
}

}  // namespace softfeb::bench
