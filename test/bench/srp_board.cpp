// SPDX-License-Identifier: BSD-3-Clause
#include "board/profile.hpp"
#include "control/register_client.hpp"
#include "control/stream_receiver.hpp"
#include "control/udp_socket.hpp"
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
  if (r == nullptr) throw control::SocketError(std::string("no register ") + path, "a bug of the benchmark");
  return *r;
}

control::UdpPeer peer(const SrpOptions& o, std::uint16_t port) {
  const auto ip = roce::IpAddress::parse(o.board);
  if (!ip) throw control::SocketError("--board " + o.board + " is no address", "write it as 127.0.0.1");
  return {*ip, port};
}

Json timed(unsigned times, const std::function<void()>& access) {
  std::vector<double> us;
  us.reserve(times);
  for (unsigned i = 0; i < times; ++i) {
    const Time begin = control::steady_time();
    access();
    us.push_back(static_cast<double>(control::steady_time() - begin) / kMicrosecond);
  }
  return distribution(std::move(us));
}

/// As PyRogue does at its start: every block once.
double pipelined_ms(control::RegisterClient& client) {
  std::vector<control::RegisterClient::Read> reads;
  for (const board::Register& r : board::default_profile().map().all()) {
    if (r.readable() && reads.size() < kBoardPipelined) reads.push_back({r.address, r.words() * 4});
  }
  const Time begin = control::steady_time();
  client.read_many(reads);
  return static_cast<double>(control::steady_time() - begin) / kMillisecond;
}

double stream_gbps(const SrpOptions& o, control::RegisterClient& client) {
  const std::uint32_t mode = named("Root.App.AppTx.ContinuousMode").address;
  control::StreamReceiver receiver({.board = peer(o, control::kStreamPort)}, {});
  receiver.connect();
  client.write32(mode, 1);
  receiver.receive(kStreamed / 10);
  const control::StreamFigures before = receiver.figures();
  const Time begin = control::steady_time();
  receiver.receive(kStreamed);
  const double seconds = to_seconds(control::steady_time() - begin);
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
    control::RegisterClient client({.board = peer(o, control::kRegistersPort)});
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
