// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/endpoint_archive.hpp"

#include "engine/snapshot_archive.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace softfeb::experiment {

namespace {

/// Memory is copied in pieces of kPiece bytes. Pieces that contain only zeros are omitted, because the memory
/// of a receiver is zero before the run. kNoMore marks the end.
constexpr std::uint64_t kPiece = 4096;
constexpr std::uint64_t kNoMore = UINT64_MAX;

void write_memory(const endpoints::ReceiverMemory& memory, ArchiveWriter& out) {
  for (std::uint64_t at = 0; at < memory.size(); at += kPiece) {
    const std::uint8_t* const piece = memory.data() + at;
    const std::uint64_t size = std::min(kPiece, memory.size() - at);
    if (std::all_of(piece, piece + size, [](std::uint8_t byte) { return byte == 0; })) continue;
    out.item(at);
    out.bytes(piece, size);
  }
  out.item(kNoMore);
}

void read_memory(endpoints::ReceiverMemory& memory, ArchiveReader& in) {
  for (;;) {
    std::uint64_t at = 0;
    in.item(at);
    if (at >= memory.size()) return;
    in.bytes(memory.data() + at, std::min(kPiece, memory.size() - at));
  }
}

template <class Archive>
void archive_messages(endpoints::BoardMessages& messages, Archive& a) {
  if (messages.times) a.item(*messages.times);
  for (const auto& arrivals : messages.arrivals) a.item(*arrivals);
}

}  // namespace

void write_endpoint(endpoints::Endpoints& endpoints, std::size_t e, ArchiveWriter& out, bool with_memory) {
  const std::size_t boards = endpoints.boards.size();
  if (e < boards) return archive_messages(endpoints.messages[e], out);
  endpoints.receivers[e - boards]->archive(out);
  if (with_memory) return write_memory(*endpoints.memories[e - boards], out);
  out.item(kNoMore);
}

/// Writes a snapshot without its pointers, which are valid only in their own process. Writes the reasons for
/// failures as text. Does not write the names of counters, because read_snapshot() takes them from the
/// endpoint of the reading process.
void write_snapshot(const engine::EndpointSnapshot& snapshot, ArchiveWriter& out) {
  engine::archive(out, snapshot);
  for (const engine::SendQpSnapshot& qp : snapshot.send_qps) {
    if (!qp.congestion || qp.congestion->failure == nullptr) continue;
    const std::string_view text = qp.congestion->failure;
    out.list(std::vector<char>(text.begin(), text.end()));
  }
}

void read_snapshot(const engine::Endpoint& endpoint, std::set<std::string>& texts, ArchiveReader& in,
                   engine::EndpointSnapshot& snapshot) {
  engine::EndpointSnapshot own = engine::make_snapshot(endpoint);
  engine::take_snapshot(endpoint, own, 0, SIZE_MAX, 0);
  engine::archive(in, snapshot);
  for (std::size_t i = 0; i < snapshot.send_qps.size(); ++i) {
    auto& state = snapshot.send_qps[i].congestion;
    if (!state) continue;
    const auto& own_state = own.send_qps.at(i).congestion;
    state->counter_names = own_state ? own_state->counter_names : nullptr;
    if (state->counter_names == nullptr) state->counter_count = 0;
    if (state->failure == nullptr) continue;
    std::vector<char> text;
    in.list(text);
    state->failure = texts.emplace(text.begin(), text.end()).first->c_str();
  }
}

void read_endpoint(endpoints::Endpoints& endpoints, std::size_t e, ArchiveReader& in) {
  const std::size_t boards = endpoints.boards.size();
  if (e < boards) return archive_messages(endpoints.messages[e], in);
  endpoints.receivers[e - boards]->archive(in);
  read_memory(*endpoints.memories[e - boards], in);
}

}  // namespace softfeb::experiment
