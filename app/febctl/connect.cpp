// SPDX-License-Identifier: BSD-3-Clause
#include "connect.hpp"

#include "access.hpp"
#include "dispatcher_client.hpp"
#include "failure.hpp"
#include "roce/work.hpp"
#include "value.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

std::chrono::milliseconds patience(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

std::uint32_t random_bits(unsigned bits) {
  std::random_device device;
  return device() & static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
}

/// Returns a random key for a protection domain. The board derives the handler from the key, and the lower 24
/// bits of the handler become the QPN. These bits must not be 0, because a QPN of 0 means that there is no
/// queue pair.
std::uint32_t pd_key() {
  const std::uint32_t key = random_bits(32);
  return (key & 0xffffff) == 0 ? key | 1 : key;
}

roce::IpAddress parse_ip(const std::string& text, const char* option) {
  const auto ip = roce::IpAddress::parse(text);
  if (!ip || !ip->is_v4())
    throw UsageError(
        fmt::format("{} {}: not an IPv4 address; fix: write one such as 192.168.2.100", option, text));
  return *ip;
}

void check(const ConnectOptions& o) {
  if (!roce::pmtu_legal(o.pmtu))
    throw UsageError("--pmtu: not a path MTU; fix: use 256, 512, 1024, 2048 or 4096");
  if (o.size == 0) throw UsageError("--size 0; fix: give the message size in bytes");
  if (!o.sink.empty()) return;
  if (o.host_ip.empty() || o.qpn == 0 || o.length == 0)
    throw UsageError(
        "no host to connect to; fix: give --sink HOST, or --host IP, --qpn, --rkey, --address and --length");
  if (o.length < o.size)
    throw UsageError(fmt::format("--length {} is less than one message of --size {}; fix: use a smaller size",
                                 o.length, o.size));
}

std::uint32_t slots_of(std::uint64_t wanted, std::uint64_t length, std::uint32_t size) {
  const std::uint64_t fit = std::min<std::uint64_t>(length / size, (1U << 24) - 1);
  if (wanted > fit)
    throw UsageError(fmt::format("--slots {}: the host's memory holds {} slots of {} bytes; fix: use fewer",
                                 wanted, fit, size));
  return static_cast<std::uint32_t>(wanted == 0 ? fit : wanted);
}

/// The steps of make_connection().
class ConnectionSetup {
 public:
  ConnectionSetup(Context& context, const ConnectOptions& options)
      : context_(context),
        options_(options),
        bus_(context.board(), context.catalogue, patience(options.metadata_timeout)),
        pair_(bus_, {.pd = options.pd, .keep_pd = options.pd.has_value()}) {}

  Connection make() {
    try {
      steps();
    } catch (...) {
      undo();
      throw;
    }
    made_.board = pair_.board();
    return std::move(made_);
  }

 private:
  void steps() {
    if (!options_.pd) pair_.allocate_pd(pd_key());
    made_.size = options_.size;
    made_.qp = {.dest_qpn = options_.qpn,
                .rq_psn = options_.rq_psn,
                .sq_psn = options_.psn.value_or(0),
                .pmtu = options_.pmtu,
                .min_rnr_timer = static_cast<std::uint8_t>(options_.min_rnr_timer),
                .timeout = static_cast<std::uint8_t>(options_.ack_timeout),
                .retry_count = static_cast<std::uint8_t>(options_.retry),
                .rnr_retry = static_cast<std::uint8_t>(options_.rnr_retry)};
    // register_memory() needs the address of the host's memory. A sink reports this address only after it has
    // received the board's QPN, so in this case the queue pair is created first.
    if (options_.sink.empty()) {
      take_options();
      register_memory();
      pair_.create();
    } else {
      pair_.create();
      ask_sink();
      register_memory();
    }
    set_destination();
    pair_.bring_up(made_.qp);
    set_dispatcher();
    if (made_.sink) made_.sink->begin();
  }

  void take_options() {
    made_.host_ip = parse_ip(options_.host_ip, "--host");
    made_.rkey = options_.rkey;
    made_.address = options_.address;
    length_ = options_.length;
    made_.slots = slots_of(options_.slots, length_, options_.size);
  }

  void ask_sink() {
    const std::string scheme = options_.sink.find("://") == std::string::npos ? "sink://" : "";
    const peers::PeerUrl url = peers::parse_peer_url(scheme + options_.sink);
    if (url.kind != peers::PeerKind::kSink)
      throw UsageError("--sink requires an rdma-sink, which checks the payload");
    made_.qp.sq_psn = options_.psn.value_or(random_bits(24));
    peers::LocalEndpoint local;
    local.ip = board_ip();
    local.pmtu = options_.pmtu;
    local.message_size = options_.size;
    local.slots = options_.slots;
    local.immediate = {{"kind", "value"}, {"value", 1}};
    // The board's payload counter starts at power-up and continues from burst to burst, so its first value
    // is unknown.
    local.payload = {{"kind", "counter"}, {"origin", "any"}};
    local.qps = {{*pair_.board().qpn, made_.qp.sq_psn}};
    made_.sink = peers::connect(url, local);
    const peers::RemoteEndpoint& remote = made_.sink->remote();
    const peers::RemoteQp& qp = remote.qps.at(0);
    made_.qp.dest_qpn = qp.qpn;
    made_.qp.rq_psn = qp.psn;
    made_.host_ip = remote.ip;
    made_.rkey = qp.rkey;
    made_.address = qp.address;
    length_ = qp.length;
    made_.slots = slots_of(remote.slots, length_, options_.size);
  }

  roce::IpAddress board_ip() {
    if (!options_.board_ip.empty()) return parse_ip(options_.board_ip, "--board-ip");
    const Bits bits = read_register(context_.board(), context_.catalogue.one("UdpEngine.LocalIp"));
    const roce::IpAddress ip = roce::IpAddress::from_v4_wire(bits.data());
    if (ip.v4() == 0) throw Refusal("the board has no address of its own yet; fix: give --board-ip");
    return ip;
  }

  /// Registers a memory region with the host's address range on the board, because the dispatcher uses the
  /// remote address of each request also as the local address.
  void register_memory() {
    const std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    pair_.register_region({.address = made_.address,
                           .length = static_cast<std::uint32_t>(std::min(length_, most)),
                           .lkey_part = random_bits(31),
                           .rkey_part = random_bits(31)});
  }

  void set_destination() {
    RegisterPort& board = context_.board();
    const Catalogue& all = context_.catalogue;
    const Register port = all.one("UdpEngine.ClientRemotePort[0]");
    const Register ip = all.one("UdpEngine.ClientRemoteIp[0]");
    write_register(board, all, port, parse_value(port, std::to_string(options_.host_port)));
    write_register(board, all, ip, parse_value(ip, made_.host_ip.to_string()));
  }

  void set_dispatcher() {
    DispatcherClient(context_.board(), context_.catalogue)
        .set_target({.rkey = made_.rkey,
                     .address = made_.address,
                     .lkey = pair_.board().lkey.value(),
                     .sqpn = pair_.board().qpn.value(),
                     .slots = made_.slots,
                     .length = made_.size});
  }

  /// Frees the resources on the board after an error. An error during this cleanup is only printed as a note,
  /// so that it does not hide the original error.
  void undo() {
    try {
      pair_.take_down();
    } catch (const std::exception& error) {
      context_.out.note(std::string("cleanup failed; resources remain on the board: ") + error.what());
    }
  }

  Context& context_;
  const ConnectOptions& options_;
  MetadataBus bus_;
  QueuePair pair_;
  std::uint64_t length_ = 0;
  Connection made_;
};

}  // namespace

Connection make_connection(Context& context, const ConnectOptions& options) {
  check(options);
  return ConnectionSetup(context, options).make();
}

std::vector<std::string> end_connection(Context& context, const BoardResources& board,
                                        double metadata_timeout) {
  MetadataBus bus(context.board(), context.catalogue, patience(metadata_timeout));
  std::vector<std::string> refused = QueuePair(bus, board).take_down();
  // The teardown command uses these registers to find a connection, so clear them.
  for (const char* name : {"RoceDispatcher.SQpn", "RoceDispatcher.LKey"})
    write_number(context.board(), context.catalogue, context.catalogue.one(name), 0);
  return refused;
}

std::string connection_text(const Connection& c) {
  return fmt::format(
      "board  queue pair {:#08x}, PSN {:#08x}, lkey {:#010x}, PD {:#010x}\n"
      "host   queue pair {:#08x} at {}, rkey {:#010x}, {} slots of {} bytes at {:#x}\n"
      "path   MTU {}, timeout code {}, retries {}, RNR retries {}\n",
      c.board.qpn.value_or(0), c.qp.sq_psn, c.board.lkey.value_or(0), c.board.pd.value_or(0), c.qp.dest_qpn,
      c.host_ip.to_string(), c.rkey, c.slots, c.size, c.address, c.qp.pmtu, c.qp.timeout, c.qp.retry_count,
      c.qp.rnr_retry);
}

nlohmann::json connection_json(const Connection& c) {
  return {{"board",
           {{"qpn", c.board.qpn.value_or(0)},
            {"psn", c.qp.sq_psn},
            {"lkey", c.board.lkey.value_or(0)},
            {"rkey", c.board.rkey.value_or(0)},
            {"pd", c.board.pd.value_or(0)}}},
          {"host",
           {{"qpn", c.qp.dest_qpn},
            {"psn", c.qp.rq_psn},
            {"ip", c.host_ip.to_string()},
            {"rkey", c.rkey},
            {"address", c.address}}},
          {"size", c.size},
          {"slots", c.slots},
          {"pmtu", c.qp.pmtu}};
}

}  // namespace softfeb::febctl
