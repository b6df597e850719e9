// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "describe/command_line_json.hpp"
#include "eventfile/event_file_config.hpp"
#include "out_file.hpp"

#include <cstdlib>
#include <stdexcept>

#include <CLI/CLI.hpp>

namespace softfeb::sink {

namespace {

void add_options(CLI::App& app, Options& o) {
  app.add_option("--listen", o.listen, "address for the TCP exchange")->capture_default_str();
  app.add_option("-p,--port", o.tcp_port, "TCP port for the exchange; 0: any free port, which is printed")
      ->capture_default_str();
  app.add_option("-d,--device", o.device, "RDMA device (default: the first with a RoCE v2 GID)");
  app.add_option("--ib-port", o.ib_port, "port of the RDMA device")
      ->capture_default_str()
      ->check(CLI::Range(1, 255));
  app.add_option("-x,--gid-index", o.gid_index,
                 "GID index (default: the RoCE v2 GID of the client's address family)")
      ->check(CLI::Range(0, 255));
  app.add_option("--mtu", o.mtu, "largest path MTU that clients may request")
      ->capture_default_str()
      ->check(CLI::IsMember({256, 512, 1024, 2048, 4096}));
  app.add_option("-m,--memory", o.memory, "memory per session, shared by its QPs (default 64MiB)")
      ->transform(CLI::AsSizeValue(false));
  app.add_flag("--region-per-qp", o.region_per_qp,
               "register one memory region per QP instead of one for all");
  app.add_option("--max-qps", o.max_qps, "largest number of QPs per session")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("-r,--recvs", o.recvs,
                 "receives posted on each QP for immediates; 0: none (default: as many as fit)")
      ->check(CLI::Range(0, 1 << 20));
  app.add_flag_callback(
      "--no-replenish", [&o] { o.replenish = false; },
      "post receives again only on command, not when consumed");
  app.add_option("--srq", o.srq, "let all QPs share one queue of this many receives")
      ->check(CLI::Range(1, 1 << 20))
      ->excludes("--recvs");
  CLI::Option* const poll = app.add_flag("--poll", o.poll, "poll for completions without sleeping");
  app.add_flag("--solicited", o.solicited,
               "wake up only for messages whose sender asks for it (solicited event), and once a second")
      ->excludes(poll);
  app.add_option("--min-rnr-timer", o.min_rnr_timer, "timer code sent in RNR NAKs (12: 0.64 ms)")
      ->capture_default_str()
      ->check(CLI::Range(0, 31));
  app.add_option("--traffic-class", o.traffic_class, "ToS byte of responses")
      ->capture_default_str()
      ->check(CLI::Range(0, 255));
  app.add_option("--hop-limit", o.hop_limit, "TTL of responses")
      ->capture_default_str()
      ->check(CLI::Range(1, 255));
  app.add_option("--expect", o.expect, "check file payloads byte by byte against this file")
      ->check(CLI::ExistingFile);
  const CLI::Validator writable(why_not_writable, "FILE");
  app.add_option("--out", o.out, "write received data to this file; several QPs one after another")
      ->check(writable);
  app.add_option("--json", o.json, "write the report of the last session to this file")->check(writable);
  app.add_flag_callback(
      "--no-sha256", [&o] { o.sha256 = false; }, "do not compute the SHA-256 of the memory");
  app.add_flag("--once", o.once, "exit after one session");
}

void add_event_options(CLI::App& app, bool& wanted, EventOptions& o) {
  CLI::Option* const on =
      app.add_flag("--events", wanted, "build events from WRITEs with event headers (doc/events.md)");
  const auto add = [&](const char* name, auto& value, const char* text) {
    return app.add_option(name, value, text)->capture_default_str()->needs(on)->group("Events");
  };
  const CLI::AsSizeValue size(false);
  add("--event-boards", o.layout.boards, "boards, one QP for each")->check(CLI::Range(1, 65535));
  add("--event-slots", o.layout.slots, "events that fit in the memory")->check(CLI::Range(1, 1 << 24));
  add("--event-slot", o.layout.slot, "bytes of a board in an event, with headers")->transform(size);
  add("--event-piece", o.layout.piece, "largest payload of a WRITE")->transform(size);
  add("--event-builders", o.layout.builders, "builders that share the events")->check(CLI::Range(1, 65535));
  add("--event-builder", o.builder, "index of this builder")->check(CLI::Range(0, 65534));
  add("--event-window", o.window, "most open events")->check(CLI::Range(1, 1 << 20));
  add("--event-timeout", o.timeout_us, "microseconds from the first fragment to the end of an event")
      ->check(CLI::Range(1, 1'000'000'000));
  add("--event-remember", o.remember, "closed events whose fragments are known")
      ->check(CLI::Range(0, 1 << 20));
  add("--event-loss-limit", o.loss_limit_percent, "percentage of incomplete events that is no problem")
      ->check(CLI::Range(0.0, 100.0));
  add("--event-out", o.out, "new HDF5 file for the events")
      ->check(CLI::Validator(eventfile::why_not_creatable, "FILE"));
  add("--event-channels", o.channels, "channels of a board in /waveforms of this file; 0: no waveforms")
      ->check(CLI::Range(0, 65535));
  add("--event-samples", o.samples, "samples of a channel in /waveforms")->check(CLI::Range(0, 65535));
  add("--event-run", o.run, "run number in this file");
}

void add_registration_options(CLI::App& app, bool& wanted, RegistrationOptions& o) {
  CLI::Option* const on = app.add_flag(
      "--registration", wanted, "find out which registered transfers are complete (doc/missing-data.md)");
  const auto add = [&](const char* name, auto& value, const char* text) {
    return app.add_option(name, value, text)->capture_default_str()->needs(on)->group("Registration");
  };
  constexpr int kLongest = 1'000'000'000;
  add("--registration-entries", o.entries, "transfers in progress")->check(CLI::Range(1, 1024));
  add("--registration-escape", o.escape, "messages that wait for the first message of their transfer")
      ->check(CLI::Range(0, 4096));
  add("--registration-escape-timeout", o.escape_timeout_us, "microseconds that they wait")
      ->check(CLI::Range(0, kLongest));
  add("--registration-entry-timeout", o.entry_timeout_us,
      "microseconds after which an incomplete transfer is abandoned; 0: never")
      ->check(CLI::Range(0, kLongest));
  add("--registration-remember", o.remember, "complete transfers whose late messages are known")
      ->check(CLI::Range(0, 1024));
}

/// Checks that --registration is used only with suitable options. Throws CLI::ValidationError otherwise.
void check_registration(const Options& o) {
  if (o.events || o.region_per_qp || !o.out.empty() || !o.expect.empty())
    throw CLI::ValidationError("--registration",
                               "cannot be combined with --events, --region-per-qp, --out and --expect");
}

/// Checks that --events is used only with suitable values and options. Throws CLI::ValidationError otherwise.
void check_events(const EventOptions& e, const Options& o) {
  const auto refuse = [](const std::string& text) { throw CLI::ValidationError("--events", text); };
  if (e.layout.slot < detector::kEventHeaderSize || e.layout.slot > detector::kLargestSinkSlot)
    refuse("--event-slot must be from 64 bytes to 16 MiB");
  if (e.layout.piece == 0 || e.layout.piece > detector::kLargestSinkSlot)
    refuse("--event-piece must be from 1 byte to 16 MiB");
  if (e.builder >= e.layout.builders) refuse("--event-builder must be below --event-builders");
  if (e.window > e.layout.slots) refuse("--event-window must not exceed --event-slots");
  if (e.layout.memory() > o.memory)
    refuse("the events need " + std::to_string(e.layout.memory()) + " bytes; fix: --memory " +
           std::to_string(e.layout.memory()) + ", or smaller or fewer slots");
  if (o.region_per_qp || !o.out.empty() || !o.expect.empty())
    refuse("cannot be combined with --region-per-qp, --out and --expect");
}

}  // namespace

Options parse_command_line(int argc, char** argv) {
  Options o;
  for (int i = 0; i < argc; ++i) o.command_line += std::string(i == 0 ? "" : " ") + argv[i];
  CLI::App app(
      "rdma-sink: receives RDMA WRITEs with libibverbs, checks and reports them. Clients connect by TCP\n"
      "(doc/rdma-sink.md); softfeb uses sink://HOST:PORT. Reports go to standard output, one JSON line "
      "each.");
  app.set_version_flag("--version", SOFTFEB_VERSION);
  app.footer("Exit codes: 0 all checks held, 1 a check failed, 2 bad usage, 3 no device or no memory.");
  add_options(app, o);
  EventOptions events;
  bool events_wanted = false;
  add_event_options(app, events_wanted, events);
  RegistrationOptions registration;
  bool registration_wanted = false;
  add_registration_options(app, registration_wanted, registration);
  describe::add_describe_option(app, [] { return std::vector<describe::OptionValues>(); });
  try {
    app.parse(argc, argv);
    if (events_wanted) {
      check_events(events, o);
      o.events = events;
      o.once = o.once || !events.out.empty();
    }
    if (registration_wanted) {
      check_registration(o);
      o.registration = registration;
    }
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return o;
}

}  // namespace softfeb::sink
