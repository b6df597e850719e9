// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/bus.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::test {

/// A bus with registers at addresses below its size. Accesses to higher addresses return decode errors. If
/// `at_once` is true, the bus completes each access immediately; otherwise it completes an access when
/// answer() is called.
class MemoryBus final : public srp::Bus {
 public:
  explicit MemoryBus(std::size_t size = 64 * 1024, bool at_once = true) : memory(size), at_once_(at_once) {}

  void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) override {
    const srp::BusResult result = judge(address, out.size());
    if (result.words > 0) std::memcpy(out.data(), &memory[address], result.words * 4);
    finish(result, now, std::move(done));
  }
  void write(std::uint32_t address, ByteSpan data, Time now, Done done) override {
    const srp::BusResult result = judge(address, data.size());
    if (result.words > 0) std::memcpy(&memory[address], data.data(), result.words * 4);
    finish(result, now, std::move(done));
  }

  bool waiting() const { return waiting_.has_value(); }
  /// Completes the current access.
  void answer(Time now) {
    auto [result, done] = std::move(*waiting_);
    waiting_.reset();
    done(result, now);
  }

  std::vector<std::uint8_t> memory;
  std::optional<std::uint32_t> refuses;  ///< address of the word for which accesses return SLVERR
  std::uint64_t accesses = 0;
  bool overlapped = false;  ///< true if an access began before the previous one had completed

 private:
  srp::BusResult judge(std::uint32_t address, std::size_t bytes) const {
    const std::size_t end = std::uint64_t{address} + bytes;
    if (refuses && *refuses >= address && *refuses < end)
      return {srp::BusStatus::kSlaveError, (*refuses - address) / 4};
    if (end <= memory.size()) return {srp::BusStatus::kOk, bytes / 4};
    return {srp::BusStatus::kDecodeError, address < memory.size() ? (memory.size() - address) / 4 : 0};
  }
  void finish(const srp::BusResult& result, Time now, Done done) {
    ++accesses;
    overlapped = overlapped || waiting_;
    if (at_once_)
      done(result, now);
    else
      waiting_.emplace(result, std::move(done));
  }

  bool at_once_;
  std::optional<std::pair<srp::BusResult, Done>> waiting_;
};

}  // namespace softfeb::test
