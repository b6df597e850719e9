// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include "base/exit_code.hpp"
#include "config/error.hpp"
#include "config/installation.hpp"
#include "conformance/notation.hpp"
#include "dataplane/error.hpp"
#include "describe/command_line_json.hpp"
#include "doctor.hpp"
#include "experiment/ensemble.hpp"
#include "experiment/run_conformance.hpp"
#include "experiment/run_experiment.hpp"
#include "experiment/run_switch_test.hpp"
#include "experiment/send_triggers.hpp"
#include "option_values.hpp"
#include "peers/peer.hpp"
#include "regs.hpp"
#include "roce/cpu.hpp"
#include "service/log.hpp"
#include "sockets/udp_socket.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace softfeb::app {

namespace {

/// Rejects empty arguments, for example from an unset shell variable.
CLI::Validator named() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("is empty; fix: name one") : std::string();
          },
          ""};
}

/// Finds a configuration by its name. Use it with transform().
CLI::Validator configuration() {
  return {[](std::string& path) {
            if (path.empty()) return std::string("is empty; fix: name one");
            path = config::find_configuration(path);
            return std::string();
          },
          ""};
}

/// Command-line arguments of `softfeb run` and `softfeb lab`.
struct ExperimentArguments {
  experiment::Options options;
  std::optional<std::string> duration;
  std::optional<std::string> messages;  ///< only for `softfeb run`
};

/// The parts of the help texts in which `run` and `lab` differ.
struct HelpTexts {
  const char* config;
  const char* example_of_set;
  const char* default_of_web;
};

CLI::Option* add_duration(CLI::App& command, ExperimentArguments& a) {
  return command
      .add_option("--duration", a.duration, "How long to send, in seconds or with a unit, e.g. 10 or 500ms")
      ->type_name("TIME");
}

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

void add_input(CLI::App& command, experiment::Options& o, const HelpTexts& help) {
  command.add_option("-c,--config", o.config, help.config)->required()->transform(configuration());
  command.add_option("--set", o.overrides, std::string("Override a key, e.g. ") + help.example_of_set)
      ->type_name("KEY=VALUE");
}

/// Adds --log-level. With --log-level notice, a program that runs for weeks logs its events but not its
/// progress. --quiet is no substitute, because it also suppresses the events.
void add_log_level(CLI::App& command, CLI::Option& quiet) {
  command
      .add_option_function<std::string>(
          "--log-level",
          [](const std::string& name) { service::log().set_level(service::level_of(name).value()); },
          "Which messages to print: those of this level and of more serious ones. info: also progress, "
          "once a second. Default: info")
      ->type_name("LEVEL")
      ->check(CLI::IsMember(service::level_names()))
      ->excludes(&quiet);
}

void add_output(CLI::App& command, experiment::Options& o, const HelpTexts& help) {
  command.add_option("--json", o.json, "Write the result as JSON to this file (- for standard output)")
      ->type_name("FILE")
      ->check(named());
  command
      .add_option("--report", o.report,
                  "Write configuration, result, time series and pictures to this folder")
      ->type_name("DIR")
      ->check(named());
  command.add_flag_callback(
      "--no-pictures", [&o] { o.pictures = false; },
      "Write only data to the report folder, no page and no charts");
  add_web(command, o.overrides, help.default_of_web);
  command.add_flag("--hold", o.hold,
                   "Keep serving the live page, with the result, after the run until Ctrl-C");
  add_log_level(command,
                *command.add_flag("-q,--quiet", o.quiet, "Print no progress and no table, only problems"));
}

void add_run(CLI::App& top, ExperimentArguments& a) {
  const HelpTexts help = {"Configuration file (conf/reference.yaml documents every key)",
                          "boards.feb0.qps.0.traffic.rate=5Gb/s", "off"};
  CLI::App& run = *top.add_subcommand("run", "Run the boards and receivers of a configuration");
  add_input(run, a.options, help);
  auto* const duration = add_duration(run, a);
  run.add_option("--messages", a.messages, "How many messages each QP sends")
      ->type_name("N")
      ->excludes(duration);
  add_output(run, a.options, help);
}

void add_sweep(CLI::App& lab, study::StudyOptions& o) {
  CLI::App& sweep = *lab.add_subcommand(
      "sweep",
      "Run the topology in virtual time at every point of lab.sweep, and print a table. Takes the options of "
      "`softfeb lab` as well");
  sweep.fallthrough();
  sweep.add_option("--out", o.out, "Store each point in this folder, and run only points that it lacks")
      ->type_name("DIR")
      ->check(named());
  sweep
      .add_option("--task", o.task,
                  "With --out: run only task I of N: points I, I+N, I+2N, ... auto: the number that Slurm or "
                  "mpirun gave to this process")
      ->type_name("I/N")
      ->check(named());
  sweep.add_flag("--collect", o.collect, "With --out: run nothing, combine the points in the folder");
  sweep
      .add_option("--on", o.on,
                  "With --out: let this engine run the points, then collect them: slurm, parallel (GNU "
                  "parallel)")
      ->type_name("ENGINE")
      ->check(named());
  sweep.add_option("--hosts", o.hosts, "With --on parallel: run on these hosts, by ssh. Default: this host")
      ->type_name("HOST,...")
      ->check(named());
  sweep
      .add_option("--tasks", o.tasks,
                  "With --on: divide the study into N tasks. Default: tasks of 30 s for "
                  "slurm, one point each for parallel")
      ->type_name("N");
  sweep.add_option("--on-args", o.engine_args, "With --on: further arguments of sbatch or parallel")
      ->type_name("ARGS");
  sweep.add_flag("--existing", o.existing,
                 "With --out: fail if the folder has no study, for example because it is not shared");
  sweep
      .add_option("--threads", o.threads,
                  "Run N points at a time. Default: one for each CPU, but one in a task")
      ->type_name("N");
}

void add_lab(CLI::App& top, ExperimentArguments& a) {
  const HelpTexts help = {"Topology (conf/lab has some; conf/lab/reference.yaml documents every key)",
                          "boards.feb.dcqcn.rai=100Mb/s", "on, except in virtual time or with --quiet"};
  CLI::App& lab =
      *top.add_subcommand("lab", "Run boards, switches and receivers of a topology on this machine");
  add_input(lab, a.options, help);
  add_duration(lab, a);
  lab.add_flag("--virtual", a.options.virtual_time,
               "Run in virtual time: no DPDK, no clock, the same result every time");
  add_output(lab, a.options, help);
  add_sweep(lab, a.options.study);
  CLI::App& compare = *lab.add_subcommand("compare",
                                          "Run the topology in virtual time once for each congestion "
                                          "control, and print a table. Takes the options "
                                          "of `softfeb lab` as well");
  compare.fallthrough();
  compare
      .add_option("--algorithms", a.options.algorithms,
                  "Congestion controls to compare, e.g. dcqcn,timely,swift,hpcc,homa: names of sections in "
                  "lab.compare, values of `congestion`, or paths of plug-ins. Default: all of lab.compare; "
                  "without it, dcqcn and all other algorithms that can be used")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->check(named());
}

/// Appends "s" to a number without a unit. The config loader validates the result.
std::string in_seconds(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
  return number ? text + "s" : text;
}

void add_trigger(CLI::App& top, experiment::TriggerOptions& o) {
  CLI::App& trigger = *top.add_subcommand(
      "trigger", "Send the triggers of a configuration (mode: message) to its boards, as UDP messages");
  trigger.add_option("-c,--config", o.config, "Configuration of `softfeb run` or `softfeb lab`")
      ->required()
      ->transform(configuration());
  trigger.add_option("--set", o.overrides, "Override a key, e.g. run.start_at=2199-01-01T00:00:00Z")
      ->type_name("KEY=VALUE");
  trigger.add_option("--trigger", o.trigger, "Element of `triggers`. Default: the one with mode: message")
      ->type_name("NAME");
  trigger
      .add_option_function<std::string>(
          "--duration",
          [&o](const std::string& text) { o.overrides.push_back("run.duration=" + in_seconds(text)); },
          "How long to send, in seconds or with a unit, e.g. 10 or 500ms")
      ->type_name("TIME");
  trigger.add_option("--json", o.json, "Write the result as JSON to this file (- for standard output)")
      ->type_name("FILE")
      ->check(named());
  trigger.add_flag("-q,--quiet", o.quiet, "Print only problems");
}

void add_conformance(CLI::App& top, experiment::ConformanceOptions& o) {
  CLI::App& c =
      *top.add_subcommand("conformance",
                          "Test an RDMA receiver: send packets that are right or wrong in one respect, and "
                          "judge the answers");
  c.add_option("-c,--config", o.config, "Configuration with a port, a board and a section `conformance`")
      ->transform(configuration());
  c.add_option("--set", o.overrides, "Override a key, e.g. ports.0.device=0000:03:00.0")
      ->type_name("KEY=VALUE");
  c.add_option(
       "--target", o.target,
       "The receiver: sink://HOST[:PORT], perftest://HOST[:PORT], own:, own:virtual or listed. Default "
       "without -c: own:virtual, softfeb's receiver in virtual time")
      ->type_name("URL")
      ->check(named());
  c.add_option("--profile", o.profile, "What is known about the target: a name, or a file")
      ->type_name("NAME|FILE")
      ->check(named());
  c.add_option("--cases", o.cases, "Groups and cases to run, e.g. PSN,UC-09,!STR. Default: all")
      ->type_name("LIST")
      ->check(named());
  c.add_option("--level", o.levels, "Run only cases of these levels: shall, should, may, measure, robustness")
      ->type_name("LEVEL,...")
      ->delimiter(',');
  auto* const quick =
      c.add_flag("--quick", o.quick, "Run only cases of level shall that do not send at a high rate");
  c.add_flag("--full", o.full, "Run all cases that send at a low rate (default)")->excludes(quick);
  c.add_flag("--stress", o.stress, "Also run cases that send at the rate of the link")->excludes(quick);
  c.add_flag("--destructive", o.destructive, "Also run cases that may crash the target, last");
  c.add_flag("--strict", o.strict, "Fail if a deviation that the profile lists does not occur");
  c.add_flag("--allow-inconclusive", o.allow_inconclusive, "Do not fail because of inconclusive cases");
  c.add_option_function<std::string>(
       "--attempts", [&o](const std::string& n) { o.overrides.push_back("conformance.attempts=" + n); },
       "Attempts of a case that stays inconclusive. Default: 2")
      ->type_name("N");
  c.add_option_function<std::string>(
       "--time-limit",
       [&o](const std::string& t) { o.overrides.push_back("conformance.time_limit=" + in_seconds(t)); },
       "End the run after this time. It fails if cases have not run by then")
      ->type_name("TIME");
  c.add_option("--out", o.out, "Write the report to this folder. Default: softfeb-conformance")
      ->type_name("DIR")
      ->check(named());
  c.add_option("--json", o.json, "Write the result as JSON to this file (- for standard output)")
      ->type_name("FILE")
      ->check(named());
  c.add_option("--write-profile", o.write_profile, "Write a draft of a profile with the failures of this run")
      ->type_name("FILE")
      ->check(named());
  c.add_flag("--list", o.list, "Print all cases, and why some of them would not run");
  c.add_option("--explain", o.explain,
               "Explain a case: what is sent, what is expected, and which profiles deviate")
      ->type_name("CASE");
  c.add_flag("-q,--quiet", o.quiet, "Print only problems");
}

void add_switch_test(CLI::App& top, experiment::SwitchTestOptions& o) {
  CLI::App& c = *top.add_subcommand(
      "switch-test", "Measure a switch from outside: its queues, rate, latency, memory and paths");
  c.add_option("-c,--config", o.config,
               "Configuration with a section `switch_test` (conf/switch-test has some)")
      ->transform(configuration());
  c.add_option("--set", o.overrides, "Override a key, e.g. switch_test.rig=rings")->type_name("KEY=VALUE");
  c.add_option("--only", o.only, "Tests to run, e.g. dscp,mtu. Default: all except soak")
      ->type_name("TEST,...")
      ->delimiter(',')
      ->check(named());
  c.add_option_function<std::string>(
       "--profile", [&o](const std::string& p) { o.overrides.push_back("switch_test.profile=" + p); },
       "How long to measure: quick, standard or rfc (RFC 2544). Default: standard")
      ->type_name("NAME")
      ->check(named());
  c.add_option("--expect", o.expect, "What the figures should be. Without it, no figure is a failure")
      ->type_name("FILE")
      ->check(named());
  c.add_option("--report", o.report, "Write result, page and data sheet to this folder")
      ->type_name("DIR")
      ->check(named());
  c.add_option("--json", o.json, "Write the result as JSON to this file (- for standard output)")
      ->type_name("FILE")
      ->check(named());
  c.add_option("--junit", o.junit, "Write the result as JUnit XML to this file (- for standard output)")
      ->type_name("FILE")
      ->check(named());
  c.add_option("--as-lab", o.as_lab,
               "Write the measured switch as a configuration of softfeb lab (- for standard output)")
      ->type_name("FILE")
      ->check(named());
  c.add_flag("--strict", o.strict, "Fail if a test is inconclusive or an expectation is undecided");
  c.add_flag("--list", o.list, "Print all tests");
  c.add_flag("-q,--quiet", o.quiet, "Print only problems");
}

void add_doctor(CLI::App& top, DoctorOptions& o) {
  CLI::App* const doctor =
      top.add_subcommand("doctor", "Check this machine and its ports, and suggest a fix for each problem");
  doctor->add_option("-c,--config", o.config, "Also check the ports of this configuration")
      ->transform(configuration());
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

int experiment_command(ExperimentArguments& a, experiment::Options::Command command, const Program& program) {
  a.options.command = command;
  if (a.duration) a.options.overrides.push_back("run.duration=" + in_seconds(*a.duration));
  if (a.messages) a.options.overrides.push_back("run.messages=" + *a.messages);
  using Command = experiment::Options::Command;
  if (command == Command::kSweep) return experiment::run_sweep(a.options);
  if (command == Command::kCompare) return experiment::run_compare(a.options);
  return experiment::run_experiment(a.options, program.exchange, program.hosts);
}

/// Returns true if this process is one of several that carry out the command together.
bool one_of_several(const Program& program) {
  return program.exchange != nullptr && program.exchange->size() > 1;
}

/// Prints an error message and returns `code`. If this process is one of several, also ends the other
/// processes, because they would wait for this one.
int complain(const Program& program, int code, const char* what) {
  if (!one_of_several(program)) {
    service::error(fmt::format("{}: {}", program.name, what));
    return code;
  }
  service::error(
      fmt::format("{}: {}: {}", program.name, experiment::process_name(program.exchange->rank()), what));
  program.exchange->end_all(code);
  return code;
}

/// Reports an error that occurs in all processes alike: only process 0 prints the message. Returns `code`.
int complain_once(const Program& program, int code, const std::string& what) {
  if (!one_of_several(program) || program.exchange->rank() == 0)
    service::error(fmt::format("{}: {}", program.name, what));
  return code;
}

/// Returns true if `name` is a subcommand. For an unknown subcommand, CLI11 would only report that a
/// subcommand is missing, so this is checked here.
bool has_subcommand(const CLI::App& top, const std::string& name) {
  return !top.get_subcommands([&](const CLI::App* sub) { return sub->check_name(name); }).empty();
}

/// Tells the other processes whether this process can carry out its command. Returns true if all processes
/// can. Otherwise, no process may begin, because it would wait for the others.
bool all_ready(const Program& program, bool mine) {
  return !one_of_several(program) ? mine : program.exchange->all(mine);
}

/// Returns true if several processes can carry out this command together.
bool shares_work(const CLI::App& top, const ExperimentArguments& lab_arguments) {
  if (top.got_subcommand("run")) return true;
  if (!top.got_subcommand("lab")) return false;
  return lab_arguments.options.virtual_time && top.get_subcommand("lab")->get_subcommands().empty();
}

}  // namespace

int run_command_line(int argc, char** argv, const Program& program) {
  CLI::App top("softfeb: a software front-end board (RoCEv2 RDMA WRITE over DPDK)", program.name);
  top.require_subcommand(1);
  top.set_version_flag("--version", std::string("softfeb ") + SOFTFEB_VERSION);
  top.footer(
      "Exit status: 0 done and all checks held; 1 a check failed; 2 bad usage or configuration; 3 the "
      "environment lacks something.");
  ExperimentArguments run_arguments;
  add_run(top, run_arguments);
  ExperimentArguments lab_arguments;
  add_lab(top, lab_arguments);
  experiment::TriggerOptions trigger_options;
  add_trigger(top, trigger_options);
  experiment::ConformanceOptions conformance_options;
  add_conformance(top, conformance_options);
  experiment::SwitchTestOptions switch_test_options;
  add_switch_test(top, switch_test_options);
  DoctorOptions doctor_options;
  add_doctor(top, doctor_options);
  RegsOptions regs_options;
  add_regs(top, regs_options);
  describe::add_describe_option(top, option_values);
  add_describe_configuration(top);
  if (const char* const cpu = std::getenv("SOFTFEB_CPU"); cpu != nullptr && !roce::cpu::is_choice(cpu)) {
    const std::string text =
        fmt::format("SOFTFEB_CPU is \"{}\"; fix: use native or portable, or unset it", cpu);
    return complain(program, kBadUsage, text.c_str());
  }
  if (argc > 1 && argv[1][0] != '-' && !has_subcommand(top, argv[1])) {
    const std::string text =
        fmt::format("unknown subcommand \"{}\"; fix: {} --help lists them", argv[1], program.name);
    all_ready(program, false);
    return complain_once(program, kBadUsage, text);
  }
  try {
    top.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    all_ready(program, false);
    if (one_of_several(program) && program.exchange->rank() != 0)
      return e.get_exit_code() == 0 ? kDone : kBadUsage;
    return top.exit(e) == 0 ? kDone : kBadUsage;
  }
  const bool ready = !one_of_several(program) || shares_work(top, lab_arguments);
  if (!all_ready(program, ready))
    return complain_once(
        program, kBadUsage,
        ready ? "another process has a different command; fix: give all processes the same one"
              : "several processes can share only the work of `run` and of `lab --virtual`; fix: "
                "add --virtual, or start softfeb without mpirun");
  try {
    using Command = experiment::Options::Command;
    if (top.got_subcommand("regs")) return regs(regs_options);
    if (top.got_subcommand("trigger")) return experiment::send_triggers(trigger_options);
    if (top.got_subcommand("conformance")) return experiment::run_conformance(conformance_options);
    if (top.got_subcommand("switch-test")) return experiment::run_switch_test(switch_test_options);
    if (top.got_subcommand("doctor")) return doctor(doctor_options);
    if (top.got_subcommand("run")) return experiment_command(run_arguments, Command::kRun, program);
    const CLI::App& lab = *top.get_subcommand("lab");
    return experiment_command(lab_arguments,
                              lab.got_subcommand("sweep")     ? Command::kSweep
                              : lab.got_subcommand("compare") ? Command::kCompare
                                                              : Command::kLab,
                              program);
  } catch (const experiment::EnsembleFailure& e) {
    return *e.what() == 0 ? e.status() : complain_once(program, e.status(), e.what());
  } catch (const config::ConfigError& e) {
    return complain(program, kBadUsage, e.what());
  } catch (const dataplane::RequestError& e) {
    return complain(program, kBadUsage, e.what());
  } catch (const conformance::NotationError& e) {
    return complain(program, kBadUsage, e.what());
  } catch (const peers::PeerError& e) {
    return complain(program, e.exit_code(), e.what());
  } catch (const sockets::SocketError& e) {
    return complain(program, kEnvironment, e.what());
  } catch (const dataplane::EnvironmentError& e) {
    return complain(program, kEnvironment, e.what());
  } catch (const std::bad_alloc&) {
    return complain(program, kEnvironment, "out of memory; fix: use a smaller configuration, or add memory");
  } catch (const std::exception& e) {
    return complain(program, kEnvironment, e.what());
  }
}

}  // namespace softfeb::app
