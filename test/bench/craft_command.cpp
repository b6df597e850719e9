// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "craft.hpp"
#include "craft_check.hpp"
#include "loop.hpp"
#include "responder.hpp"

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
  app.add_flag("--paced,!--no-pacing", o.paced,
               "Congestion control: the firmware's, its rate above what a core can do (default), or none");
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

}  // namespace softfeb::bench
