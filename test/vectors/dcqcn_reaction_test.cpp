// SPDX-License-Identifier: BSD-3-Clause
// Compares the reaction point with simulations of the firmware's VHDL: every change of state in s*.csv and
// t*.csv must occur at the recorded clock, in both the event-driven and the clock-by-clock implementation.
#include "dcqcn/reaction_point.hpp"
#include "dcqcn_file.hpp"
#include "support/dcqcn_clock_model.hpp"
#include "support/vector_files.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dcqcn;
using namespace softfeb::test;

namespace {

DcqcnState state_of(const ReactionPoint& r) {
  return {r.rc(), r.rt(), r.alpha(), r.time_stage(), r.cnp_counter()};
}

std::string text(const DcqcnState& s) {
  return std::to_string(s.rc) + ' ' + std::to_string(s.rt) + ' ' + std::to_string(s.alpha) + ' ' +
         std::to_string(s.time_stage) + ' ' + std::to_string(s.cnp_counter);
}

void check(Edge edge, const DcqcnState& is, const DcqcnState& should) {
  if (is == should) return;
  INFO("after edge " << edge << " Rc Rt alpha timeStage cnpCnt: " << text(is) << ", wanted " << text(should));
  REQUIRE(is == should);
}

/// Applies the CNPs and register writes of a file to the event-driven reaction point, step by step.
class Feed {
 public:
  explicit Feed(const DcqcnFile& file) : file_(file) {}

  void up_to(Edge until, ReactionPoint& r) {
    for (;;) {
      const Edge cnp = cnp_ < file_.cnps.size() ? file_.cnps[cnp_].edge : kNoEdge;
      const Edge write = write_ < file_.writes.size() ? file_.writes[write_].edge : kNoEdge;
      if (std::min(cnp, write) > until) return;
      if (write <= cnp) {
        const DcqcnWrite& w = file_.writes[write_++];
        r.set_parameters(w.parameters, w.edge);
        r.set_cnp_counter_reset(w.counter_reset, w.edge);
      } else {
        r.cnp(file_.cnps[cnp_++].edge);
      }
    }
  }

 private:
  const DcqcnFile& file_;
  std::size_t cnp_ = 0, write_ = 0;
};

void each_file(const std::function<void(const DcqcnFile&)>& test) {
  for (const auto& path : dcqcn_files(false)) {
    INFO(path.filename().string());
    const DcqcnFile file = read_dcqcn_file(path);
    test(file);
  }
}

}  // namespace

TEST_CASE("the tree's own vectors exist", "[dcqcn]") {
  if (vectors_are_ours()) CHECK(dcqcn_files(false).size() >= 11);
}

TEST_CASE("dcqcn vectors: lazily, queried before and at every change", "[dcqcn]") {
  each_file([](const DcqcnFile& file) {
    ReactionPoint r({}, file.build);
    Feed feed(file);
    const DcqcnState* before = nullptr;
    for (const DcqcnChange& change : file.changes) {
      if (before != nullptr) {
        feed.up_to(change.edge - 1, r);
        r.advance(change.edge - 1);
        check(change.edge - 1, state_of(r), *before);
      }
      feed.up_to(change.edge, r);
      r.advance(change.edge);
      check(change.edge, state_of(r), change.state);
      before = &change.state;
    }
    feed.up_to(file.end, r);
    r.advance(file.end);
    check(file.end, state_of(r), file.changes.back().state);
  });
}

TEST_CASE("dcqcn vectors: lazily, queried once, at any one change or at the end", "[dcqcn]") {
  each_file([](const DcqcnFile& file) {
    const std::size_t stride = std::max<std::size_t>(1, file.changes.size() / 50);
    for (std::size_t i = 0; i < file.changes.size(); i += stride) {
      ReactionPoint r({}, file.build);
      Feed(file).up_to(file.changes[i].edge, r);
      r.advance(file.changes[i].edge);
      check(file.changes[i].edge, state_of(r), file.changes[i].state);
    }
    ReactionPoint r({}, file.build);
    Feed(file).up_to(file.end, r);
    r.advance(file.end);
    check(file.end, state_of(r), file.changes.back().state);
  });
}

TEST_CASE("dcqcn vectors: every change of Rc is found, and no other", "[dcqcn]") {
  each_file([](const DcqcnFile& file) {
    ReactionPoint r({}, file.build);
    Feed feed(file);
    std::uint64_t rc = file.changes.front().state.rc;
    for (const DcqcnChange& change : file.changes) {
      if (change.state.rc == rc) continue;
      // Several events may precede the next expected change of Rc. Rc must not change before the expected
      // time.
      for (Edge from = r.now(); from < change.edge;) {
        feed.up_to(from, r);
        Edge stop = change.edge;
        for (const DcqcnCnp& c : file.cnps)
          if (c.edge > from) stop = std::min(stop, c.edge);
        for (const DcqcnWrite& w : file.writes)
          if (w.edge > from) stop = std::min(stop, w.edge);
        const bool found = r.advance_to_rate_change(stop);
        REQUIRE(found == (r.rc() != rc));
        if (found) REQUIRE(r.now() == change.edge);
        if (found) break;
        from = stop;
      }
      REQUIRE(r.rc() == change.state.rc);
      rc = r.rc();
    }
  });
}

TEST_CASE("dcqcn vectors: clock by clock", "[dcqcn]") {
  each_file([](const DcqcnFile& file) {
    FirmwareParameters parameters;
    DcqcnClockModel model(parameters, file.build.line_rate, file.build.wrap32);
    bool counter_reset = false;
    std::size_t cnp = 0, write = 0, change = 0;
    for (Edge n = 0; n <= file.end; ++n) {
      for (; write < file.writes.size() && file.writes[write].edge == n; ++write) {
        parameters = file.writes[write].parameters;
        counter_reset = file.writes[write].counter_reset;
      }
      while (cnp < file.cnps.size() && file.cnps[cnp].edge + file.cnps[cnp].width <= n) ++cnp;
      model.clock(cnp < file.cnps.size() && file.cnps[cnp].edge <= n, parameters, counter_reset);
      if (change + 1 < file.changes.size() && file.changes[change + 1].edge == n) ++change;
      check(n, {model.rc, model.rt, model.alpha, model.time_stage, model.cnp_counter},
            file.changes[change].state);
    }
  });
}
