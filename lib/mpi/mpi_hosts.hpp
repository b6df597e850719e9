// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hosts/host_exchange.hpp"

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace softfeb::mpi {

/// Exchanges messages with the other processes that mpirun has started. Requires a Session.
///
/// From the first call of post() or poll() on, a separate thread calls MPI, because MPI may block in any call
/// when another process has died. After that, MpiExchange must no longer be used. If ended() is true, the
/// thread may be blocked, and the process must end by calling _exit().
class MpiHosts final : public hosts::HostExchange {
 public:
  MpiHosts();
  ~MpiHosts() override;

  std::uint32_t size() const override { return size_; }
  std::uint32_t rank() const override { return rank_; }
  bool ended() const override;
  void post(std::uint32_t to, Bytes message) override;
  void poll(const Take& take) override;
  void send(std::uint32_t to, ByteSpan message) override;
  bool receive(std::uint32_t from, std::span<std::uint8_t> message) override;

 private:
  struct Posted;
  using Messages = std::deque<std::pair<std::uint32_t, Bytes>>;  ///< rank of the other process, and bytes

  void start();
  void run();
  void progress();
  /// Acquires the lock that a thread must hold to call MPI. The lock is not held if ended() is true.
  std::unique_lock<std::mutex> enter_mpi();

  std::uint32_t size_ = 1, rank_ = 0;
  std::thread thread_;
  std::atomic<bool> leave_{false};
  std::mutex mpi_;
  std::list<std::unique_ptr<Posted>> posted_;  ///< not sent by MPI yet; access requires the lock of `mpi_`
  std::mutex queues_;
  Messages outgoing_, incoming_;  ///< access requires the lock of `queues_`
};

}  // namespace softfeb::mpi
