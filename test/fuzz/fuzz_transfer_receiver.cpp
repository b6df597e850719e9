// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests an application's transfers with arbitrary completions. Every message must be counted
// exactly once. The application must be notified exactly once of every complete transfer. The memory of a
// transfer must lie inside the memory of its source.
#include "applications/registration.hpp"
#include "input.hpp"

using namespace softfeb;
using fuzz::Input;
using fuzz::require;

namespace {

TransferSettings settings_from(Input& in) {
  TransferSettings s;
  s.segment_bytes = 1 + in.byte() % 100U;
  s.segments = 1 + in.byte() % 70U;
  s.sources = 1 + in.byte() % 3U;
  s.slots = 1 + in.byte() % 5U;
  s.entries = 1 + in.byte() % 4U;
  s.escape = in.byte() % 6U;
  s.escape_timeout_ns = in.byte();
  s.entry_timeout_ns = in.byte();
  s.remember = in.byte() % 6U;
  s.notifications = 1 + in.byte() % 4U;
  return s;
}

void check(const TransferReceiver& transfers) {
  const TransferReceiver::Counters c = transfers.counters();
  require(c.messages == c.placed + c.duplicate + c.dropped + c.rejected + c.waiting);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const TransferSettings settings = settings_from(in);
  TransferReceiver transfers(settings);
  const std::uint64_t source_bytes = transfers.memory_bytes() / settings.sources;
  std::uint64_t notified = 0, abandoned = 0, now = 0;
  std::uint32_t newest = 0;
  while (!in.empty()) {
    now += in.byte() % 32U;
    newest += in.byte() % 16U / 15U;
    const std::uint8_t what = in.byte();
    const std::uint32_t op = what % 16 == 1 ? static_cast<std::uint32_t>(in.size(4096)) : newest + what % 3U;
    const std::uint32_t count = what % 16 == 2 ? 1 + in.byte() % 100U : 1 + op % settings.segments;
    const std::uint32_t index = in.byte() % (what % 16 == 3 ? 100U : count);
    const std::uint32_t bytes =
        what % 16 == 4 ? static_cast<std::uint32_t>(in.size(200)) : settings.segment_bytes;
    transfers.completed(in.byte() % (settings.sources + what / 250U),
                        op % 4096 << 20 | (count - 1) << 10 | index, bytes, now);
    check(transfers);
    if (what % 4 == 0) {
      while (const auto n = transfers.poll()) {
        ++notified;
        require(n->time_ns <= now && n->bytes != 0 && n->source < settings.sources);
        require(n->offset >= n->source * source_bytes &&
                n->offset + n->bytes <= (n->source + 1) * source_bytes);
      }
    }
    while (const auto gone = transfers.poll_abandoned()) {
      ++abandoned;
      std::uint32_t missing = 0;
      for (std::uint32_t k = 0; k < gone->segments; ++k) missing += gone->arrived(k) ? 0 : 1;
      require(missing == gone->missing && missing != 0);
    }
  }
  while (transfers.poll()) ++notified;
  const TransferReceiver::Counters c = transfers.counters();
  require(c.complete == notified + c.notifications_lost && c.abandoned == abandoned);
  return 0;
}
