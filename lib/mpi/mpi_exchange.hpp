// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simulator/exchange.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// lib/mpi connects the processes that mpirun has started. It may include only lib/simulator and the
/// libraries below it. Only softfeb-mpi uses it.
namespace softfeb::mpi {

/// Starts MPI. The destructor ends it, and waits for the other processes to do so. Create one object at the
/// beginning of main().
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// Exchanges data with the other processes that mpirun has started. If MPI reports an error, all processes
/// end with status 3. A process uses its CPU while it waits, so each process should have its own CPU.
/// Requires a Session.
class MpiExchange final : public simulator::Exchange {
 public:
  MpiExchange();
  ~MpiExchange() override;

  std::uint32_t size() const override { return size_; }
  std::uint32_t rank() const override { return rank_; }
  void connect(std::vector<std::uint32_t> neighbours) override;
  void begin_swap(Time earliest, std::span<const Bytes> out) override;
  Time complete_swap(Bytes& in) override;
  void gather(ByteSpan mine, const Take& take) override;
  bool all(bool mine) override;
  std::uint64_t lead(std::uint64_t mine) override;
  void end_all(int status) override;

  /// Makes the current call and all later calls of MpiExchange functions in this process throw
  /// EnvironmentError, so that the program removes incomplete files. May be called in a signal handler.
  static void interrupt();
  static bool interrupted();

 private:
  /// The beginning of a message. The first kFirst bytes of a message, including the head, are sent without
  /// announcing their number; the rest, if any, follows in a second message.
  struct Head {
    std::uint64_t size = 0;  ///< bytes after the head
    Time earliest = kNever;
  };
  static constexpr std::size_t kFirst = 16'384;
  struct Swap;

  void begin_rest(Swap& swap, std::span<const Bytes> out);

  std::uint32_t size_ = 1, rank_ = 0;
  std::vector<std::uint32_t> neighbours_;
  bool complete_ = false;                       ///< every process has all others as its neighbours
  std::array<std::unique_ptr<Swap>, 2> swaps_;  ///< buffers of the swaps in progress, at most two at a time
  /// Numbers of swaps begun and completed. The remainder modulo 2 is the index in swaps_ of the next swap to
  /// begin or complete.
  std::size_t begun_ = 0, completed_ = 0;
};

}  // namespace softfeb::mpi
