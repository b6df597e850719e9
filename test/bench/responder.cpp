// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks.hpp"
#include "dataplane/run_clock.hpp"
#include "endpoints.hpp"
#include "measurement.hpp"
#include "roce/frame.hpp"
#include "roce/icrc.hpp"

#include <cstring>
#include <memory_resource>
#include <vector>

namespace softfeb::bench {

namespace {

constexpr std::size_t kBatch = 1024;
constexpr std::size_t kIpBegins = 14;

/// A board, one batch of its frames, and the receiver of these frames.
class ReceivedBatches {
 public:
  explicit ReceivedBatches(const CraftOptions& o)
      : clock_(dataplane::start_clock()),
        payload_(craft_payload(o)),
        arena_(payload_->arena_bytes()),
        rooms_(kBatch),
        frames_(kBatch),
        acks_(kBatch),
        ack_rooms_(kBatch),
        copy_(o.pmtu),
        memory_(std::size_t{o.qps} * message_bytes(o), huge_pages()) {
    payload_->fill(arena_);
    expected_ = arena_;
    board_ = craft_board(o, *payload_, 0);
    receiver_ = std::make_unique<CheckingReceiver>(o);
    for (std::size_t i = 0; i < kBatch; ++i) {
      frames_[i].header = rooms_[i].data();
      acks_[i].header = ack_rooms_[i].data();
    }
    board_->start(read_clock(clock_));
    make_batch();
  }

  /// Measures the receiver: receives new packets for `duration`.
  Tally receive(Time duration) {
    Tally t;
    while (t.elapsed < duration) {
      const Time ran = thread_time();
      const Time begin = read_clock(clock_);
      for (std::size_t i = 0; i < made_; ++i) receiver_->receiver().receive(parse(frames_[i]), begin);
      const std::size_t acks = receiver_->receiver().poll(begin, acks_);
      t += {made_, read_clock(clock_) - begin, thread_time() - ran};
      for (std::size_t i = 0; i < acks; ++i) board_->receive(parse(acks_[i]), begin);
      make_batch();
    }
    return t;
  }

  /// Measures the minimum work of a receiver, which consists of CRC, comparison and copy: repeats this work
  /// on the same packets for `duration`.
  Tally look_at(Time duration) {
    Tally t;
    while (t.elapsed < duration) {
      const Time ran = thread_time();
      const Time begin = read_clock(clock_);
      for (std::size_t i = 0; i < made_; ++i) wrong_ += look_at(frames_[i]) ? 0 : 1;
      t += {made_, read_clock(clock_) - begin, thread_time() - ran};
    }
    return t;
  }

  /// Copies the payload of the same packets repeatedly for `duration`, into memory as large as the
  /// receiver's. Shows the rate that the machine's memory allows.
  Tally copy(Time duration) {
    Tally t;
    while (t.elapsed < duration) {
      const Time ran = thread_time();
      const Time begin = read_clock(clock_);
      for (std::size_t i = 0; i < made_; ++i) copy(frames_[i]);
      t += {made_, read_clock(clock_) - begin, thread_time() - ran};
    }
    return t;
  }

  CheckingReceiver::Totals totals() const { return receiver_->totals(); }
  /// Number of wrong packets that look_at() has found.
  std::uint64_t wrong() const { return wrong_; }

 private:
  using Room = std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>;

  static roce::ParsedFrame parse(const engine::TxFrame& f) {
    Segments bytes(ByteSpan(f.header, f.header_length));
    bytes.push({f.payload, f.payload_length});
    bytes.push({f.trailer.data(), f.trailer_length});
    return roce::parse_frame(bytes);
  }

  void make_batch() { made_ = board_->poll(read_clock(clock_), frames_); }

  bool look_at(const engine::TxFrame& f) {
    const std::uint32_t head = roce::icrc_headers(ByteSpan(f.header, f.header_length).subspan(kIpBegins));
    const std::uint32_t crc = roce::crc32(head, ByteSpan(f.payload, f.payload_length));
    // The payload is a counter, which repeats after 256 bytes. Each packet carries a multiple of 256 bytes,
    // so all packets have the same payload.
    const bool same = std::memcmp(f.payload, expected_.data(), f.payload_length) == 0;
    std::memcpy(copy_.data(), f.payload, f.payload_length);
    return same && crc == load_le32(f.trailer.data());
  }

  void copy(const engine::TxFrame& f) {
    if (next_ + f.payload_length > memory_.size()) next_ = 0;
    std::memcpy(memory_.data() + next_, f.payload, f.payload_length);
    next_ += f.payload_length;
  }

  dataplane::TscClock clock_;
  std::unique_ptr<board::PayloadSource> payload_;
  std::vector<std::uint8_t> arena_;
  std::vector<std::uint8_t> expected_;
  std::unique_ptr<engine::Board> board_;
  std::unique_ptr<CheckingReceiver> receiver_;
  std::vector<Room> rooms_;
  std::vector<engine::TxFrame> frames_;
  std::vector<engine::TxFrame> acks_;
  std::vector<Room> ack_rooms_;
  std::vector<std::uint8_t> copy_;
  std::pmr::vector<std::uint8_t> memory_;
  std::size_t next_ = 0;  ///< offset in memory_ of the next payload
  std::size_t made_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

Json bench_responder(const CraftOptions& o) {
  ReceivedBatches link(o);
  std::vector<Contestant> all;
  all.push_back({"receiver", [&](Time d) { return std::vector{link.receive(d)}; }});
  all.push_back({"bare", [&](Time d) { return std::vector{link.look_at(d)}; }});
  all.push_back({"copy", [&](Time d) { return std::vector{link.copy(d)}; }});
  compete(all, o.runs, o.duration);
  Json out{{"benchmark", "responder"},
           {"pmtu", o.pmtu},
           {"transport", o.transport == roce::Transport::kRc ? "rc" : "uc"},
           {"qps", o.qps},
           {"message_packets", o.packets},
           {"duration_s", to_seconds(o.duration)}};
  out.update(figures_of(all[0]));
  out["median_payload_gbps"] = out["median_mpps"].get<double>() * o.pmtu * 8e-3;
  out["median_cpu_payload_gbps"] = out["median_cpu_mpps"].get<double>() * o.pmtu * 8e-3;
  out["bare"] = figures_of(all[1]);
  out["copy"] = figures_of(all[2]);
  out["copy"]["median_cpu_payload_gbps"] = out["copy"]["median_cpu_mpps"].get<double>() * o.pmtu * 8e-3;
  add_ratio(out, "ratio_to_bare", all[0], all[1]);
  add_ratio(out, "ratio_to_copy", all[0], all[2]);
  out["totals"] = to_json(link.totals());
  out["totals"]["bare_wrong"] = link.wrong();
  out["stolen_share"] = median(all[0].preempted);
  out["machine"] = machine_facts(nullptr);
  return out;
}

}  // namespace softfeb::bench
