// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/ensemble.hpp"

#include "base/archive.hpp"
#include "base/exit_code.hpp"
#include "base/rng.hpp"
#include "config/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <vector>

#include <unistd.h>

namespace softfeb::experiment {

namespace {

/// Properties that must be the same in all processes.
struct Identity {
  std::uint64_t program = 0, configuration = 0, payloads = 0;
};

std::uint64_t hash_of_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::vector<std::uint8_t> bytes(std::size_t{1} << 20);
  std::uint64_t hash = 0;
  while (file) {
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    hash = hash_of(ByteSpan(bytes).first(static_cast<std::size_t>(file.gcount())), hash);
  }
  return hash;
}

/// A failure of one process: its exit status, and the text for the user.
struct Failure {
  int status = kDone;
  std::string text;
};

Failure attempt(const std::function<void()>& step) {
  try {
    step();
    return {};
  } catch (const config::ConfigError& e) {
    return {kBadUsage, e.what()};
  } catch (const std::bad_alloc&) {
    return {kEnvironment, "out of memory; fix: use a smaller configuration, or add memory"};
  } catch (const std::exception& e) {
    return {kEnvironment, e.what()};
  }
}

/// Throws in all processes; process 0 reports the failure to the user. All processes must have exchanged
/// their failures before.
[[noreturn]] void end_together(simulator::Exchange& exchange, const Failure& failure) {
  const int status = static_cast<int>(exchange.lead(static_cast<std::uint64_t>(failure.status)));
  throw EnsembleFailure(status, exchange.rank() == 0 ? failure.text : "");
}

std::string difference(const Identity& mine, const Identity& other) {
  if (mine.program != other.program)
    return "runs another program than process 0; fix: install the same version of softfeb on all hosts";
  if (mine.configuration != other.configuration)
    return "has another configuration than process 0; fix: give all hosts the same file";
  if (mine.payloads != other.payloads)
    return "has other payloads than process 0; fix: give all hosts the same payload files";
  return {};
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

std::uint64_t hash_of(ByteSpan bytes, std::uint64_t before) {
  std::uint64_t hash = Rng::mixed(before, bytes.size(), 0);
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[at], 8);
    hash = (hash ^ word) * 0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 29;
  }
  for (; at < bytes.size(); ++at) hash = (hash ^ bytes[at]) * 0x9e37'79b9'7f4a'7c15U;
  return hash ^ hash >> 32;
}

std::string process_name(std::uint32_t rank) {
  return "process " + std::to_string(rank) + " on " + host_name();
}

void all_or_none(simulator::Exchange& exchange, const std::function<void()>& step) {
  if (exchange.size() == 1) return step();
  Failure mine = attempt(step);
  if (exchange.all(mine.status == kDone)) return;
  // Usually all processes fail in the same way. Otherwise, name the process that failed.
  const std::string text = mine.text.empty() ? "" : process_name(exchange.rank()) + ": " + mine.text;
  std::string elsewhere;
  exchange.gather({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()},
                  [&](std::uint32_t rank, ByteSpan bytes) {
                    if (rank != 0 && elsewhere.empty()) elsewhere.assign(bytes.begin(), bytes.end());
                  });
  if (exchange.rank() == 0 && mine.status == kDone) mine = {kEnvironment, elsewhere};
  end_together(exchange, mine);
}

void require_same(simulator::Exchange& exchange, const std::string& configuration, std::uint64_t payloads) {
  if (exchange.size() == 1) return;
  const Identity mine{
      hash_of_program(),
      hash_of({reinterpret_cast<const std::uint8_t*>(configuration.data()), configuration.size()}), payloads};
  std::vector<std::uint8_t> bytes;
  ArchiveWriter out(bytes);
  out.item(mine);
  const std::string name = process_name(exchange.rank());
  out.bytes(name.data(), name.size());
  Failure failure;
  exchange.gather(bytes, [&](std::uint32_t, ByteSpan from) {
    ArchiveReader in(from);
    Identity other;
    in.item(other);
    const ByteSpan other_name = in.view(from.size() - sizeof other);
    const std::string what = difference(mine, other);
    if (what.empty() || failure.status != kDone) return;
    failure = {mine.program == other.program ? kBadUsage : kEnvironment,
               std::string(other_name.begin(), other_name.end()) + ' ' + what};
  });
  if (exchange.lead(static_cast<std::uint64_t>(failure.status)) != kDone) end_together(exchange, failure);
}

double exchange_time(simulator::Exchange& exchange) {
  if (exchange.size() == 1) return 0;
  constexpr std::size_t kTimes = 201;
  constexpr std::size_t kBytes = 4096;
  using Clock = std::chrono::steady_clock;
  const std::vector<simulator::Exchange::Bytes> out(exchange.size(), simulator::Exchange::Bytes(kBytes));
  simulator::Exchange::Bytes in;
  std::vector<double> took;
  exchange.begin_swap(0, out);
  for (std::size_t i = 0; i < kTimes; ++i) {
    const Clock::time_point begun = Clock::now();
    exchange.begin_swap(0, out);
    exchange.complete_swap(in);
    took.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
  }
  exchange.complete_swap(in);
  std::nth_element(took.begin(), took.begin() + kTimes / 2, took.end());
  return took[kTimes / 2];
}

}  // namespace softfeb::experiment
