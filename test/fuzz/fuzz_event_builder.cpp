// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: passes arbitrary fragments to an event builder. Each fragment must get exactly one verdict, each
// event must close exactly once with the correct list of missing pieces, and each trigger without an accepted
// fragment must be listed as unseen.
#include "detector/event_builder.hpp"
#include "input.hpp"

#include <map>
#include <set>
#include <utility>

using namespace softfeb;
using namespace softfeb::detector;
using fuzz::Input;
using fuzz::require;

namespace {

EventBuilderConfig config_from(Input& in) {
  EventBuilderConfig c;
  c.boards = 1 + static_cast<std::uint32_t>(in.size(4));
  c.piece = 1 + static_cast<std::uint32_t>(in.size(3));
  c.largest = static_cast<std::uint32_t>(in.size(300));
  c.window = 1 + static_cast<std::uint32_t>(in.size(5));
  c.remember = static_cast<std::uint32_t>(in.size(5));
  c.slots = in.size(6);
  c.timeout = 1 + in.size(60);
  c.builders = 1 + static_cast<std::uint32_t>(in.size(3));
  c.builder = static_cast<std::uint32_t>(in.size(c.builders));
  c.exact_latencies = 2;
  return c;
}

/// Stores the accepted pieces of each event, by board. When an event closes, compares it with the stored
/// pieces.
class Model : public EventSink {
 public:
  using Piece = std::pair<std::uint32_t, std::uint32_t>;

  explicit Model(const EventBuilderConfig& config) : config_(config) {}

  void on_closed(const ClosedEvent& e) override {
    require(closed_.insert(e.event()).second);
    require(e.at() >= last_ && e.at() >= e.first());
    last_ = e.at();
    require((e.status() == EventStatus::kTimeout) == (e.at() == e.first() + config_.timeout));
    std::uint32_t missing = 0;
    for (std::uint32_t b = 0; b < e.boards(); ++b) missing += check_board(e, b) ? 0 : 1;
    require(missing == e.missing_boards());
    require((missing == 0) == (e.status() == EventStatus::kComplete));
  }

  std::map<std::uint64_t, std::set<Piece>> accepted;
  /// The piece that is being passed to add(), and its event. The piece may complete the event before add()
  /// returns.
  std::pair<std::uint64_t, Piece> current;

 private:
  bool check_board(const ClosedEvent& e, std::uint32_t b) {
    std::set<Piece> got = accepted[e.event()];
    if (e.status() == EventStatus::kComplete && current.first == e.event()) got.insert(current.second);
    const auto has = [&](std::uint32_t k) { return got.contains({b, k}); };
    if (!e.arrived(b)) {
      require(got.lower_bound({b, 0}) == got.lower_bound({b + 1, 0}));
      return false;
    }
    std::uint32_t first_missing = e.pieces(b);
    for (std::uint32_t k = e.pieces(b); k-- > 0;) {
      if (!has(k)) first_missing = k;
      require((e.find_missing(b, k) == k) != has(k) && (e.find_present(b, k) == k) == has(k));
    }
    require(e.find_missing(b, 0) == first_missing);
    require(e.whole(b) == (first_missing == e.pieces(b)));
    return e.whole(b);
  }

  EventBuilderConfig config_;
  std::set<std::uint64_t> closed_;
  Time last_ = 0;
};

Fragment fragment_from(Input& in, const EventBuilderConfig& c, std::uint64_t near) {
  const std::uint8_t how = in.byte();
  Fragment f;
  f.event = near + in.size(12);
  if (how % 32 == 0) f.event = UINT64_MAX - in.size(4);
  f.board = static_cast<std::uint32_t>(in.size(c.boards + 1));
  f.total = static_cast<std::uint32_t>(in.size(how % 4 == 0 ? 400 : 6));
  f.offset = static_cast<std::uint32_t>(in.size(6)) * (how % 8 == 1 ? 1 : c.piece);
  f.length = std::min(c.piece, f.total - std::min(f.total, f.offset));
  if (how % 16 == 2) f.length = UINT32_MAX - in.byte();
  return f;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const EventBuilderConfig config = config_from(in);
  Model model(config);
  EventBuilder builder(config, &model);
  Time now = 0;
  std::uint64_t near = 0;
  while (!in.empty()) {
    now += in.size(8);
    near += in.size(8) / 7;
    const Fragment f = fragment_from(in, config, near);
    const Model::Piece piece{f.board, f.offset / config.piece};
    model.current = {f.event, piece};
    const FragmentVerdict verdict = builder.add(now, f);
    if (verdict == FragmentVerdict::kAccepted) {
      require(f.total <= config.largest);
      require(model.accepted[f.event].insert(piece).second);
    }
    if (verdict == FragmentVerdict::kDuplicate) require(model.accepted[f.event].contains(piece));
    require(builder.open_events() <= config.window && builder.deadline() > now);
  }
  const std::uint64_t sent = near + 12;
  builder.finish(now, sent);
  const EventBuilderCounts& c = builder.counts();
  std::uint64_t verdicts = 0, closed = 0;
  for (const std::uint64_t n : c.by_verdict) verdicts += n;
  for (const std::uint64_t n : c.by_status) closed += n;
  require(verdicts == c.fragments && closed == c.opened);
  require(builder.latencies().count() == c[EventStatus::kComplete]);
  std::uint64_t unseen = 0;
  for (std::uint64_t e = config.builder; e < sent; e += config.builders) {
    const auto found = model.accepted.find(e);
    unseen += found == model.accepted.end() || found->second.empty() ? 1 : 0;
  }
  require(builder.unseen().count() == unseen && builder.unseen().unlisted() == 0);
  return 0;
}
