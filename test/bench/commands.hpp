// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"
#include "environment.hpp"
#include "roce/opcode.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace softfeb::bench {

/// Result of a benchmark.
struct Outcome {
  Json result;
  std::string failed{};  ///< description of the first check that failed; empty if all checks held
};

/// The program's subcommands. DPDK is started only for subcommands that need it.
class Commands {
 public:
  explicit Commands(CLI::App& top);

  /// Adds a subcommand that calls `run`. Returns the subcommand, so that the caller can add options.
  CLI::App& add(const std::string& name, const std::string& help, std::function<Outcome()> run);

  /// Returns the environment, which is created at the first call. `others` is the number of lcores in
  /// addition to the main one.
  const Environment& environment(unsigned others = 1);

  /// Runs the parsed subcommand and writes its result; returns the exit code.
  int run();

 private:
  struct Entry {
    CLI::App* app;
    std::function<Outcome()> run;
  };

  CLI::App& top_;
  std::vector<Entry> entries_;
  std::unique_ptr<Environment> environment_;
  std::string json_;
};

/// Adds an option with a unit, parsed as in configuration files.
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

/// Adds --runs and --duration.
void add_runs(CLI::App& app, unsigned& runs, Time& duration, const std::string& duration_now);
/// Adds --pmtu.
void add_pmtu(CLI::App& app, std::uint32_t& pmtu);
/// Adds --port null|ring.
void add_port(CLI::App& app, bool& ring);
/// Adds --transport rc|uc.
void add_transport(CLI::App& app, roce::Transport& transport);

void add_craft(Commands& commands);
void add_responder(Commands& commands);
void add_loop(Commands& commands);
void add_congestion(Commands& commands);
void add_crc(Commands& commands);
void add_dcqcn(Commands& commands);
void add_event_file(Commands& commands);
void add_latency(Commands& commands);
void add_references(Commands& commands);
void add_all(Commands& commands);
void add_pacing(Commands& commands);
void add_reaction(Commands& commands);
void add_srp(Commands& commands);

}  // namespace softfeb::bench
