// SPDX-License-Identifier: BSD-3-Clause
#include "srp.hpp"

#include "../support/udp_board.hpp"
#include "sockets/register_client.hpp"
#include "sockets/stream_receiver.hpp"
#include "statistics.hpp"

#include <algorithm>
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

}  // namespace softfeb::bench
