// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/mpi_exchange.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <mpi.h>

namespace softfeb::mpi {

namespace {

constexpr int kFirstTag = 1;
constexpr int kRestTag = 2;
constexpr int kGatherTag = 3;
/// Longer messages are divided, because MPI counts bytes with an int.
constexpr std::size_t kPieceBytes = std::size_t{1} << 30;

volatile std::sig_atomic_t g_interrupted = 0;

/// Waits until all requests are complete. Throws if a signal has arrived: another process may then have
/// ended, and this process would wait forever.
void wait(std::span<MPI_Request> requests) {
  // The other process has usually reached the same point, so do not give up the CPU immediately.
  constexpr int kSpins = 200;
  int done = 0;
  for (int spins = 0; done == 0; ++spins) {
    if (spins > kSpins) std::this_thread::yield();
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (g_interrupted != 0) throw EnvironmentError("ended by a signal, so there is no result", "");
  }
}
void wait(MPI_Request& request) { wait({&request, 1}); }

void end_on_error(MPI_Comm*, int*, ...) { MPI_Abort(MPI_COMM_WORLD, kEnvironment); }

/// Calls `pass` for each piece of `bytes`.
template <class Byte, class Pass>
void in_pieces(Byte* bytes, std::size_t size, Pass&& pass) {
  for (std::size_t at = 0; at < size; at += kPieceBytes)
    pass(bytes + at, static_cast<int>(std::min(kPieceBytes, size - at)));
}

void send_bytes(const std::uint8_t* bytes, std::size_t size, int to, int tag) {
  in_pieces(bytes, size, [&](const std::uint8_t* piece, int n) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(piece, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
    wait(request);
  });
}

void receive_bytes(std::uint8_t* bytes, std::size_t size, int from, int tag) {
  in_pieces(bytes, size, [&](std::uint8_t* piece, int n) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(piece, n, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
    wait(request);
  });
}

}  // namespace

Session::Session(int& argc, char**& argv) {
  // Messages up to this size are copied directly between processes on the same host. By default, messages
  // above 4 KiB need system calls, which take several times as long. Users may choose another value.
  setenv("OMPI_MCA_btl_vader_eager_limit", "32768", 0);
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);  // MpiHosts calls MPI in a thread
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(end_on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}

Session::~Session() {
  // After a signal, another process may already have ended, and MPI_Finalize would wait for it forever.
  if (g_interrupted == 0) MPI_Finalize();
}

/// The buffers and requests of a swap in progress. They are kept for later swaps, which then need not
/// allocate memory.
struct MpiExchange::Swap {
  std::vector<Bytes> sending, receiving;  ///< first parts of messages, by neighbour
  std::vector<MPI_Request> requests;      ///< for the first parts, and for the minimum of `earliest`
  std::vector<MPI_Request> rest;          ///< for sending the remainders of long messages
  Time earliest = kNever, least = kNever;
};

MpiExchange::MpiExchange() : swaps_{std::make_unique<Swap>(), std::make_unique<Swap>()} {
  int number = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  size_ = static_cast<std::uint32_t>(number);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  rank_ = static_cast<std::uint32_t>(number);
}

MpiExchange::~MpiExchange() = default;

void MpiExchange::connect(std::vector<std::uint32_t> neighbours) {
  neighbours_ = std::move(neighbours);
  complete_ = all(neighbours_.size() + 1 == size_);
  for (const auto& swap : swaps_) {
    swap->sending.assign(neighbours_.size(), Bytes(kFirst));
    swap->receiving.assign(neighbours_.size(), Bytes(kFirst));
  }
}

void MpiExchange::begin_swap(Time earliest, std::span<const Bytes> out) {
  Swap& swap = *swaps_[begun_++ % 2];
  swap.requests.assign(2 * neighbours_.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const int peer = static_cast<int>(neighbours_[i]);
    const Bytes& bytes = out[neighbours_[i]];
    MPI_Irecv(swap.receiving[i].data(), static_cast<int>(kFirst), MPI_BYTE, peer, kFirstTag, MPI_COMM_WORLD,
              &swap.requests[2 * i]);
    const Head head{bytes.size(), earliest};
    const std::size_t first = std::min(bytes.size(), kFirst - sizeof head);
    std::memcpy(swap.sending[i].data(), &head, sizeof head);
    if (first != 0) std::memcpy(swap.sending[i].data() + sizeof head, bytes.data(), first);
    MPI_Isend(swap.sending[i].data(), static_cast<int>(sizeof head + first), MPI_BYTE, peer, kFirstTag,
              MPI_COMM_WORLD, &swap.requests[2 * i + 1]);
  }
  swap.earliest = swap.least = earliest;
  if (!complete_)
    MPI_Iallreduce(&swap.earliest, &swap.least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD,
                   &swap.requests.emplace_back());
  begin_rest(swap, out);
}

/// Sends the remainder of each message that does not fit into its first part.
void MpiExchange::begin_rest(Swap& swap, std::span<const Bytes> out) {
  constexpr std::size_t kRoom = kFirst - sizeof(Head);
  swap.rest.clear();
  for (const std::uint32_t peer : neighbours_) {
    const Bytes& bytes = out[peer];
    if (bytes.size() <= kRoom) continue;
    in_pieces(bytes.data() + kRoom, bytes.size() - kRoom, [&](const std::uint8_t* piece, int n) {
      MPI_Isend(piece, n, MPI_BYTE, static_cast<int>(peer), kRestTag, MPI_COMM_WORLD,
                &swap.rest.emplace_back());
    });
  }
}

Time MpiExchange::complete_swap(Bytes& in) {
  constexpr std::size_t kRoom = kFirst - sizeof(Head);
  Swap& swap = *swaps_[completed_++ % 2];
  in.clear();
  wait(swap.requests);
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    Head head;
    std::memcpy(&head, swap.receiving[i].data(), sizeof head);
    swap.least = std::min(swap.least, head.earliest);
    const std::size_t at = in.size();
    const std::size_t first = std::min<std::size_t>(head.size, kRoom);
    in.resize(at + head.size);
    if (first != 0) std::memcpy(in.data() + at, swap.receiving[i].data() + sizeof head, first);
    receive_bytes(in.data() + at + first, head.size - first, static_cast<int>(neighbours_[i]), kRestTag);
  }
  wait(swap.rest);
  return swap.least;
}

void MpiExchange::gather(ByteSpan mine, const Take& take) {
  const std::uint64_t size = mine.size();
  std::vector<std::uint64_t> sizes(rank_ == 0 ? size_ : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
  wait(request);
  if (rank_ != 0) return send_bytes(mine.data(), mine.size(), 0, kGatherTag);
  take(0, mine);
  Bytes bytes;
  for (std::uint32_t r = 1; r < size_; ++r) {
    bytes.resize(sizes[r]);
    receive_bytes(bytes.data(), bytes.size(), static_cast<int>(r), kGatherTag);
    take(r, bytes);
  }
}

bool MpiExchange::all(bool mine) {
  const int value = mine ? 1 : 0;
  int result = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &result, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD, &request);
  wait(request);
  return result != 0;
}

std::uint64_t MpiExchange::lead(std::uint64_t mine) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&mine, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
  wait(request);
  return mine;
}

void MpiExchange::interrupt() { g_interrupted = 1; }

bool MpiExchange::interrupted() { return g_interrupted != 0; }

void MpiExchange::end_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

}  // namespace softfeb::mpi
