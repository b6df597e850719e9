// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/event_writer.hpp"

#include <cstring>

namespace softfeb::eventfile {

EventWriter::EventWriter(const EventFileConfig& config, RecordQueue& queue)
    : queue_(queue),
      assembly_(config),
      space_(config.path, config.keep_free),
      path_(config.path),
      flush_every_(std::chrono::milliseconds(config.flush_ms)),
      flush_at_(Clock::now() + flush_every_) {
  tables_.emplace(config);
}

bool EventWriter::poll() {
  constexpr int kBurst = 256;
  bool any = false;
  for (int i = 0; i < kBurst; ++i) {
    const std::span<const std::uint8_t> record = queue_.front();
    if (record.empty()) break;
    handle(record);
    queue_.pop();
    any = true;
  }
  flush_if_due();
  return any;
}

void EventWriter::handle(std::span<const std::uint8_t> record) {
  RecordKind kind{};
  std::memcpy(&kind, record.data(), sizeof kind);
  record = record.subspan(sizeof kind);
  if (kind == RecordKind::kClosed) {
    ClosedRecord closed;
    std::memcpy(&closed, record.data(), sizeof closed);
    on_closed(closed);
  } else {
    detector::EventHeader header;
    std::memcpy(&header, record.data(), sizeof header);
    assembly_.add(header, record.subspan(sizeof header, header.length));
  }
}

void EventWriter::on_closed(const ClosedRecord& closed) {
  if (!assembly_.close(closed) || !tables_) {
    not_written_.fetch_add(1, std::memory_order_relaxed);
  } else if (!space_.take(assembly_.file_bytes())) {
    disk_full_ = true;
    not_written_.fetch_add(1, std::memory_order_relaxed);
  } else {
    write_event();
  }
}

void EventWriter::write_event() {
  EventRow event = assembly_.event();
  event.first_fragment = tables_->fragments();
  for (FragmentRow& row : assembly_.fragments()) row.offset += tables_->data_bytes();
  try {
    tables_->append(event, assembly_.fragments(), assembly_.data(), assembly_.waveforms());
  } catch (const EventFileError& error) {
    not_written_.fetch_add(1, std::memory_order_relaxed);
    fail(error.what());
    return;
  }
  written_.fetch_add(1, std::memory_order_relaxed);
  fragments_.store(tables_->fragments(), std::memory_order_relaxed);
  data_bytes_.store(tables_->data_bytes(), std::memory_order_relaxed);
}

void EventWriter::flush_if_due() {
  if (Clock::now() < flush_at_) return;
  space_.refresh();
  try {
    if (tables_) tables_->flush();
    flushed_ = {written(), fragments(), data_bytes()};
  } catch (const EventFileError& error) {
    fail(error.what());
  }
  flush_at_ = Clock::now() + flush_every_;
}

/// Reports an error. Events that were not flushed are lost.
void EventWriter::fail(const std::string& what) {
  not_written_.fetch_add(written() - flushed_.events, std::memory_order_relaxed);
  written_.store(flushed_.events, std::memory_order_relaxed);
  fragments_.store(flushed_.fragments, std::memory_order_relaxed);
  data_bytes_.store(flushed_.data_bytes, std::memory_order_relaxed);
  error_ = path_ + ": " + what + "; the events that were flushed before can be read with swmr=True";
  tables_->abandon();
  tables_.reset();
}

void EventWriter::finish() {
  while (poll()) {
  }
  if (!tables_) return;
  try {
    tables_->close();
    tables_.reset();
  } catch (const EventFileError& error) {
    fail(error.what());
  }
  if (disk_full_ && error_.empty())
    error_ = path_ + ": the disk was nearly full, so events were not written; fix: make room";
}

}  // namespace softfeb::eventfile
