// SPDX-License-Identifier: BSD-3-Clause
#include "cpu_times.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace softfeb::sink {

namespace {

/// Returns the CPU-time clock of the thread with number `tid`. Does the same as pthread_getcpuclockid(3),
/// which requires a pthread_t.
clockid_t clock_of_thread(int tid) {
  constexpr int kScheduled = 2, kOfThread = 4;
  return static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 | kScheduled | kOfThread);
}

}  // namespace

std::vector<ThreadClock> threads_of_process() {
  std::vector<ThreadClock> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    all.push_back({name, clock_of_thread(std::atoi(entry.path().filename().c_str()))});
  }
  return all;
}

Time read_clock(clockid_t clock) {
  timespec t{};
  if (clock_gettime(clock, &t) != 0) return 0;
  return static_cast<Time>(t.tv_sec) * kSecond + static_cast<Time>(t.tv_nsec) * kNanosecond;
}

CpuTimes::CpuTimes(std::vector<ThreadClock> threads, Time now, Read read)
    : read_(std::move(read)), sampled_(now), due_(now + kInterval) {
  for (ThreadClock& t : threads) {
    const Time used = read_(t.clock);
    threads_.push_back({std::move(t), used, used});
  }
}

void CpuTimes::sample(Time now) {
  const Time elapsed = now - sampled_;
  const std::uint64_t intervals = std::max<std::uint64_t>(1, (elapsed + kInterval / 2) / kInterval);
  for (Thread& t : threads_) {
    const Time used = std::max(t.last, read_(t.clock.clock));
    t.shares.add(static_cast<double>(used - t.last) / static_cast<double>(elapsed), intervals);
    t.last = used;
  }
  sampled_ = now;
  due_ = now + kInterval;
}

nlohmann::json CpuTimes::report() const {
  nlohmann::json all = nlohmann::json::array();
  for (const Thread& t : threads_) {
    nlohmann::json busy = nullptr;
    if (t.shares.count() != 0) {
      busy = {{"min", t.shares.quantile(0)},
              {"p10", t.shares.quantile(0.1)},
              {"p50", t.shares.quantile(0.5)},
              {"p90", t.shares.quantile(0.9)},
              {"max", t.shares.quantile(1)}};
    }
    all.push_back({{"thread", t.clock.name},
                   {"cpu_s", to_seconds(t.last - t.begin)},
                   {"interval_ms", to_seconds(kInterval) * 1e3},
                   {"samples", t.shares.count()},
                   {"busy", std::move(busy)}});
  }
  return all;
}

}  // namespace softfeb::sink
