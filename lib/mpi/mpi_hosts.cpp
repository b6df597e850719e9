// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/mpi_hosts.hpp"

#include "mpi/mpi_exchange.hpp"

#include <chrono>

#include <mpi.h>

namespace softfeb::mpi {

namespace {

constexpr int kPostTag = 11;
constexpr int kShortTag = 12;
/// Interval at which the thread checks for messages. It is long enough to take little CPU time from the
/// workers.
constexpr std::chrono::microseconds kInterval(500);

}  // namespace

/// A message whose bytes must not be moved or freed until MPI has sent them.
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

MpiHosts::~MpiHosts() {
  if (!thread_.joinable()) return;
  leave_ = true;
  if (ended())
    thread_.detach();
  else
    thread_.join();
}

bool MpiHosts::ended() const { return MpiExchange::interrupted(); }

void MpiHosts::start() {
  if (!thread_.joinable() && !ended()) thread_ = std::thread([this] { run(); });
}

/// The loop of the thread. Ends when the destructor has set leave_ and all messages have been sent, or when
/// ended() is true.
void MpiHosts::run() {
  for (bool last = false; !last; std::this_thread::sleep_for(kInterval)) {
    const std::unique_lock<std::mutex> lock = enter_mpi();
    if (ended()) return;
    const bool leave = leave_;
    progress();
    last = leave && posted_.empty();
  }
}

void MpiHosts::progress() {
  Messages messages;
  {
    const std::lock_guard<std::mutex> lock(queues_);
    messages.swap(outgoing_);
  }
  for (auto& [to, bytes] : messages) {
    posted_.push_back(std::make_unique<Posted>());
    Posted& posted = *posted_.back();
    posted.bytes = std::move(bytes);
    MPI_Isend(posted.bytes.data(), static_cast<int>(posted.bytes.size()), MPI_BYTE, static_cast<int>(to),
              kPostTag, MPI_COMM_WORLD, &posted.request);
  }
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
    const std::lock_guard<std::mutex> lock(queues_);
    incoming_.emplace_back(static_cast<std::uint32_t>(status.MPI_SOURCE), std::move(message));
  }
}

std::unique_lock<std::mutex> MpiHosts::enter_mpi() {
  std::unique_lock<std::mutex> lock(mpi_, std::try_to_lock);
  while (!lock.owns_lock() && !ended()) {
    std::this_thread::yield();
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

void MpiHosts::post(std::uint32_t to, Bytes message) {
  start();
  const std::lock_guard<std::mutex> lock(queues_);
  outgoing_.emplace_back(to, std::move(message));
}

void MpiHosts::poll(const Take& take) {
  start();
  Messages messages;
  {
    const std::lock_guard<std::mutex> lock(queues_);
    messages.swap(incoming_);
  }
  for (const auto& [from, bytes] : messages) take(from, bytes);
}

void MpiHosts::send(std::uint32_t to, ByteSpan message) {
  const std::unique_lock<std::mutex> lock = enter_mpi();
  if (ended()) return;
  MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, static_cast<int>(to), kShortTag,
           MPI_COMM_WORLD);
}

bool MpiHosts::receive(std::uint32_t from, std::span<std::uint8_t> message) {
  MPI_Request request = MPI_REQUEST_NULL;
  const std::unique_lock<std::mutex> lock = enter_mpi();
  if (ended()) return false;
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
