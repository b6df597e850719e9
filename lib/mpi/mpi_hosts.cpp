// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/mpi_hosts.hpp"

#include "mpi/mpi_exchange.hpp"

#include <utility>

#include <mpi.h>

namespace softfeb::mpi {

namespace {

constexpr int kPostTag = 11;
constexpr int kShortTag = 12;

}  // namespace

/// A message whose bytes must stay where they are until MPI has sent them.
struct MpiHosts::Posted {
  Bytes bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

MpiHosts::MpiHosts() {
  int number = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  size_ = static_cast<std::uint32_t>(number);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  rank_ = static_cast<std::uint32_t>(number);
}

/// Messages that have not been sent by now belong to a run that was given up. MPI may still read them, so
/// they are not freed.
MpiHosts::~MpiHosts() {
  for (std::unique_ptr<Posted>& posted : posted_) static_cast<void>(posted.release());
}

bool MpiHosts::ended() const { return MpiExchange::interrupted(); }

void MpiHosts::post(std::uint32_t to, Bytes message) {
  posted_.push_back(std::make_unique<Posted>());
  Posted& posted = *posted_.back();
  posted.bytes = std::move(message);
  MPI_Isend(posted.bytes.data(), static_cast<int>(posted.bytes.size()), MPI_BYTE, static_cast<int>(to),
            kPostTag, MPI_COMM_WORLD, &posted.request);
}

void MpiHosts::poll(const Take& take) {
  posted_.remove_if([](const std::unique_ptr<Posted>& posted) {
    int sent = 0;
    MPI_Test(&posted->request, &sent, MPI_STATUS_IGNORE);
    return sent != 0;
  });
  for (;;) {
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kPostTag, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) return;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    Bytes message(static_cast<std::size_t>(bytes));
    MPI_Recv(message.data(), bytes, MPI_BYTE, status.MPI_SOURCE, kPostTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take(static_cast<std::uint32_t>(status.MPI_SOURCE), message);
  }
}

void MpiHosts::send(std::uint32_t to, ByteSpan message) {
  MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, static_cast<int>(to), kShortTag,
           MPI_COMM_WORLD);
}

bool MpiHosts::receive(std::uint32_t from, std::span<std::uint8_t> message) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_BYTE, static_cast<int>(from), kShortTag,
            MPI_COMM_WORLD, &request);
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    if (!ended()) continue;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    return false;
  }
}

}  // namespace softfeb::mpi
