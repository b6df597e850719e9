// SPDX-License-Identifier: BSD-3-Clause
// Compares the token bucket with simulations of the firmware's VHDL: every admission in t*.axis.csv must
// occur at the recorded clock, with the recorded credit and refill, in both the event-driven and the
// clock-by-clock implementation.
//
// Only these tests model the stages before the bucket. A frame is stored completely, and is available 12
// clocks after its last beat has entered. The bucket then opens a gate, through which frames pass one at a
// time, with 16 bytes per clock. The gate sees the next frame one clock after the last beat of the previous
// one.
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn_file.hpp"
#include "support/dcqcn_bucket_model.hpp"
#include "support/dcqcn_clock_model.hpp"
#include "support/vector_files.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dcqcn;
using namespace softfeb::test;

namespace {

constexpr Edge kStoreAndForward = 12;
/// Clock cycles from the admission of a frame to its first beat at the output.
constexpr Edge kGateDelay = 2;
/// The same for the first frame of a simulation. It is shorter, because the gate is already open.
constexpr Edge kFirstDelay = 1;

Edge beats(std::uint32_t bytes) { return (bytes + 15) / 16; }

/// Passes frames through the gate. `admit(i, from)` takes the credit for frame i from the bucket, and returns
/// the clock edge at which the frame is admitted, which is not before `from`.
template <typename Admit>
void pass_gate(const DcqcnAxisFile& axis, Admit&& admit) {
  Edge gate_free = 0;
  for (std::size_t i = 0; i < axis.frames.size(); ++i) {
    const DcqcnFrame& frame = axis.frames[i];
    INFO("frame " << i);
    if (frame.first_out == kNoEdge) return;  // the recorded simulation ended before this frame left
    const Edge from = std::max(frame.last_in + kStoreAndForward, gate_free);
    const Edge out = admit(i, from) + (i == 0 ? kFirstDelay : kGateDelay);
    REQUIRE(out == frame.first_out);
    REQUIRE(out + beats(frame.bytes) - 1 <= frame.last_out);
    gate_free = frame.last_out + 1;
  }
}

void check(const DcqcnAxisFile& axis, std::size_t frame, Edge edge, std::uint64_t credit,
           std::uint64_t refill) {
  if (frame == 0) return;
  REQUIRE(frame <= axis.admissions.size());
  const DcqcnAdmission& a = axis.admissions[frame - 1];
  REQUIRE(a.bytes == axis.frames[frame].bytes);
  REQUIRE(edge == a.edge);
  REQUIRE(credit == a.credit);
  REQUIRE(refill == a.byte_per_clock);
}

void each_file(const std::function<void(const DcqcnFile&, const DcqcnAxisFile&)>& test) {
  for (const auto& path : dcqcn_files(true)) {
    INFO(path.filename().string());
    const auto stimulus = path.parent_path() / (path.stem().stem().string() + ".csv");
    REQUIRE(std::filesystem::exists(stimulus));
    test(read_dcqcn_file(stimulus), read_dcqcn_axis_file(path));
  }
}

/// Merges the CNPs and register writes of a file in order of time, and applies them one by one to the
/// event-driven implementation.
class Events {
 public:
  explicit Events(const DcqcnFile& file) : file_(file) {}

  Edge next() const { return std::min(next_cnp(), next_write()); }
  void give(FirmwareDcqcn& cc) {
    if (next_write() <= next_cnp()) {
      const DcqcnWrite& w = file_.writes[write_++];
      cc.set_parameters(w.parameters, time_of(w.edge));
      cc.set_cnp_counter_reset(w.counter_reset, time_of(w.edge));
    } else {
      cc.cnp(time_of(file_.cnps[cnp_++].edge));
    }
  }

 private:
  Edge next_cnp() const { return cnp_ < file_.cnps.size() ? file_.cnps[cnp_].edge : kNoEdge; }
  Edge next_write() const { return write_ < file_.writes.size() ? file_.writes[write_].edge : kNoEdge; }

  const DcqcnFile& file_;
  std::size_t cnp_ = 0, write_ = 0;
};

}  // namespace

TEST_CASE("the tree's own bucket vectors exist", "[dcqcn]") {
  if (vectors_are_ours()) CHECK(dcqcn_files(true).size() >= 3);
}

TEST_CASE("dcqcn bucket vectors: every admission at its clock, lazily", "[dcqcn]") {
  each_file([](const DcqcnFile& file, const DcqcnAxisFile& axis) {
    FirmwareDcqcn cc({.build = file.build});
    cc.start(0);
    Events events(file);
    pass_gate(axis, [&](std::size_t i, Edge from) {
      const std::uint32_t bytes = axis.frames[i].bytes;
      while (events.next() < from) events.give(cc);
      Time now = time_of(from);
      for (;;) {
        const Time departure = std::max(cc.departure(bytes, now), now);
        // If an event precedes the departure, apply the event first. It may change the departure, so query
        // the departure again.
        if (events.next() != kNoEdge && time_of(events.next()) < departure) {
          now = std::max(now, time_of(events.next()));
          events.give(cc);
        } else if (departure == now) {
          break;
        } else {
          now = departure;
        }
      }
      cc.advance(now);
      const auto credit = static_cast<std::uint64_t>(cc.bucket().credit());
      const std::uint64_t refill = cc.bucket().refill();
      cc.sent(bytes, now);
      check(axis, i, edge_until(now), credit, refill);
      return edge_until(now);
    });
  });
}

TEST_CASE("dcqcn bucket vectors: every admission at its clock, clock by clock", "[dcqcn]") {
  each_file([](const DcqcnFile& file, const DcqcnAxisFile& axis) {
    FirmwareParameters parameters;
    bool counter_reset = false;
    std::size_t cnp = 0, write = 0;
    DcqcnClockModel reaction(parameters, file.build.line_rate, file.build.wrap32);
    DcqcnBucketModel bucket(file.build.line_rate);
    Edge n = 0;
    const auto clock = [&](std::uint64_t bytes) {
      for (; write < file.writes.size() && file.writes[write].edge == n; ++write) {
        parameters = file.writes[write].parameters;
        counter_reset = file.writes[write].counter_reset;
      }
      while (cnp < file.cnps.size() && file.cnps[cnp].edge + file.cnps[cnp].width <= n) ++cnp;
      reaction.clock(cnp < file.cnps.size() && file.cnps[cnp].edge <= n, parameters, counter_reset);
      bucket.clock(bytes, reaction.rc);
      ++n;
    };
    pass_gate(axis, [&](std::size_t i, Edge from) {
      const std::uint32_t bytes = axis.frames[i].bytes;
      while (n < from) clock(0);
      if (i == 0) return n;
      while (!bucket.may_admit(bytes)) clock(0);
      check(axis, i, n, bucket.credit(), bucket.byte_per_clock());
      clock(bytes);
      return n - 1;
    });
  });
}
