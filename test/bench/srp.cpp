// SPDX-License-Identifier: BSD-3-Clause
#include "../support/udp_board.hpp"
#include "benchmarks.hpp"
#include "board/profile.hpp"
#include "sockets/register_client.hpp"
#include "sockets/stream_receiver.hpp"
#include "sockets/udp_socket.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace softfeb::bench {

namespace {

constexpr std::size_t kFrame = 128 * 1024;
constexpr std::uint32_t kPipelined = 260;

double microseconds(Time t) { return static_cast<double>(t) / kMicrosecond; }

Json single_reads(sockets::RegisterClient& client, unsigned accesses) {
  std::vector<double> us;
  us.reserve(accesses);
  for (unsigned i = 0; i < accesses; ++i) {
    const Time begin = sockets::steady_time();
    client.read32(4 * (i % 1024));
    us.push_back(microseconds(sockets::steady_time() - begin));
  }
  return distribution(std::move(us));
}

double pipelined_reads(sockets::RegisterClient& client) {
  std::vector<sockets::RegisterClient::Read> reads;
  for (std::uint32_t i = 0; i < kPipelined; ++i) reads.push_back({i * 64, 4 + i % 16 * 4});
  const Time begin = sockets::steady_time();
  client.read_many(reads);
  return microseconds(sockets::steady_time() - begin) * 1e-3;
}

Json stream(test::UdpBoard& board, sockets::StreamReceiver& receiver, std::uint64_t bytes) {
  const std::uint64_t frames = std::max<std::uint64_t>(1, bytes / kFrame);
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  const Time begin = sockets::steady_time();
  board.on_thread([&] {
    before = board.stream_link.status().retransmitted;
    board.source.frames_left = frames;
    board.stream.pump(sockets::steady_time());
  });
  if (!receiver.receive(600 * kSecond, frames))
    throw sockets::SocketError("the stream ceased", "see whether other programs fill the machine");
  const double seconds = to_seconds(sockets::steady_time() - begin);
  board.on_thread([&] { after = board.stream_link.status().retransmitted; });
  return {{"stream_gbps", static_cast<double>(frames * kFrame) * 8e-9 / seconds},
          {"stream_retransmitted", after - before}};
}

}  // namespace

nlohmann::ordered_json bench_srp(const SrpOptions& o) {
  test::UdpBoard board(0, test::loopback(0).ip, {}, kFrame);
  std::vector<Json> runs;
  for (unsigned i = 0; i < o.runs; ++i) {
    sockets::RegisterClient client({.board = board.registers()});
    client.connect();
    Json run;
    run["read_us"] = single_reads(client, o.accesses);
    run["pipelined_260_ms"] = pipelined_reads(client);
    client.close();
    sockets::StreamReceiver receiver({.board = board.streams()}, {});
    receiver.connect();
    run.update(stream(board, receiver, o.stream_bytes));
    runs.push_back(std::move(run));
  }
  Json out{
      {"benchmark", "srp"}, {"runs", o.runs}, {"accesses", o.accesses}, {"stream_bytes", o.stream_bytes}};
  out.update(summary(runs));
  return out;
}

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

/// Measures the time of 260 pipelined reads, which PyRogue performs at its start.
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
