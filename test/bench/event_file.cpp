// SPDX-License-Identifier: BSD-3-Clause
// Compares the event file with plain writes of the same number of bytes to the same disk.
#include "eventfile/event_file.hpp"

#include "benchmarks.hpp"
#include "detector/event_builder.hpp"
#include "statistics.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kBoards = 143, kFragment = 4704;  // bytes: 49 channels · 64 samples · 12 bits
constexpr std::size_t kChunk = 1 << 20;
constexpr Time kPeriod = 100 * kMicrosecond;

/// Duration of `work` in seconds.
template <typename Work>
double seconds(const Work& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// The path of a file that the destructor removes.
class Scratch {
 public:
  Scratch(const std::filesystem::path& folder, const char* name)
      : path_(folder / (std::string("softfeb-bench-") + std::to_string(::getpid()) + name)) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(errno) +
                           "; fix: name another --folder");
}

/// Writes whole chunks until `bytes` bytes are on the disk.
void write_plain(const std::filesystem::path& path, std::uint64_t bytes) {
  const std::vector<std::uint8_t> chunk(kChunk, 0x5a);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) fail(path);
  bool good = true;
  for (std::uint64_t done = 0; done < bytes && good; done += kChunk)
    good = ::write(file, chunk.data(), kChunk) == static_cast<ssize_t>(kChunk);
  good = good && ::fdatasync(file) == 0;
  ::close(file);
  if (!good) fail(path);
}

/// Builds complete events and writes them. The builder's thread waits for room in the queue.
eventfile::EventFileStats write_events(const std::filesystem::path& path, std::uint64_t events) {
  eventfile::EventFileConfig config;
  config.path = path.string();
  config.boards = kBoards;
  config.wait = true;
  eventfile::EventFile file(config);
  detector::EventBuilderConfig building;
  building.boards = kBoards;
  building.piece = config.piece;
  detector::EventBuilder builder(building, &file);
  const std::vector<std::uint8_t> payload(kFragment, 0x5a);
  for (std::uint64_t e = 0; e < events; ++e) {
    detector::EventHeader header;
    header.event = e;
    header.length = header.total = kFragment;
    for (std::uint32_t b = 0; b < kBoards; ++b) {
      header.board = static_cast<std::uint16_t>(b);
      file.add(builder, e * kPeriod, {e, b, 0, kFragment, kFragment, e * kPeriod}, header, payload);
    }
  }
  builder.finish(events * kPeriod, events);
  file.finish();
  if (!file.error().empty()) throw std::runtime_error(file.error());
  return file.stats();
}

}  // namespace

Json bench_event_file(const EventFileOptions& o) {
  const std::uint64_t events = std::max<std::uint64_t>(1, o.bytes / (kBoards * kFragment));
  const std::uint64_t bytes = events * kBoards * kFragment;
  std::vector<double> ours, plain;
  eventfile::EventFileStats stats;
  for (unsigned run = 0; run < o.runs; ++run) {
    const Scratch a(o.folder, ".h5"), b(o.folder, ".bytes");
    ours.push_back(static_cast<double>(bytes) * 1e-6 /
                   seconds([&] { stats = write_events(a.path(), events); }));
    plain.push_back(static_cast<double>(bytes) * 1e-6 / seconds([&] { write_plain(b.path(), bytes); }));
  }
  Json out{{"benchmark", "event-file"}, {"events", events}, {"boards", kBoards}, {"bytes", bytes}};
  out.update(figures("mb_per_s", ours));
  out["plain"] = figures("mb_per_s", plain);
  out["ratio_to_plain"] = median(ratios(ours, plain));
  out["events_per_s"] = median(ours) * 1e6 / (kBoards * kFragment);
  out["written"] = stats.written;
  out["not_written"] = stats.not_written;
  out["machine"] = machine_facts(nullptr);
  return out;
}

}  // namespace softfeb::bench
