// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "board/profile.hpp"
#include "commands.hpp"
#include "config/error.hpp"
#include "config/units.hpp"
#include "describe/command_line_json.hpp"
#include "failure.hpp"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

/// Each subcommand sets `command` when it is parsed.
struct Parser {
  CLI::App top{"febctl: controls the registers, connections and bursts of a front-end board or of softfeb",
               "febctl"};
  Options options;
  double timeout = 5;

  /// Adds a subcommand that calls `run` with `command`. The caller binds the flags to the members of
  /// `command`.
  template <class Command, class Run>
  CLI::App* add(const char* name, const char* text, std::shared_ptr<Command> command, Run run) {
    CLI::App* const sub = top.add_subcommand(name, text);
    sub->fallthrough();  // --ip may also follow the command
    sub->callback([this, command, run] {
      options.command = [command, run](Context& context) { run(context, *command); };
    });
    return sub;
  }
};

void add_read(Parser& parser) {
  auto o = std::make_shared<ReadOptions>();
  CLI::App* const sub = parser.add("read", "Read registers by name, pattern or address", o, read_command);
  sub->add_option("what", o->what, "AxiVersion.ScratchPad, 'Dcqcn.*', 0x4, 0x80010000:64 (bytes)")
      ->required()
      ->type_name("NAME|ADDRESS");
  CLI::Option* const watch = sub->add_option("--watch", o->watch, "Repeat at this interval")
                                 ->type_name("SECONDS")
                                 ->check(CLI::Range(0.001, 1e6));
  sub->add_option("--times", o->times, "Number of repetitions; default: until Ctrl-C")
      ->needs(watch)
      ->type_name("N");
}

void add_write(Parser& parser) {
  auto o = std::make_shared<WriteOptions>();
  CLI::App* const sub = parser.add("write", "Write registers, and read them back", o, write_command);
  sub->add_option("words", o->words,
                  "A value is a number (0x…), name, text or address; for an array a list: 1,2,3; for an "
                  "ADDRESS, words")
      ->required()
      ->expected(2, 2048)
      ->type_name("NAME VALUE");
  sub->add_flag_callback(
      "--no-verify", [o] { o->verify = false; }, "Do not read back");
  sub->add_flag("--posted", o->posted, "Use posted writes: the board does not respond");
}

void add_list(Parser& parser) {
  auto o = std::make_shared<ListOptions>();
  CLI::App* const sub =
      parser.add("list", "List the registers of the profile; needs no board", o, list_command);
  sub->add_option("node", o->node,
                  "List only registers below this node of the tree, or matching this pattern")
      ->type_name("NODE");
}

void add_dump(Parser& parser) {
  auto o = std::make_shared<DumpOptions>();
  CLI::App* const sub = parser.add("dump", "Read all registers", o, dump_command);
  sub->add_option("node", o->node,
                  "Read only registers below this node of the tree, or matching this pattern")
      ->type_name("NODE");
  sub->add_flag("--yaml", o->yaml, "Settings only, in the format of febctl load");
  sub->add_option("-o,--output", o->file, "Write to this file")->type_name("FILE");
}

void add_load(Parser& parser) {
  auto o = std::make_shared<LoadOptions>();
  CLI::App* const sub = parser.add(
      "load", "Write the register values of a YAML file, if all of them are valid", o, load_command);
  sub->add_option("file", o->file, "YAML file: a tree of names, or NAME: VALUE lines")
      ->required()
      ->type_name("FILE");
  sub->add_flag_callback(
      "--no-verify", [o] { o->verify = false; }, "Do not read back");
  sub->add_flag("--check", o->dry_run, "Only validate the file; needs no board");
}

/// Accepts a size as in configuration files (16MiB), or a number of bytes.
CLI::Option* sized(CLI::Option* option) {
  return option->type_name("SIZE")->transform(
      [](const std::string& text) {
        const auto size = config::parse_size(text);
        return size.value ? std::to_string(*size.value) : text;
      },
      "");
}

void add_traffic(CLI::App* sub, ConnectOptions& c) {
  sized(sub->add_option("--size", c.size, "Message size in bytes"))
      ->capture_default_str()
      ->check(CLI::Range(1U, 1U << 31));
  sub->add_option("--slots", c.slots, "Message slots to use in the host's memory; 0: as many as fit")
      ->capture_default_str();
  sub->add_option("--psn", c.psn, "PSN of the board's first packet (the PSN the host expects)")
      ->check(CLI::Range(0U, 0xffffffU));
  sub->add_option("--pmtu", c.pmtu, "Path MTU")->capture_default_str();
  sub->add_option("--retry", c.retry, "Retries after timeouts and NAKs")
      ->capture_default_str()
      ->check(CLI::Range(0, 7));
  sub->add_option("--rnr-retry", c.rnr_retry, "Retries after RNR NAKs; 7: unlimited")
      ->capture_default_str()
      ->check(CLI::Range(0, 7));
  sub->add_option("--min-rnr-timer", c.min_rnr_timer, "Minimum RNR NAK timer, as a code")
      ->capture_default_str()
      ->check(CLI::Range(0, 31));
  sub->add_option("--ack-timeout", c.ack_timeout, "Acknowledgement timeout, as a code N: 4.096 us * 2^N")
      ->capture_default_str()
      ->check(CLI::Range(0, 31));
  sub->add_option("--board-ip", c.board_ip, "The board's RoCE address; default: UdpEngine.LocalIp")
      ->type_name("IP");
  sub->add_option("--metadata-timeout", c.metadata_timeout, "Timeout of the metadata bus")
      ->capture_default_str()
      ->type_name("SECONDS");
}

void add_connect(Parser& parser) {
  auto o = std::make_shared<ConnectCommand>();
  ConnectOptions& c = o->connection;
  CLI::App* const sub =
      parser.add("connect", "Bring a queue pair of the board up to RTS, and point the dispatcher at the host",
                 o, connect_command);
  CLI::Option* const sink =
      sub->add_option("--sink", c.sink,
                      "Get the host's parameters from an rdma-sink, and keep its session open")
          ->type_name("HOST[:PORT]");
  sub->add_option("--for", o->seconds,
                  "With --sink: how long to keep the session open; default: until Ctrl-C")
      ->needs(sink)
      ->type_name("SECONDS");
  sub->add_option("--host", c.host_ip, "The host's RoCE address")->type_name("IP")->excludes(sink);
  sub->add_option("--host-port", c.host_port, "The host's RoCE UDP port")->capture_default_str();
  sub->add_option("--qpn", c.qpn, "QPN of the host's queue pair")
      ->check(CLI::Range(1U, 0xffffffU))
      ->excludes(sink);
  sub->add_option("--rkey", c.rkey, "rkey of the host's memory")->excludes(sink);
  sub->add_option("--address", c.address, "Virtual address of the host's memory")->excludes(sink);
  sized(sub->add_option("--length", c.length, "Length of the host's memory"))->excludes(sink);
  sub->add_option("--rq-psn", c.rq_psn, "PSN of the host's first request")
      ->capture_default_str()
      ->check(CLI::Range(0U, 0xffffffU))
      ->excludes(sink);
  sub->add_option("--pd", c.pd, "Handler of an existing protection domain");
  add_traffic(sub, c);
}

void add_session(Parser& parser) {
  auto o = std::make_shared<SessionOptions>();
  CLI::App* const sub =
      parser.add("session", "Connect to an rdma-sink, dispatch bursts, change registers, check, tear down", o,
                 session_command);
  sub->add_option("--sink", o->connection.sink, "The receiver")->required()->type_name("HOST[:PORT]");
  sub->add_option("--count", o->count, "Messages per burst")->capture_default_str();
  sub->add_option("--bursts", o->bursts, "Bursts per connection")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  sub->add_option("--rounds", o->rounds, "Number of connections, made one after the other")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  sub->add_option("--set", o->set, "Write this register before the first burst")->type_name("NAME=VALUE");
  sub->add_option("--during", o->during, "Write this register during a burst, and read it back")
      ->type_name("NAME=VALUE");
  sub->add_option("--limit", o->limit, "Time limit of a burst")->capture_default_str()->type_name("SECONDS");
  add_traffic(sub, o->connection);
}

void add_dispatch(Parser& parser) {
  auto o = std::make_shared<DispatchOptions>();
  CLI::App* const sub = parser.add("dispatch", "Send a burst of WRITEs with immediate through RoceDispatcher",
                                   o, dispatch_command);
  sub->add_option("-n,--count", o->count, "Number of messages")->type_name("N");
  sized(sub->add_option("--size", o->size, "Message size in bytes; default: unchanged"));
  auto* const wait = sub->add_flag("--wait", o->wait, "Wait until all messages have completed (default)");
  auto* const no_wait = sub->add_flag_callback(
                               "--no-wait", [o] { o->wait = false; }, "Start the burst and return")
                            ->excludes(wait);
  sub->add_flag("--reset", o->reset, "Reset the completion counters first");
  sub->add_option("--limit", o->limit, "How long to wait")
      ->capture_default_str()
      ->type_name("SECONDS")
      ->excludes(no_wait);
}

void add_teardown(Parser& parser) {
  auto o = std::make_shared<TeardownOptions>();
  CLI::App* const sub = parser.add(
      "teardown", "Free a connection's resources on the board, including leftovers of another client", o,
      teardown_command);
  sub->add_option("--qpn", o->qpn, "QPN on the board; default: the one in RoceDispatcher.SQpn");
  sub->add_option("--pd", o->pd, "Protection domain handler; default: the queue pair's");
  sub->add_option("--lkey", o->lkey, "lkey of the memory region; default: RoceDispatcher.LKey");
  sub->add_flag("--keep-pd", o->keep_pd, "Do not free the protection domain");
  sub->add_flag("--all-regions", o->all_regions, "Free both memory regions of the firmware");
  sub->add_option("--metadata-timeout", o->metadata_timeout, "Timeout of the metadata bus")
      ->capture_default_str()
      ->type_name("SECONDS");
}

void add_status(Parser& parser) {
  struct None {};
  parser.add("status", "Show board, links, port, dispatcher, congestion control and stream on one page",
             std::make_shared<None>(), [](Context& context, const None&) { status_command(context); });
}

void add_stream(Parser& parser) {
  auto o = std::make_shared<StreamOptions>();
  CLI::App* const sub = parser.add("stream", "Receive AppTx's frames and check them", o, stream_command);
  sub->add_option("-s,--seconds", o->seconds, "How long to receive")
      ->capture_default_str()
      ->type_name("SECONDS");
  sub->add_option("--size", o->frame_size, "AppTx.FrameSize; default: unchanged")->type_name("WORDS");
}

/// Returns the profile names, with the default first.
std::string profile_names() {
  std::string names;
  for (const board::Profile& profile : board::profiles())
    names += (names.empty() ? "" : " or ") + profile.name() + (names.empty() ? " (default)" : "");
  return names;
}

void add_board(Parser& parser) {
  Options& o = parser.options;
  parser.top.option_defaults()->take_last();  // lets later options override those of a shell alias
  parser.top
      .add_option("--ip", o.board.ip,
                  "Address of the board: its own, from a host on its network (a real board; softfeb with\n"
                  "control.in_band), or the address in control.listen of softfeb")
      ->type_name("IP");
  parser.top.add_option("--port", o.board.registers_port, "UDP port of the register server")
      ->capture_default_str();
  parser.top.add_option("--stream-port", o.board.stream_port, "UDP port of the stream server")
      ->capture_default_str();
  parser.top.add_option("--profile", o.profile, "Firmware profile of the board: " + profile_names())
      ->type_name("NAME");
  parser.top.add_option("--timeout", parser.timeout, "Timeout of the connection and of each access")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0))
      ->type_name("SECONDS");
  parser.top.add_flag("--json", o.json, "Print results as JSON, one document per line");
}

std::vector<describe::OptionValues> option_values() {
  std::vector<std::string> names;
  for (const board::Profile& profile : board::profiles()) names.push_back(profile.name());
  return {{"", "--profile", std::move(names)}};
}

/// Returns the message for an unknown subcommand. CLI11 itself would only report that a subcommand is
/// missing.
std::string unknown_command(const CLI::App& top, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* sub : top.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  const std::string* const near = config::nearest(word, names);
  return fmt::format("no command \"{}\"; {}", word,
                     near != nullptr ? "did you mean " + *near + "?" : "fix: febctl --help lists them");
}

bool needs_board(const CLI::App& top) {
  if (top.got_subcommand("list")) return false;
  const CLI::App* const load = top.get_subcommand("load");
  return !(top.got_subcommand("load") && load->count("--check") != 0);
}

}  // namespace

std::variant<Options, int> parse_command_line(int argc, char** argv) {
  Parser parser;
  CLI::App& top = parser.top;
  top.require_subcommand(1);
  top.set_version_flag("--version", std::string("febctl ") + SOFTFEB_VERSION);
  top.footer(
      "Exit status: 0 done; 1 the board refused, or a check failed; 2 bad usage; 3 the board does not "
      "respond.\n"
      "febctl COMMAND --help lists the options of a command; doc/febctl.md has examples.");
  add_board(parser);
  add_read(parser);
  add_write(parser);
  add_list(parser);
  add_dump(parser);
  add_load(parser);
  add_status(parser);
  add_connect(parser);
  add_dispatch(parser);
  add_teardown(parser);
  add_session(parser);
  add_stream(parser);
  describe::add_describe_option(top, option_values);
  if (argc > 1 && argv[1][0] != '-') {
    const std::string word = argv[1];
    const auto same = [&](const CLI::App* sub) { return sub->check_name(word); };
    if (top.get_subcommands(same).empty()) throw UsageError(unknown_command(top, word));
  }
  try {
    top.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return top.exit(error) == 0 ? kDone : kBadUsage;
  }
  if (needs_board(top) && parser.options.board.ip.empty())
    throw UsageError(
        "no board given; fix: --ip ADDRESS (softfeb run -c conf/board.yaml: --ip 127.0.0.1; "
        "in-band control: the board's own address, such as --ip 192.168.2.10)");
  parser.options.board.timeout = std::chrono::duration<double>(parser.timeout);
  return std::move(parser.options);
}

}  // namespace softfeb::febctl
