// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace softfeb::simulator {

/// Connects the processes that simulate one network together. Every process calls the same functions in the
/// same order, and each call returns when the others have made it, too. If a process fails, the others end
/// (MpiExchange).
class Exchange {
 public:
  using Bytes = std::vector<std::uint8_t>;
  /// Receives the bytes of process `rank`.
  using Take = std::function<void(std::uint32_t rank, ByteSpan bytes)>;

  virtual ~Exchange() = default;
  virtual std::uint32_t size() const = 0;  ///< number of processes
  virtual std::uint32_t rank() const = 0;  ///< number of this process

  /// Names the processes with which this one swaps frames. Call it before the first swap(), and in all
  /// processes: if a process names another one, the other must name it, too.
  virtual void connect(std::vector<std::uint32_t> neighbours) = 0;
  /// Sends out[r] to each neighbour r, and sets `in` to what the neighbours have sent, in the order of their
  /// ranks. Returns the smallest value of `earliest` of all processes.
  virtual Time swap(Time earliest, std::span<const Bytes> out, Bytes& in) = 0;
  /// Passes the bytes of all processes to `take` in process 0, in the order of ranks.
  virtual void gather(ByteSpan mine, const Take& take) = 0;
  /// True if all values are true.
  virtual bool all(bool mine) = 0;
  /// The value of process 0.
  virtual std::uint64_t lead(std::uint64_t mine) = 0;
  /// Ends all processes at once, with this exit status, without waiting for them. With a single process, does
  /// nothing.
  virtual void end_all(int status) = 0;
};

/// A single process.
class SoloExchange final : public Exchange {
 public:
  std::uint32_t size() const override { return 1; }
  std::uint32_t rank() const override { return 0; }
  void connect(std::vector<std::uint32_t>) override {}
  Time swap(Time earliest, std::span<const Bytes>, Bytes& in) override {
    in.clear();
    return earliest;
  }
  void gather(ByteSpan mine, const Take& take) override { take(0, mine); }
  bool all(bool mine) override { return mine; }
  std::uint64_t lead(std::uint64_t mine) override { return mine; }
  void end_all(int) override {}
};

}  // namespace softfeb::simulator
