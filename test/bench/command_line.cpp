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
         "known: payload CRCs prepared beforehand; full: over every byte")
      ->check(CLI::IsMember({"known", "full"}));
}

void add_traffic(CLI::App& app, CraftOptions& o) {
  add_pmtu(app, o.pmtu);
  app.add_option("--qps", o.qps, "Queue pairs of each worker's board")->check(CLI::Range(1, 1'000'000));
  app.add_option("--message", o.packets, "Packets of a message")->check(CLI::Range(1, 4096));
  app.add_option("--send-queue", o.send_queue, "Requests that a queue pair has room for")
      ->check(CLI::Range(2, 4096));
  add_transport(app, o.transport);
  app.add_option_function<std::string>(
         "--active",
         [&o](const std::string& a) { o.active = a == "random" ? Activity::kRandom : Activity::kRoundRobin; },
         "In which order queue pairs send: as they lie in memory, or shuffled")
      ->check(CLI::IsMember({"round-robin", "random"}));
  app.add_flag_function(
      "--paced,!--no-pacing", [&o](std::int64_t paced) { o.algorithm = paced > 0 ? "firmware" : "none"; },
      "Congestion control: the firmware's, its rate above what a core can do (default), or none");
  app.add_option("--congestion", o.algorithm, "Congestion control of this name")
      ->check(CLI::IsMember(algorithm_names()));
  app.add_flag("--mixed-rates", o.mixed_rates,
               "Besides, a constant rate for each, 16 to 1, together above what a core can do");
}

}  // namespace

void add_craft(Commands& commands) {
  const auto options = std::make_shared<CraftOptions>();
  CLI::App& app = commands.add("craft", "Packets a worker makes in a second, beside a loop without an engine",
                               [&commands, options] { return run_craft(commands, *options); });
  CraftOptions& o = *options;
  add_icrc(app, o);
  add_traffic(app, o);
  app.add_option_function<std::string>(
         "--port", [&o](const std::string& p) { o.port = p == "null"; },
         "null: net_null; none: the engine alone, without mbufs and DPDK")
      ->check(CLI::IsMember({"null", "none"}));
  app.add_option("--sample", o.sample,
                 "Beside it, a board that takes the times of one in so many messages; 0: none");
  app.add_option("--workers", o.workers, "Each with a board and a CPU")->check(CLI::Range(1, 64));
  app.add_flag("--alone", o.alone, "Without the loops beside it and without bytes_per_qp, for a profiler");
  add_runs(app, o.runs, o.duration, "200ms");
  app.callback([&o] {
    if (!o.port && o.workers > 1)
      throw CLI::ValidationError("--workers",
                                 "without a port there is one; leave it out, or write --port null");
  });
}

void add_responder(Commands& commands) {
  const auto o = std::make_shared<CraftOptions>();
  CLI::App& app =
      commands.add("responder", "Packets one core receives, checks, copies and acknowledges", [o] {
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
  CLI::App& app =
      commands.add("loop", "Board, ring, checking receiver, acknowledgements: two cores", [&commands, o] {
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
         "constant: the rate of the traffic; firmware, paper: the bucket of that congestion control")
      ->check(CLI::IsMember({"constant", "firmware", "paper"}));
  add_value<std::uint64_t>(app, "--bucket", o.bucket, config::parse_size,
                           "Token bucket of `paper`, 5KiB to 1GiB", "16KiB");
}

}  // namespace

void add_pacing(Commands& commands) {
  struct Options {
    PacingOptions pacing;
    bool suite = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& app = commands.add("pacing", "How well queue pairs keep to their rates", [&commands, options] {
    return run_pacing(commands.environment(), options->pacing, options->suite);
  });
  PacingOptions& o = options->pacing;
  add_value<std::uint64_t>(app, "--rate", o.rate, config::parse_bandwidth, "Of all queue pairs together",
                           "10Gb/s");
  app.add_option("--qps", o.qps, "Queue pairs, rate / qps each")->check(CLI::Range(1, 100'000));
  add_port(app, o.ring);
  add_algorithm(app, o);
  add_runs(app, o.runs, o.duration, "1s");
  app.add_flag("--suite", options->suite,
               "0.1 to 100 Gb/s by 1, 100 and 10,000 queue pairs instead of --rate and --qps");
  app.callback([&o] {
    if (o.bucket < 5'120 || o.bucket > (1U << 30))
      throw CLI::ValidationError("--bucket", "write 5KiB to 1GiB");
  });
}

void add_reaction(Commands& commands) {
  const auto o = std::make_shared<ReactionOptions>();
  CLI::App& app = commands.add("reaction", "How soon a congestion notification packet acts", [&commands, o] {
    return Outcome{bench_reaction(commands.environment(), *o)};
  });
  add_port(app, o->ring);
  add_transport(app, o->transport);
  app.add_option("--message", o->packets, "Packets of a message")->check(CLI::Range(1, 256));
  add_runs(app, o->runs, o->duration, "1s");
}

void add_srp(Commands& commands) {
  const auto o = std::make_shared<SrpOptions>();
  CLI::App& app = commands.add("srp", "Registers and stream of the slow control over loopback", [o] {
    return Outcome{o->board.empty() ? bench_srp(*o) : bench_srp_board(*o)};
  });
  app.add_option("--accesses", o->accesses, "Single reads of each run")->check(CLI::Range(1, 10'000'000));
  add_value<std::uint64_t>(app, "--stream", o->stream_bytes, config::parse_size,
                           "Streamed in each run, whole frames of 128 KiB", "256MiB");
  app.add_option("--runs", o->runs, "Runs the median is of")->check(CLI::Range(1, 1000));
  app.add_option("--board", o->board,
                 "Measure the board that runs at this address, e.g. softfeb run -c conf/board.yaml")
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
  CLI::App& app = commands.add("crc", "CRC-32 by ISA-L, DPDK and zlib, and ours",
                               [&commands, o] { return Outcome{bench_crc(commands.environment(), *o)}; });
  add_runs(app, o->runs, o->duration, "10ms");
}

void add_event_file(Commands& commands) {
  const auto o = std::make_shared<EventFileOptions>();
  CLI::App& app = commands.add("event-file", "How fast events reach the disk, beside plain writes", [o] {
    Outcome out{bench_event_file(*o)};
    if (out.result["not_written"] != 0) out.failed = "events were not written";
    return out;
  });
  app.add_option("--folder", o->folder, "Folder on the disk to measure")->check(CLI::ExistingDirectory);
  add_value<std::uint64_t>(app, "--bytes", o->bytes, config::parse_size, "Event data of each run", "1GiB");
  app.add_option("--runs", o->runs, "Runs the median is of")->check(CLI::Range(1, 1000));
}

void add_dcqcn(Commands& commands) {
  const auto o = std::make_shared<PartOptions>();
  CLI::App& app = commands.add("dcqcn", "What congestion control costs a packet and a CNP",
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
  CLI::App& app = commands.add("congestion",
                               "Cost of a packet and of an acknowledgement for each algorithm, and its scale",
                               [&commands, o] {
                                 Outcome out{bench_congestion(commands.environment(), *o)};
                                 out.failed = congestion_failure(out.result);
                                 return out;
                               });
  app.add_option("--algorithms", o->algorithms, "Only these, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(algorithm_names()));
  app.add_option("--qps", o->qps, "Queue pairs of the larger board")->check(CLI::Range(1, 1'000'000));
  add_pmtu(app, o->pmtu);
  app.add_option("--message", o->packets, "Packets of a message")->check(CLI::Range(1, 4096));
  add_runs(app, o->runs, o->duration, "1s");
  add_value<Time>(app, "--part", o->part, config::parse_time, "Of each run of an algorithm by itself",
                  "10ms");
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
