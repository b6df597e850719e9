// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace softfeb::simulator {

/// Connects the processes that simulate one network together. Every process calls the same functions in the
/// same order. Except for begin_swap(), each call returns only after the other processes have made the same
/// call. If a process fails, the others end as well (see MpiExchange).
class Exchange {
 public:
  using Bytes = std::vector<std::uint8_t>;
  /// Receives the bytes of process `rank`.
  using Take = std::function<void(std::uint32_t rank, ByteSpan bytes)>;

  virtual ~Exchange() = default;
  virtual std::uint32_t size() const = 0;  ///< number of processes
  virtual std::uint32_t rank() const = 0;  ///< number of this process

  /// Sets the processes with which this process swaps frames. Call it in all processes, before the first
  /// begin_swap(). If process a is a neighbour of b, b must also be a neighbour of a.
  virtual void connect(std::vector<std::uint32_t> neighbours) = 0;
  /// Begins a swap, and does not wait for other processes: sends out[r] to each neighbour r. `out` must stay
  /// unchanged until the swap is completed. Two swaps may be in progress at a time. Complete all of them
  /// before calling any other function of this class.
  virtual void begin_swap(Time earliest, std::span<const Bytes> out) = 0;
  /// Completes the older of the swaps in progress: waits for what the neighbours have sent, and stores it in
  /// `in`, in the order of their ranks. Returns the minimum of `earliest` over all processes.
  virtual Time complete_swap(Bytes& in) = 0;
  /// In process 0, passes the bytes of every process to `take`, in the order of ranks.
  virtual void gather(ByteSpan mine, const Take& take) = 0;
  /// Returns true in all processes if `mine` is true in all of them.
  virtual bool all(bool mine) = 0;
  /// Returns, in all processes, the value of `mine` in process 0.
  virtual std::uint64_t lead(std::uint64_t mine) = 0;
  /// Ends all processes immediately with this exit status, without waiting for them. Does nothing if there is
  /// only one process.
  virtual void end_all(int status) = 0;
};

/// The exchange of a simulation with a single process.
class SoloExchange final : public Exchange {
 public:
  std::uint32_t size() const override { return 1; }
  std::uint32_t rank() const override { return 0; }
  void connect(std::vector<std::uint32_t>) override {}
  void begin_swap(Time earliest, std::span<const Bytes>) override {
    earliest_[1] = earliest_[0];
    earliest_[0] = earliest;
    ++in_progress_;
  }
  Time complete_swap(Bytes& in) override {
    in.clear();
    return earliest_[--in_progress_];
  }
  void gather(ByteSpan mine, const Take& take) override { take(0, mine); }
  bool all(bool mine) override { return mine; }
  std::uint64_t lead(std::uint64_t mine) override { return mine; }
  void end_all(int) override {}

 private:
  std::array<Time, 2> earliest_{};  ///< times passed to the last two calls of begin_swap(), the latest first
  std::size_t in_progress_ = 0;
};

}  // namespace softfeb::simulator
