// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "out_file.hpp"

#include <cstdlib>

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
  app.add_flag("--poll", o.poll, "poll for completions without sleeping");
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

}  // namespace

Options parse_command_line(int argc, char** argv) {
  Options o;
  CLI::App app(
      "rdma-sink: receives RDMA WRITEs with libibverbs, checks and reports them. Clients connect by TCP\n"
      "(doc/rdma-sink.md); softfeb uses sink://HOST:PORT. Reports go to standard output, one JSON line "
      "each.");
  app.set_version_flag("--version", SOFTFEB_VERSION);
  app.footer("Exit codes: 0 all checks held, 1 a check failed, 2 bad usage, 3 no device or no memory.");
  add_options(app, o);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return o;
}

}  // namespace softfeb::sink
