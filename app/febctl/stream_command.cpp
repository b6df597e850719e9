// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"
#include "board_link.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "sockets/register_client.hpp"
#include "sockets/stream_receiver.hpp"
#include "stop.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWord = 8;
constexpr Time kSlice = 100 * kMillisecond;

/// Checks frames of the board's generator (AppTx). A frame consists of little-endian 64-bit words. Word 0
/// contains the frame's number in its burst and is not checked. Each other word k contains k.
class FrameCheck {
 public:
  /// `words` is the length of each frame, or 0 if it is unknown.
  explicit FrameCheck(std::uint32_t words) : words_(words) {}

  void on_frame(ByteSpan frame);

  std::uint64_t frames() const { return frames_; }
  std::uint64_t wrong_frames() const { return wrong_frames_; }  ///< frames with wrong content or length

 private:
  std::uint32_t words_;
  std::uint64_t frames_ = 0;
  std::uint64_t wrong_frames_ = 0;
};

bool counts(ByteSpan frame) {
  for (std::size_t k = 1; k < frame.size() / kWord; ++k) {
    std::uint64_t word = 0;
    std::memcpy(&word, &frame[k * kWord], kWord);
    if (word != k) return false;
  }
  return true;
}

void FrameCheck::on_frame(ByteSpan frame) {
  ++frames_;
  const bool length =
      !frame.empty() && frame.size() % kWord == 0 && (words_ == 0 || frame.size() == words_ * kWord);
  if (!length || !counts(frame)) ++wrong_frames_;
}

struct Received {
  sockets::StreamStats figures;
  std::uint64_t wrong = 0;
  double seconds = 0;

  double gbps() const { return seconds > 0 ? static_cast<double>(figures.bytes) * 8e-9 / seconds : 0; }
};

void set_continuous(Context& context, bool on) {
  write_number(context.board(), context.catalogue, context.catalogue.one("AppTx.ContinuousMode"), on ? 1 : 0);
  // Close the register link, which would be idle while frames arrive.
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
  // If an earlier receiver left a frame incomplete, the board first sends this frame again, with its original
  // size. Receive it before `check` starts anew, so that it is not counted.
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
  got.figures.dropped -= before.dropped;
  set_continuous(context, false);
  stream.receive(kSlice);  // receives the rest of the last frame
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
  if (f.frames == 0)
    throw Refusal("no frame received; fix: check that this machine can reach the stream port");
  if (got.wrong != 0 || f.damaged != 0) throw Refusal("frames do not match the board's generator");
}

}  // namespace softfeb::febctl
