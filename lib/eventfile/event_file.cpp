// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/event_file.hpp"

#include "eventfile/event_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <future>
#include <thread>
#include <type_traits>

#include <pthread.h>
#include <unistd.h>

namespace softfeb::eventfile {

namespace {

using detector::EventHeader;
static_assert(std::is_trivially_copyable_v<EventHeader> && std::is_trivially_copyable_v<ClosedRecord>);

constexpr std::size_t kClosedBytes = sizeof(RecordKind) + sizeof(ClosedRecord);
/// A fragment is queued only if at least 1 / kSpareShare of the queue remains free afterwards, so that the
/// records of closed events always find space.
constexpr std::size_t kSpareShare = 16;

std::uint8_t* put(std::uint8_t* to, const void* from, std::size_t size) {
  std::memcpy(to, from, size);
  return to + size;
}

}  // namespace

std::string why_not_creatable(const std::string& path) {
  const std::filesystem::path file(path);
  std::error_code error;
  if (path.empty()) return "the event file has no name; fix: name a new file";
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error)))
    return path + " exists; fix: name a new file, or remove this one";
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() / "." : ".";
  if (file.has_filename() && access(folder.c_str(), W_OK | X_OK) == 0) return "";
  return path + " cannot be created: " + std::strerror(file.has_filename() ? errno : EISDIR) +
         "; fix: name a file in a writable folder";
}

/// The queue, the producer's counters, and the writer thread.
class EventFile::Impl {
 public:
  explicit Impl(const EventFileConfig& config) : queue_(config.queue), wait_(config.wait) {
    std::promise<void> created;
    std::future<void> result = created.get_future();
    thread_ = std::jthread([this, config, created = std::move(created)](const std::stop_token& stop) mutable {
      run(stop, config, created);
    });
    result.get();
  }

  void add_fragment(const EventHeader& header, ByteSpan payload) {
    constexpr auto kKind = RecordKind::kFragment;
    std::uint8_t* to =
        reserve(sizeof kKind + sizeof header + payload.size(), queue_.capacity() / kSpareShare);
    // The writer will detect the loss, because the record of the closed event counts this fragment.
    if (to == nullptr) return;
    to = put(to, &kKind, sizeof kKind);
    to = put(to, &header, sizeof header);
    put(to, payload.data(), payload.size());
    queue_.commit();
  }

  void add_closed(const ClosedRecord& closed) {
    constexpr auto kKind = RecordKind::kClosed;
    closed_.fetch_add(1, std::memory_order_relaxed);
    std::uint8_t* to = reserve(kClosedBytes, 0);
    if (to == nullptr) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    to = put(to, &kKind, sizeof kKind);
    put(to, &closed, sizeof closed);
    queue_.commit();
  }

  void finish() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
  }

  EventFileStats stats() const {
    EventFileStats s;
    s.written = writer_->written();
    s.not_written = writer_->not_written() + lost_.load(std::memory_order_relaxed);
    s.fragments = writer_->fragments();
    s.data_bytes = writer_->data_bytes();
    s.queue_peak = queue_.peak();
    s.closed = closed_.load(std::memory_order_relaxed);
    return s;
  }

  const std::string& error() const { return writer_->error(); }

 private:
  std::uint8_t* reserve(std::size_t size, std::size_t spare) {
    std::uint8_t* to = queue_.reserve(size, spare);
    while (to == nullptr && wait_ && size + spare < queue_.capacity() / 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      to = queue_.reserve(size, spare);
    }
    return to;
  }

  void run(const std::stop_token& stop, const EventFileConfig& config, std::promise<void>& created) {
    // Thread name, as shown by top(1) and by rdma-sink's report.
    pthread_setname_np(pthread_self(), "event-file");
    try {
      writer_.emplace(config, queue_);
    } catch (const std::exception& error) {
      created.set_exception(std::make_exception_ptr(EventFileError(config.path + ": " + error.what())));
      return;
    }
    created.set_value();
    while (!stop.stop_requested())
      if (!writer_->poll()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    writer_->finish();
  }

  RecordQueue queue_;
  bool wait_;
  std::optional<EventWriter> writer_;
  std::atomic<std::uint64_t> closed_{0};
  std::atomic<std::uint64_t> lost_{0};  ///< events whose closing record did not fit in the queue
  std::jthread thread_;
};

EventFile::EventFile(const EventFileConfig& config) {
  if (const std::string why = why_not_creatable(config.path); !why.empty()) throw EventFileError(why);
  impl_ = std::make_unique<Impl>(config);
}

EventFile::~EventFile() { impl_->finish(); }

EventFileStats EventFile::stats() const { return impl_->stats(); }

void EventFile::finish() { impl_->finish(); }

const std::string& EventFile::error() const { return impl_->error(); }

void EventFile::record_fragment(const EventHeader& header, ByteSpan payload) {
  impl_->add_fragment(header, payload);
}

void EventFile::record_closed(const detector::ClosedEvent& event, std::optional<Time> latency) {
  ClosedRecord closed;
  closed.event = event.event();
  if (latency) closed.latency_ns = static_cast<std::int64_t>(*latency / kNanosecond);
  for (std::uint32_t b = 0; b < event.boards(); ++b) closed.pieces += count_pieces(event, b);
  closed.boards = static_cast<std::uint16_t>(event.boards() - event.missing_boards());
  closed.status = static_cast<std::uint8_t>(event.status());
  impl_->add_closed(closed);
}

}  // namespace softfeb::eventfile
