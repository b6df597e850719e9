// SPDX-License-Identifier: BSD-3-Clause
#include "config/units.hpp"
#include "craft.hpp"
#include "dataplane/error.hpp"
#include "pacing.hpp"
#include "reaction.hpp"
#include "srp.hpp"

#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>

using namespace softfeb;
using namespace softfeb::bench;

namespace {

/// An option with a unit, read as the configuration reads it.
template <typename T>
void add_value(CLI::App& app, const std::string& name, T& out, config::Parsed<T> (*parse)(const std::string&),
               const std::string& help, const std::string& type) {
  app.add_option_function<std::string>(
         name,
         [&out, parse, name](const std::string& text) {
           const config::Parsed<T> p = parse(text);
           if (!p.value) throw CLI::ValidationError(name, p.message + "; " + p.fix);
           out = *p.value;
         },
         help)
      ->type_name(type);
}

void add_port(CLI::App& app, bool& ring) {
  app.add_option_function<std::string>(
         "--port", [&ring](const std::string& p) { ring = p == "ring"; },
         "null: net_null; ring: net_ring with a far end on another CPU")
      ->check(CLI::IsMember({"null", "ring"}));
}

int write(const Json& result, const std::string& path) {
  const std::string text = result.dump(1) + "\n";
  if (path.empty()) {
    std::cout << text;
    return 0;
  }
  std::ofstream file(path);
  file << text;
  file.close();
  if (file) return 0;
  std::cerr << "softfeb-bench: cannot write " << path << "; name a file in a folder you may write to\n";
  return 3;
}

CLI::App* add_craft(CLI::App& top, CraftOptions& o) {
  CLI::App* const app = top.add_subcommand("craft", "Frames a board makes in a second on one core");
  app->add_option("--pmtu", o.pmtu, "Path MTU in bytes")->check(CLI::IsMember({256, 512, 1024, 2048, 4096}));
  app->add_option_function<std::string>(
         "--icrc", [&o](const std::string& i) { o.known_crc = i == "known"; },
         "known: payload CRCs prepared beforehand; full: over every byte")
      ->check(CLI::IsMember({"known", "full"}));
  app->add_option("--qps", o.qps, "Queue pairs that take turns")->check(CLI::Range(1, 1'000'000));
  app->add_option("--runs", o.runs, "Runs the median is of")->check(CLI::Range(1, 1000));
  return app;
}

CLI::App* add_pacing(CLI::App& top, PacingOptions& o, bool& suite) {
  CLI::App* const app = top.add_subcommand("pacing", "How well queue pairs keep to their rates");
  add_value<std::uint64_t>(*app, "--rate", o.rate, config::parse_bandwidth, "Of all queue pairs together",
                           "10Gb/s");
  app->add_option("--qps", o.qps, "Queue pairs, rate / qps each")->check(CLI::Range(1, 100'000));
  add_port(*app, o.ring);
  app->add_option_function<std::string>(
         "--algorithm",
         [&o](const std::string& a) {
           o.algorithm = a == "constant"   ? Algorithm::kConstant
                         : a == "firmware" ? Algorithm::kFirmware
                                           : Algorithm::kPaper;
         },
         "constant: the rate of the traffic; firmware, paper: the bucket of that congestion control")
      ->check(CLI::IsMember({"constant", "firmware", "paper"}));
  add_value<std::uint64_t>(*app, "--bucket", o.bucket, config::parse_size,
                           "Token bucket of `paper`, 5KiB to 1GiB", "16KiB");
  add_value<Time>(*app, "--duration", o.duration, config::parse_time, "Of each run", "1s");
  app->add_option("--runs", o.runs, "Runs the median is of")->check(CLI::Range(1, 1000));
  app->add_flag("--suite", suite,
                "0.1 to 100 Gb/s by 1, 100 and 10,000 queue pairs instead of --rate and --qps");
  app->callback([&o] {
    if (o.bucket < 5'120 || o.bucket > (1U << 30))
      throw CLI::ValidationError("--bucket", "write 5KiB to 1GiB");
  });
  return app;
}

CLI::App* add_reaction(CLI::App& top, ReactionOptions& o) {
  CLI::App* const app = top.add_subcommand("reaction", "How soon a congestion notification packet acts");
  add_port(*app, o.ring);
  add_value<Time>(*app, "--duration", o.duration, config::parse_time, "Of each run", "1s");
  app->add_option("--runs", o.runs, "Runs the median is of")->check(CLI::Range(1, 1000));
  return app;
}

CLI::App* add_srp(CLI::App& top, SrpOptions& o) {
  CLI::App* const app = top.add_subcommand("srp", "Registers and stream of the slow control over loopback");
  app->add_option("--accesses", o.accesses, "Single reads of each run")->check(CLI::Range(1, 10'000'000));
  add_value<std::uint64_t>(*app, "--stream", o.stream_bytes, config::parse_size,
                           "Streamed in each run, whole frames of 128 KiB", "256MiB");
  app->add_option("--runs", o.runs, "Runs the median is of")->check(CLI::Range(1, 1000));
  app->add_option("--board", o.board,
                  "Measure the board that runs at this address, e.g. softfeb run -c conf/board.yaml")
      ->type_name("IP");
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App top("Figures of softfeb's own parts, as JSON: medians over several runs, with their spread",
               "softfeb-bench");
  top.require_subcommand(1);
  CraftOptions craft;
  PacingOptions pacing;
  ReactionOptions reaction;
  SrpOptions srp;
  bool suite = false;
  std::string json;
  CLI::App* const crafting = add_craft(top, craft);
  CLI::App* const paced = add_pacing(top, pacing, suite);
  CLI::App* const controlled = add_srp(top, srp);
  for (CLI::App* const app : {crafting, paced, add_reaction(top, reaction), controlled}) {
    app->add_option("--json", json, "Write the result to this file instead of standard output")
        ->type_name("FILE");
  }
  try {
    top.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return top.exit(e) == 0 ? 0 : 2;
  }
  try {
    if (crafting->parsed()) return write(bench_craft(craft), json);
    if (controlled->parsed()) return write(srp.board.empty() ? bench_srp(srp) : bench_srp_board(srp), json);
    const Environment environment;
    if (!paced->parsed()) return write(bench_reaction(environment, reaction), json);
    const Json result = suite ? bench_pacing_suite(environment, pacing) : bench_pacing(environment, pacing);
    const int status = write(result, json);
    if (status != 0 || result.value("never_ahead", true)) return status;
    std::cerr << "softfeb-bench: a queue pair was ahead of its rate, or events were lost\n";
    return 1;
  } catch (const std::runtime_error& e) {  // EnvironmentError, SocketError, RegisterError
    std::cerr << "softfeb-bench: " << e.what() << "\n";
    return 3;
  }
}
