// SPDX-License-Identifier: BSD-3-Clause
#include "base/exit_code.hpp"
#include "config/error.hpp"
#include "dataplane/error.hpp"
#include "doctor.hpp"
#include "experiment/run_experiment.hpp"
#include "peers/peer.hpp"
#include "regs.hpp"
#include "roce/cpu.hpp"
#include "sockets/udp_socket.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace softfeb;
using namespace softfeb::app;

namespace {

/// Adds --web, with an optional address, which the config loader validates.
void add_web(CLI::App& command, std::vector<std::string>& overrides, const std::string& usual) {
  command
      .add_option_function<std::string>(
          "--web",
          [&overrides](const std::string& where) {
            overrides.push_back("run.web=" + (where.empty() ? "on" : where));
          },
          "Serve the live page, /metrics and JSON: off, on, a port, or ADDRESS[:PORT]. --web alone: on. "
          "Default: " +
              usual)
      ->type_name("[ADDRESS]")
      ->expected(0, 1);
}

void add_hold(CLI::App& command, bool& hold) {
  command.add_flag("--hold", hold, "Keep serving the live page, with the result, after the run until Ctrl-C");
}

/// Rejects empty arguments, for example from an unset shell variable.
CLI::Validator named() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("is empty; fix: name one") : std::string();
          },
          ""};
}

struct RunArguments {
  experiment::Options options;
  std::optional<std::string> duration;
  std::optional<std::string> messages;
};

void add_pictures(CLI::App& command, bool& pictures) {
  command.add_flag_callback(
      "--no-pictures", [&pictures] { pictures = false; },
      "Write only data to the report folder, no page and no charts");
}

void add_run(CLI::App& top, RunArguments& a) {
  CLI::App* const run = top.add_subcommand("run", "Run the boards and receivers of a configuration");
  run->add_option("-c,--config", a.options.config,
                  "Configuration file (conf/reference.yaml documents every key)")
      ->required()
      ->check(named());
  run->add_option("--set", a.options.overrides, "Override a key, e.g. boards.feb0.qps.0.traffic.rate=5Gb/s")
      ->type_name("KEY=VALUE");
  auto* const duration = run->add_option("--duration", a.duration,
                                         "How long to send, in seconds or with a unit, e.g. 10 or 500ms")
                             ->type_name("TIME");
  run->add_option("--messages", a.messages, "How many messages each QP sends")
      ->type_name("N")
      ->excludes(duration);
  run->add_option("--json", a.options.json, "Write the result as JSON to this file (- for standard output)")
      ->type_name("FILE")
      ->check(named());
  run->add_option("--report", a.options.report,
                  "Write configuration, result, time series and pictures to this folder")
      ->type_name("DIR")
      ->check(named());
  add_pictures(*run, a.options.pictures);
  add_web(*run, a.options.overrides, "off");
  add_hold(*run, a.options.hold);
  run->add_flag("-q,--quiet", a.options.quiet, "Print no progress and no table, only problems");
}

struct LabArguments {
  experiment::Options options;
  std::optional<std::string> duration;
};

void add_lab(CLI::App& top, LabArguments& a) {
  CLI::App* const lab =
      top.add_subcommand("lab", "Run boards, switches and receivers of a topology on this machine");
  lab->add_option("-c,--config", a.options.config,
                  "Topology (conf/lab has some; conf/lab/reference.yaml documents every key)")
      ->required()
      ->check(named());
  lab->add_option("--set", a.options.overrides, "Override a key, e.g. boards.feb.dcqcn.rai=100Mb/s")
      ->type_name("KEY=VALUE");
  lab->add_option("--duration", a.duration, "How long to send, in seconds or with a unit, e.g. 10 or 500ms")
      ->type_name("TIME");
  lab->add_flag("--virtual", a.options.virtual_time,
                "Run in virtual time: no DPDK, no clock, the same result every time");
  lab->add_option("--json", a.options.json, "Write the result as JSON to this file (- for standard output)")
      ->type_name("FILE")
      ->check(named());
  lab->add_option("--report", a.options.report,
                  "Write configuration, result, time series and pictures to this folder")
      ->type_name("DIR")
      ->check(named());
  add_pictures(*lab, a.options.pictures);
  add_web(*lab, a.options.overrides, "on, except in virtual time or with --quiet");
  add_hold(*lab, a.options.hold);
  lab->add_flag("-q,--quiet", a.options.quiet, "Print no progress and no table, only problems");
  lab->add_subcommand("sweep",
                      "Run the topology in virtual time at every point of lab.sweep, and print a table")
      ->fallthrough();
}

void add_doctor(CLI::App& top, DoctorOptions& o) {
  CLI::App* const doctor =
      top.add_subcommand("doctor", "Check this machine and its ports, and suggest a fix for each problem");
  doctor->add_option("-c,--config", o.config, "Also check the ports of this configuration")->check(named());
  doctor->add_option("--set", o.overrides, "Override a key of the configuration")->type_name("KEY=VALUE");
  doctor->add_flag("--json", o.json, "Print JSON");
}

void add_regs(CLI::App& top, RegsOptions& o) {
  CLI::App* const regs = top.add_subcommand("regs", "Print the register space of a board's firmware");
  regs->add_option("--profile", o.profile, "Firmware profile (default: kcu105-rocev2-2026.05)")
      ->type_name("NAME");
  auto* const csv = regs->add_flag("--csv", o.csv, "Print CSV: path,address,bit_offset,bit_size,mode,reset");
  regs->add_flag("--json", o.json, "Print JSON")->excludes(csv);
}

/// Appends the unit to a number without one. The config loader validates the rest.
std::string in_seconds(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
  return number ? text + "s" : text;
}

int run_command(RunArguments& a) {
  if (a.duration) a.options.overrides.push_back("run.duration=" + in_seconds(*a.duration));
  if (a.messages) a.options.overrides.push_back("run.messages=" + *a.messages);
  return experiment::run_experiment(a.options);
}

int lab_command(LabArguments& a, bool sweep) {
  using Command = experiment::Options::Command;
  if (a.duration) a.options.overrides.push_back("run.duration=" + in_seconds(*a.duration));
  a.options.command = sweep ? Command::kSweep : Command::kLab;
  return sweep ? experiment::run_sweep(a.options) : experiment::run_experiment(a.options);
}

int complain(int code, const char* what) {
  fmt::print(stderr, "softfeb: {}\n", what);
  return code;
}

/// CLI11 reports an unknown subcommand only as a missing one.
bool has_subcommand(const CLI::App& top, const std::string& name) {
  return !top.get_subcommands([&](const CLI::App* sub) { return sub->check_name(name); }).empty();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App top("softfeb: a software front-end board (RoCEv2 RDMA WRITE over DPDK)", "softfeb");
  top.require_subcommand(1);
  top.set_version_flag("--version", std::string("softfeb ") + SOFTFEB_VERSION);
  top.footer(
      "Exit status: 0 done and all checks held; 1 a check failed; 2 bad usage or configuration; 3 the "
      "environment lacks something.");
  RunArguments run_arguments;
  add_run(top, run_arguments);
  LabArguments lab_arguments;
  add_lab(top, lab_arguments);
  DoctorOptions doctor_options;
  add_doctor(top, doctor_options);
  RegsOptions regs_options;
  add_regs(top, regs_options);
  if (const char* const cpu = std::getenv("SOFTFEB_CPU"); cpu != nullptr && !roce::cpu::is_choice(cpu)) {
    const std::string text =
        fmt::format("SOFTFEB_CPU is \"{}\"; fix: use native or portable, or unset it", cpu);
    return complain(kBadUsage, text.c_str());
  }
  if (argc > 1 && argv[1][0] != '-' && !has_subcommand(top, argv[1])) {
    const std::string text =
        fmt::format("unknown subcommand \"{}\"; fix: softfeb --help lists them", argv[1]);
    return complain(kBadUsage, text.c_str());
  }
  try {
    top.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return top.exit(e) == 0 ? kDone : kBadUsage;
  }
  try {
    if (top.got_subcommand("regs")) return regs(regs_options);
    if (top.got_subcommand("lab"))
      return lab_command(lab_arguments, top.get_subcommand("lab")->got_subcommand("sweep"));
    return top.got_subcommand("doctor") ? doctor(doctor_options) : run_command(run_arguments);
  } catch (const config::ConfigError& e) {
    return complain(kBadUsage, e.what());
  } catch (const dataplane::RequestError& e) {
    return complain(kBadUsage, e.what());
  } catch (const peers::PeerError& e) {
    return complain(e.exit_code(), e.what());
  } catch (const sockets::SocketError& e) {
    return complain(kEnvironment, e.what());
  } catch (const dataplane::EnvironmentError& e) {
    return complain(kEnvironment, e.what());
  } catch (const std::bad_alloc&) {
    return complain(kEnvironment, "out of memory; fix: use a smaller configuration, or add memory");
  } catch (const std::exception& e) {
    return complain(kEnvironment, e.what());
  }
}
