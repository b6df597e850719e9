// SPDX-License-Identifier: BSD-3-Clause
#include "board/profile.hpp"
#include "sockets/register_client.hpp"
#include "sockets/stream_receiver.hpp"
#include "sockets/udp_socket.hpp"
#include "srp.hpp"
#include "statistics.hpp"

#include <functional>
#include <vector>

namespace softfeb::bench {

namespace {

constexpr std::size_t kBoardPipelined = 260;
constexpr Time kStreamed = 2 * kSecond;

const board::Register& named(const char* path) {
  const board::Register* const r = board::default_profile().map().find(path);
  if (r == nullptr) throw sockets::SocketError(std::string("no register ") + path, "a bug of the benchmark");
  return *r;
}

srp::UdpPeer peer(const SrpOptions& o, std::uint16_t port) {
  const auto ip = roce::IpAddress::parse(o.board);
  if (!ip) throw sockets::SocketError("--board " + o.board + " is no address", "write it as 127.0.0.1");
  return {*ip, port};
}

Json timed(unsigned times, const std::function<void()>& access) {
  std::vector<double> us;
  us.reserve(times);
  for (unsigned i = 0; i < times; ++i) {
    const Time begin = sockets::steady_time();
    access();
    us.push_back(static_cast<double>(sockets::steady_time() - begin) / kMicrosecond);
  }
  return distribution(std::move(us));
}

/// Reads every block once, like PyRogue at its start.
double pipelined_ms(sockets::RegisterClient& client) {
  std::vector<sockets::RegisterClient::Read> reads;
  for (const board::Register& r : board::default_profile().map().all()) {
    if (r.readable() && reads.size() < kBoardPipelined) reads.push_back({r.address, r.words() * 4});
  }
  const Time begin = sockets::steady_time();
  client.read_many(reads);
  return static_cast<double>(sockets::steady_time() - begin) / kMillisecond;
}

double stream_gbps(const SrpOptions& o, sockets::RegisterClient& client) {
  const std::uint32_t mode = named("Root.App.AppTx.ContinuousMode").address;
  sockets::StreamReceiver receiver({.board = peer(o, sockets::kStreamPort)}, {});
  receiver.connect();
  client.write32(mode, 1);
  receiver.receive(kStreamed / 10);
  const sockets::StreamStats before = receiver.figures();
  const Time begin = sockets::steady_time();
  receiver.receive(kStreamed);
  const double seconds = to_seconds(sockets::steady_time() - begin);
  const std::uint64_t bytes = receiver.figures().bytes - before.bytes;
  client.write32(mode, 0);
  receiver.receive(kStreamed / 10);
  return static_cast<double>(bytes) * 8e-9 / seconds;
}

}  // namespace

nlohmann::ordered_json bench_srp_board(const SrpOptions& o) {
  const std::uint32_t idle = named("Root.Core.AxiVersion.ScratchPad").address;
  const std::uint32_t live = named("Root.Core.RoceEngine.Dcqcn.Rc").address;
  const std::uint32_t written = named("Root.Core.RoceEngine.Dcqcn.Rai").address;
  std::vector<Json> runs;
  for (unsigned i = 0; i < o.runs; ++i) {
    sockets::RegisterClient client({.board = peer(o, sockets::kRegistersPort)});
    client.connect();
    const std::uint32_t rai = client.read32(written);
    Json run;
    run["read_us"] = timed(o.accesses, [&] { client.read32(idle); });
    run["live_read_us"] = timed(o.accesses, [&] { client.read32(live); });
    run["write_us"] = timed(o.accesses, [&] { client.write32(written, rai); });
    run["pipelined_260_ms"] = pipelined_ms(client);
    run["stream_gbps"] = stream_gbps(o, client);
    runs.push_back(std::move(run));
  }
  Json out{{"benchmark", "srp"}, {"board", o.board}, {"runs", o.runs}, {"accesses", o.accesses}};
  out.update(summary(runs));
  return out;
}

}  // namespace softfeb::bench
