// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests StageTable, which collects the times (stamps) at which messages pass their stages, and
// WaitingMessages, whose messages wait until their group closes. The stamps come in arbitrary order. Each
// message that enters the table must be counted as complete, given up, or still in the table.
#include "input.hpp"
#include "latency/stage_table.hpp"
#include "latency/waiting_messages.hpp"

#include <map>
#include <set>

using namespace softfeb;
using namespace softfeb::latency;
using fuzz::Input;
using fuzz::require;

namespace {

/// A model of the table, for so few messages that the table never fills.
class Model {
 public:
  void put(MessageKey key, Stage stage) {
    const bool first = stage == Stage::kTriggered || stage == Stage::kReceived;
    auto it = stages_.find(key);
    if (it != stages_.end() && first && it->second.contains(stage)) {
      ++overflows;
      stages_.erase(it);
      it = stages_.end();
    }
    if (it == stages_.end()) {
      if (!first) return;
      it = stages_.emplace(key, std::set<Stage>{}).first;
    }
    it->second.insert(stage);
    const auto has = [&](Stage s) { return it->second.contains(s); };
    if (!has(Stage::kSent) || !has(Stage::kCompleted)) return;
    if (!sent_elsewhere(key) && !has(Stage::kNotified)) return;
    ++messages;
    stages_.erase(it);
  }
  std::size_t size() const { return stages_.size(); }

  std::uint64_t messages = 0, overflows = 0;

 private:
  std::map<MessageKey, std::set<Stage>> stages_;
};

void check(const StageFigures& f) {
  for (const StageHistogram& h : f.histograms) {
    require(h.count() <= f.messages && h.min() <= h.percentile(500));
    require(h.percentile(500) <= h.percentile(999) && h.percentile(999) <= h.max());
  }
}

/// Compares the table with the model. There are only a few keys, so that every rule is exercised.
void few(Input& in) {
  StageTable table(1);
  Model model;
  Time now = 0;
  while (!in.empty()) {
    const std::uint8_t what = in.byte();
    now += in.byte();
    const MessageKey key =
        message_key(what % 3 == 0 ? QpOwner::board(1) : QpOwner::receiver(1), 2, what / 16);
    const auto stage = static_cast<Stage>(what % 10);
    table.put(key, stage, now - what % 7);
    model.put(key, stage);
    const StageFigures& f = table.figures();
    require(f.messages == model.messages && f.overflows == model.overflows && f.incomplete == model.size());
  }
  check(table.figures());
}

/// Checks the limits of a table that receives more keys than it has entries.
void many(Input& in) {
  StageTable table(1);
  WaitingMessages waiting;
  std::uint64_t entered = 0;
  std::uint32_t psn = 0;
  while (!in.empty()) {
    const std::uint32_t burst = 1 + in.byte() % 64U * 32;
    const std::uint32_t complete = in.byte();
    for (std::uint32_t i = 0; i < burst; ++i, ++psn) {
      const MessageKey key = message_key(0, in.byte() % 2, psn & 0xffffff);
      table.put(key, Stage::kTriggered, psn);
      waiting.add(key, psn / 8);
      ++entered;
      if (i % 256 > complete) continue;
      table.put(key, Stage::kSent, psn + 1);
      table.put(key, Stage::kReceived, psn + 2);
      table.put(key, Stage::kCompleted, psn + 3);
    }
    for (std::uint32_t g = psn / 8 - complete; g < psn / 8; ++g)
      waiting.release(g, [&](MessageKey key) { table.put(key, Stage::kNotified, psn + 10); });
    const StageFigures& f = table.figures();
    require(f.incomplete <= StageTable::kEntries);
    require(f.messages + f.overflows + f.incomplete >= entered);
  }
  check(table.figures());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  if (in.byte() % 8 != 0) {
    few(in);
  } else {
    many(in);
  }
  return 0;
}
