// SPDX-License-Identifier: BSD-3-Clause
// Writes the events of a simulated camera to an event file, through the header check and the builder, as a
// receiver does. Events are 100 µs apart. If `lose` divides e + 1, the data of board (e mod `boards`) is
// missing in event e. If `cut` divides e + 1, only the first piece of this data is missing.
//   write_events FILE key=value …

#include "base/rng.hpp"
#include "detector/event_layout.hpp"
#include "detector/payload_pools.hpp"
#include "eventfile/event_file.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace softfeb;
using namespace softfeb::detector;

class Arguments {
 public:
  Arguments(int argc, char** argv) {
    for (int i = 2; i < argc; ++i) {
      const std::string text = argv[i];
      const std::size_t at = text.find('=');
      if (at != std::string::npos)
        values_[text.substr(0, at)] = std::strtoull(text.c_str() + at + 1, nullptr, 0);
    }
  }
  std::uint64_t get(const std::string& key, std::uint64_t fallback) const {
    const auto found = values_.find(key);
    return found == values_.end() ? fallback : found->second;
  }

 private:
  std::map<std::string, std::uint64_t> values_;
};

constexpr Time kPeriod = 100 * kMicrosecond;
constexpr EventTime kOrigin{1'700'000'000, 0};

/// Sends the events of all boards to a builder.
class Camera {
 public:
  Camera(const Arguments& arguments, eventfile::EventFile& file, const EventBuilderConfig& config,
         const PayloadPool& pool)
      : lose_(arguments.get("lose", 0)),
        cut_(arguments.get("cut", 0)),
        pool_(pool),
        file_(file),
        config_(config),
        builder_(config, &file) {}

  void send(std::uint64_t event) {
    const Time trigger = event * kPeriod;
    Time now = trigger + 2 * kMicrosecond + rng_.next() % (3 * kMicrosecond);
    for (std::uint32_t board = 0; board < config_.boards; ++board, now += 20 * kNanosecond) {
      const bool chosen = board == event % config_.boards;
      if (chosen && lose_ != 0 && (event + 1) % lose_ == 0) continue;
      send_board(event, board, now, chosen && cut_ != 0 && (event + 1) % cut_ == 0);
    }
  }
  void finish(std::uint64_t events) { builder_.finish(events * kPeriod + kSecond, events); }

 private:
  /// Sends the pieces of a board's data. With `cut`, omits the first piece.
  void send_board(std::uint64_t event, std::uint32_t board, Time now, bool cut) {
    const std::uint32_t total = pool_.size(event, board);
    for (std::uint32_t at = 0; at == 0 || at < total; at += config_.piece) {
      if (cut && at == 0) continue;
      EventHeader header = header_of(event, board, at, std::min(config_.piece, total - at), total);
      message_.resize(kEventHeaderSize + header.length);
      write_event_header(header, message_.data());
      if (header.length != 0)
        std::copy_n(pool_.bytes(event, board, at, header.length), header.length,
                    message_.data() + kEventHeaderSize);
      if (read_event_header(message_, header) != HeaderVerdict::kOk) std::abort();
      const Fragment fragment{event, board, at, header.length, total, time_since(kOrigin, header.time)};
      file_.add(builder_, now, fragment, header, ByteSpan(message_).subspan(kEventHeaderSize));
    }
  }
  EventHeader header_of(std::uint64_t event, std::uint32_t board, std::uint32_t at, std::uint32_t length,
                        std::uint32_t total) const {
    EventHeader h;
    h.event = event;
    h.run = 7;
    h.board = static_cast<std::uint16_t>(board);
    h.flags = static_cast<std::uint16_t>(pool_.shape().flags | (total > config_.piece ? kSegmented : 0));
    h.type = event % 10 == 9 ? EventType::kFlatfield : EventType::kSubarray;
    h.kind = pool_.shape().kind;
    h.time = time_after(kOrigin, event * kPeriod);
    h.length = length;
    h.offset = at;
    h.total = total;
    h.channels = pool_.shape().channels;
    h.samples = pool_.shape().samples;
    h.payload_crc = pool_.crc(event, board, at, length);
    return h;
  }

  std::uint64_t lose_;
  std::uint64_t cut_;
  const PayloadPool& pool_;
  eventfile::EventFile& file_;
  EventBuilderConfig config_;
  EventBuilder builder_;
  Rng rng_{1};
  std::vector<std::uint8_t> message_;
};

int write(const std::string& path, const Arguments& arguments) {
  const auto boards = static_cast<std::uint32_t>(arguments.get("boards", 4));
  CameraPoolConfig pool_config;
  pool_config.camera.boards = boards;
  pool_config.camera.channels = static_cast<std::uint16_t>(arguments.get("channels", 49));
  pool_config.camera.samples = static_cast<std::uint16_t>(arguments.get("samples", 64));
  pool_config.camera.images = static_cast<std::uint32_t>(arguments.get("images", 8));
  pool_config.kind = static_cast<PayloadKind>(arguments.get("kind", 1));
  pool_config.suppression = {430, 2};
  pool_config.boards = {0, boards};
  pool_config.piece = static_cast<std::uint32_t>(arguments.get("piece", 8192));
  const auto pool = make_camera_pool(pool_config);

  eventfile::EventFileConfig config;
  config.path = path;
  config.boards = boards;
  config.piece = pool_config.piece;
  config.channels = pool_config.camera.channels;
  config.samples = pool_config.camera.samples;
  config.run = 7;
  config.configuration = "boards: " + std::to_string(boards) + "\n";
  config.queue = arguments.get("queue", 64U << 20);
  config.keep_free = arguments.get("keep_free", 64U << 20);
  config.flush_ms = static_cast<std::uint32_t>(arguments.get("flush_ms", 1000));
  eventfile::EventFile file(config);
  std::printf("created\n");
  std::fflush(stdout);

  EventBuilderConfig builder;
  builder.boards = boards;
  builder.piece = config.piece;
  Camera camera(arguments, file, builder, *pool);
  const std::uint64_t events = arguments.get("events", 100);
  const std::chrono::microseconds pause(arguments.get("pause_us", 0));
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t e = 0; e < events; ++e) {
    camera.send(e);
    if (pause.count() != 0) std::this_thread::sleep_until(start + pause * (e + 1));
  }
  camera.finish(events);
  file.finish();
  const eventfile::EventFileStats stats = file.stats();
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf(
      "{\"closed\": %llu, \"written\": %llu, \"not_written\": %llu, \"fragments\": %llu, \"data_bytes\": "
      "%llu, "
      "\"error\": \"%s\"}\n",
      number(stats.closed), number(stats.written), number(stats.not_written), number(stats.fragments),
      number(stats.data_bytes), file.error().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    return write(argv[1], Arguments(argc, argv));
  } catch (const eventfile::EventFileError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
