// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/host_link.hpp"

#include "base/archive.hpp"

#include <array>
#include <chrono>
#include <thread>
#include <utility>

namespace softfeb::experiment {

namespace {

/// For the measurement of the difference between two clocks: kQuestions is the minimum number of messages.
/// Further messages are sent until the error is small enough, or until kLongest has passed.
constexpr int kQuestions = 200;
constexpr std::chrono::seconds kLongest(1);
constexpr std::chrono::microseconds kNap(200);

using WallClock = std::array<std::uint8_t, sizeof(std::int64_t)>;

}  // namespace

std::int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void HostLink::tell(hosts::Told what, std::uint64_t value) {
  if (!agreed_.note(rank(), what, value) || ended()) return;
  for (std::uint32_t to = 0; to < size(); ++to) {
    if (to == rank()) continue;
    std::vector<std::uint8_t> message;
    ArchiveWriter out(message);
    out.item(Kind::kTold);
    out.item(what);
    out.item(value);
    exchange_.post(to, std::move(message));
  }
}

void HostLink::poll() {
  if (ended()) return;
  exchange_.poll([this](std::uint32_t from, ByteSpan message) {
    ArchiveReader in(message);
    Kind kind{};
    in.item(kind);
    if (kind != Kind::kTold) {
      auto& bytes = kind == Kind::kSample ? samples_[from] : results_[from];
      bytes.assign(message.begin() + sizeof kind, message.end());
      return;
    }
    hosts::Told what{};
    std::uint64_t value = 0;
    in.item(what);
    in.item(value);
    agreed_.note(from, what, value);
  });
}

hosts::ClockReading HostLink::measure_clock(std::int64_t limit_ns) {
  if (rank() != 0) return ask_process_0(limit_ns / 10);
  hosts::ClockDifference own;
  for (std::uint32_t r = 1; r < size(); ++r)
    if (!answer(r)) return {};
  own.add(0, 0, 0);
  return hosts::ClockReading(own);
}

hosts::ClockReading HostLink::ask_process_0(std::int64_t wanted_ns) {
  hosts::ClockDifference difference;
  const auto begun = std::chrono::steady_clock::now();
  std::uint8_t last = 0;
  for (int i = 1; last == 0; ++i) {
    const bool good = difference.known() && difference.bound() <= wanted_ns;
    if (i >= kQuestions && (good || std::chrono::steady_clock::now() - begun > kLongest)) last = 1;
    WallClock answer{};
    const std::int64_t sent = wall_clock_ns();
    exchange_.send(0, {&last, 1});
    if (!exchange_.receive(0, answer)) return {};
    const std::int64_t received = wall_clock_ns();
    std::int64_t there = 0;
    ArchiveReader(answer).item(there);
    difference.add(sent, there, received);
  }
  return hosts::ClockReading(difference);
}

bool HostLink::answer(std::uint32_t to) {
  for (std::uint8_t last = 0; last == 0;) {
    if (!exchange_.receive(to, {&last, 1})) return false;
    std::vector<std::uint8_t> time;
    ArchiveWriter(time).item(wall_clock_ns());
    exchange_.send(to, time);
  }
  return true;
}

void HostLink::send(Kind kind, std::vector<std::uint8_t> bytes) {
  std::vector<std::uint8_t> message;
  message.reserve(bytes.size() + 1);
  ArchiveWriter out(message);
  out.item(kind);
  out.bytes(bytes.data(), bytes.size());
  exchange_.post(0, std::move(message));
}

void HostLink::latest_samples(const hosts::HostExchange::Take& take) const {
  for (const auto& [from, bytes] : samples_) take(from, bytes);
}

bool HostLink::take_results(const hosts::HostExchange::Take& take) {
  for (; results_.size() + 1 < size(); std::this_thread::sleep_for(kNap)) {
    if (ended()) return false;
    poll();
  }
  for (const auto& [from, bytes] : results_) take(from, bytes);
  return true;
}

bool HostLink::wait_for_end() {
  for (; agreed_.of(0, hosts::Told::kEnd) == 0; std::this_thread::sleep_for(kNap)) {
    if (ended()) return false;
    poll();
  }
  return true;
}

}  // namespace softfeb::experiment
