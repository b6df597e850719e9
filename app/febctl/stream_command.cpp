// SPDX-License-Identifier: BSD-3-Clause
#include "stream_command.hpp"

#include "access.hpp"
#include "board_link.hpp"
#include "failure.hpp"
#include "sockets/register_client.hpp"
#include "sockets/stream_receiver.hpp"
#include "stop.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Time kSlice = 100 * kMillisecond;

struct Received {
  sockets::StreamStats figures;
  std::uint64_t wrong = 0;
  double seconds = 0;

  double gbps() const { return seconds > 0 ? static_cast<double>(figures.bytes) * 8e-9 / seconds : 0; }
};

void set_continuous(Context& context, bool on) {
  write_number(context.board(), context.catalogue, context.catalogue.one("AppTx.ContinuousMode"), on ? 1 : 0);
  // The register link has no traffic of its own while frames come.
  context.release();
}

Received receive(Context& context, const StreamOptions& options, std::uint32_t words) {
  FrameCheck check(words);
  sockets::StreamReceiverOptions to;
  to.board = peer_of(context.where, context.where.stream_port);
  to.connect_timeout = static_cast<Time>(context.where.timeout.count() * static_cast<double>(kSecond));
  sockets::StreamReceiver stream(to,
                                 [&](ByteSpan frame, const srp::FrameTags&, Time) { check.on_frame(frame); });
  stream.connect();
  // A frame that an earlier receiver left in the middle begins again, at its own size.
  stream.receive(kSlice);
  check = FrameCheck(words);
  const sockets::StreamStats before = stream.figures();
  set_continuous(context, true);
  const auto began = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  try {
    while (!stopped() && elapsed() < options.seconds) stream.receive(kSlice);
  } catch (...) {
    set_continuous(context, false);
    throw;
  }
  Received got{stream.figures(), check.wrong_frames(), elapsed()};
  got.figures.frames -= before.frames;
  got.figures.bytes -= before.bytes;
  got.figures.damaged -= before.damaged;
  set_continuous(context, false);
  stream.receive(kSlice);  // the last frame, to its end
  return got;
}

}  // namespace

void stream_command(Context& context, const StreamOptions& options) {
  const Register size = context.catalogue.one("AppTx.FrameSize");
  if (options.frame_size) write_number(context.board(), context.catalogue, size, *options.frame_size);
  const auto words = std::max(1U, static_cast<std::uint32_t>(read_number(context.board(), size)));
  Received got;
  try {
    got = receive(context, options, words);
  } catch (const sockets::RegisterError& error) {
    throw Failure(static_cast<ExitCode>(error.exit_code()), error.what());
  }
  const sockets::StreamStats& f = got.figures;
  context.out.result(
      fmt::format(
          "{} frames of {} bytes in {:.2f} s: {:.3f} Gb/s; {} wrong, {} damaged, {} packets dropped\n",
          f.frames, std::uint64_t{words} * 8, got.seconds, got.gbps(), got.wrong, f.damaged, f.dropped),
      {{"frames", f.frames},
       {"frame_bytes", std::uint64_t{words} * 8},
       {"bytes", f.bytes},
       {"seconds", got.seconds},
       {"gbps", got.gbps()},
       {"wrong", got.wrong},
       {"damaged", f.damaged},
       {"dropped", f.dropped},
       {"connections", f.connections}});
  if (f.frames == 0) throw Refusal("no frame came; fix: is the stream port open to this machine?");
  if (got.wrong != 0 || f.damaged != 0) throw Refusal("frames are not what the board's generator makes");
}

}  // namespace softfeb::febctl
