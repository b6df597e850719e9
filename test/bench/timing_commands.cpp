// SPDX-License-Identifier: BSD-3-Clause
// Commands about time: pacing, reaction, slow control.
#include "commands.hpp"
#include "config/units.hpp"
#include "pacing.hpp"
#include "reaction.hpp"
#include "srp.hpp"

namespace softfeb::bench {

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

}  // namespace softfeb::bench
