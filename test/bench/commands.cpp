// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include "config/units.hpp"

#include <fstream>
#include <iostream>

namespace softfeb::bench {

namespace {

int write_result(const Json& result, const std::string& path) {
  const std::string text = result.dump(1) + "\n";
  if (path.empty()) {
    std::cout << text;
    return 0;
  }
  std::ofstream file(path);
  file << text;
  file.close();
  if (file) return 0;
  std::cerr << "softfeb-bench: cannot write " << path << "; name a file in a writable folder\n";
  return 3;
}

}  // namespace

Commands::Commands(CLI::App& top) : top_(top) { top_.require_subcommand(1); }

CLI::App& Commands::add(const std::string& name, const std::string& help, std::function<Outcome()> run) {
  CLI::App* const app = top_.add_subcommand(name, help);
  app->add_option("--json", json_, "Write the result to this file instead of standard output")
      ->type_name("FILE");
  entries_.push_back({app, std::move(run)});
  return *app;
}

const Environment& Commands::environment(unsigned others) {
  if (environment_ == nullptr) environment_ = std::make_unique<Environment>(others);
  return *environment_;
}

int Commands::run() {
  for (const Entry& entry : entries_) {
    if (!entry.app->parsed()) continue;
    const Outcome outcome = entry.run();
    const int status = write_result(outcome.result, json_);
    if (status != 0 || outcome.failed.empty()) return status;
    std::cerr << "softfeb-bench: " << outcome.failed << "\n";
    return 1;
  }
  return 2;
}

void add_runs(CLI::App& app, unsigned& runs, Time& duration, const std::string& duration_now) {
  app.add_option("--runs", runs, "Number of runs, of which the median is taken")->check(CLI::Range(1, 1000));
  add_value<Time>(app, "--duration", duration, config::parse_time, "Duration of each run", duration_now);
}

void add_pmtu(CLI::App& app, std::uint32_t& pmtu) {
  app.add_option("--pmtu", pmtu, "Path MTU in bytes")->check(CLI::IsMember({256, 512, 1024, 2048, 4096}));
}

void add_port(CLI::App& app, bool& ring) {
  app.add_option_function<std::string>(
         "--port", [&ring](const std::string& p) { ring = p == "ring"; },
         "null: send to net_null; ring: send over net_ring to another CPU")
      ->check(CLI::IsMember({"null", "ring"}));
}

void add_transport(CLI::App& app, roce::Transport& transport) {
  app.add_option_function<std::string>(
         "--transport",
         [&transport](const std::string& t) {
           transport = t == "rc" ? roce::Transport::kRc : roce::Transport::kUc;
         },
         "rc: acknowledged by the benchmark; uc")
      ->check(CLI::IsMember({"rc", "uc"}));
}

}  // namespace softfeb::bench
