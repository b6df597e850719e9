// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hosts/host_exchange.hpp"

#include <list>
#include <memory>

namespace softfeb::mpi {

/// Exchanges messages with the processes of the same mpirun. Requires a Session.
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

  std::uint32_t size_ = 1, rank_ = 0;
  std::list<std::unique_ptr<Posted>> posted_;  ///< messages that MPI has not sent yet
};

}  // namespace softfeb::mpi
