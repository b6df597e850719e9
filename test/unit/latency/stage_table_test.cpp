// SPDX-License-Identifier: BSD-3-Clause
#include "latency/stage_table.hpp"

#include "latency/waiting_messages.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::latency;

namespace {

constexpr MessageKey kKey = message_key(QpOwner::receiver(3), 0x800, 0xabcdef);

const StageHistogram& histogram(const StageTable& table, const std::string& from, const std::string& to) {
  for (std::size_t i = 0; i < kSpans; ++i) {
    if (point_name(spans()[i].from) == from && point_name(spans()[i].to) == to)
      return table.figures().histograms[i];
  }
  throw std::out_of_range(from + " to " + to);
}

void put_sender(StageTable& table, MessageKey key, Time at) {
  table.put(key, Stage::kTriggered, at);
  table.put(key, Stage::kPosted, at + 1'000);
  table.put(key, Stage::kCrafted, at + 3'000);
  table.put(key, Stage::kSent, at + 7'000);
}

void put_receiver(StageTable& table, MessageKey key, Time at) {
  table.put(key, Stage::kReceived, at + 15'000);
  table.put(key, Stage::kPlaced, at + 31'000);
  table.put(key, Stage::kNotified, at + 63'000);
}

}  // namespace

TEST_CASE("stage table: both sides in any order") {
  StageTable table(1);
  const bool receiver_first = GENERATE(false, true);
  if (receiver_first) put_receiver(table, kKey, 0);
  put_sender(table, kKey, 0);
  table.put(kKey, Stage::kCompleted, 127'000);
  if (!receiver_first) put_receiver(table, kKey, 0);
  CHECK(table.figures().messages == 1);
  CHECK(table.figures().incomplete == 0);
  CHECK(histogram(table, "triggered", "posted").max() == 1'000);
  CHECK(histogram(table, "sent", "received").max() == 8'000);
  CHECK(histogram(table, "placed", "notified").max() == 32'000);
  CHECK(histogram(table, "sent", "completed").max() == 120'000);
  CHECK(histogram(table, "triggered", "completed").max() == 127'000);
  CHECK(histogram(table, "sent", "switch_1_in").count() == 0);
}

TEST_CASE("stage table: a receiver elsewhere reports nothing") {
  StageTable table(1);
  const MessageKey key = message_key(QpOwner::board(2), 0x11, 5);
  put_sender(table, key, 0);
  table.put(key, Stage::kCompleted, 9'000);
  CHECK(table.figures().messages == 1);
  CHECK(histogram(table, "sent", "completed").max() == 2'000);
  CHECK(histogram(table, "sent", "received").count() == 0);
}

TEST_CASE("stage table: switches, and a repetition before the arrival") {
  StageTable table(1);
  put_sender(table, kKey, 0);
  table.put(kKey, Stage::kSwitchIn, 8'000);  // the message is lost after it has entered the switch
  table.put(kKey, Stage::kSent, 100'000);
  for (Time hop = 1; hop <= kHops + 2; ++hop) {
    table.put(kKey, Stage::kSwitchIn, 100'000 + hop * 1'000);
    table.put(kKey, Stage::kSwitchOut, 100'500 + hop * 1'000);
  }
  put_receiver(table, kKey, 200'000);
  // The message is retransmitted after it has arrived, because its ACK was lost. Only the first arrival
  // counts.
  table.put(kKey, Stage::kSent, 400'000);
  table.put(kKey, Stage::kSwitchIn, 401'000);
  table.put(kKey, Stage::kCompleted, 500'000);
  CHECK(table.figures().messages == 1);
  CHECK(histogram(table, "sent", "switch_1_in").max() == 1'000);
  CHECK(histogram(table, "switch_4_in", "switch_4_out").max() == 500);
  CHECK(histogram(table, "switch_1_out", "switch_2_in").max() == 500);
  CHECK(histogram(table, "sent", "received").max() == 115'000);
  // The message has completed and left the table, so later stamps are ignored.
  table.put(kKey, Stage::kSent, 600'000);
  table.put(kKey, Stage::kCompleted, 600'000);
  CHECK(table.figures().incomplete == 0);
}

TEST_CASE("stage table: clocks that disagree do not give negative times") {
  StageTable table(1);
  put_sender(table, kKey, 10'000);
  put_receiver(table, kKey, 0);
  table.put(kKey, Stage::kCompleted, 90'000);
  CHECK(histogram(table, "sent", "received").max() == 0);
}

TEST_CASE("stage table: a full table gives up the oldest message") {
  StageTable table(1);
  for (std::uint32_t psn = 0; psn < StageTable::kEntries + 10; ++psn)
    put_sender(table, message_key(0, 0x800, psn), 0);
  CHECK(table.figures().overflows == 10);
  CHECK(table.figures().incomplete == StageTable::kEntries);
  for (std::uint32_t psn = 10; psn < StageTable::kEntries + 10; ++psn) {
    put_receiver(table, message_key(0, 0x800, psn), 0);
    table.put(message_key(0, 0x800, psn), Stage::kCompleted, 90'000);
  }
  CHECK(table.figures().messages == StageTable::kEntries);
  // After PSNs have wrapped, a message has the key of an earlier message that was lost, and replaces it.
  put_sender(table, message_key(0, 0x800, 0), 0);
  const std::uint64_t before = table.figures().overflows;
  put_sender(table, message_key(0, 0x800, 0), 1'000'000);
  CHECK(table.figures().overflows == before + 1);
}

TEST_CASE("sampling selects one in N messages, whatever their length") {
  CHECK_FALSE(Sampling(0).selects(kKey));
  CHECK(Sampling(1).selects(kKey));
  CHECK(Sampling(1).selects(~MessageKey{0}));
  for (const std::uint32_t packets : {1U, 2U, 16U, 64U, 100U, 4096U}) {
    for (const std::uint32_t sample : {2U, 64U, 1000U}) {
      const Sampling sampling(sample);
      constexpr std::uint32_t kMessages = 200'000;
      std::uint32_t n = 0;
      for (std::uint32_t i = 0; i < kMessages; ++i)
        n += sampling.selects(message_key(1, 0x800 + i / 5'000, (i + 1) * packets % (1U << 24)));
      const double expected = static_cast<double>(kMessages) / sample;
      CHECK(std::abs(n - expected) < 0.3 * expected);
    }
  }
}

TEST_CASE("waiting messages are notified with their group") {
  WaitingMessages waiting;
  std::vector<MessageKey> notified;
  const auto release = [&](std::uint32_t group) {
    notified.clear();
    waiting.release(group, [&](MessageKey key) { notified.push_back(key); });
    std::sort(notified.begin(), notified.end());
    return notified;
  };
  waiting.add(1, 7);
  waiting.add(2, 7 + 1024);  // hashes to the same list as 7
  waiting.add(3, 7);
  waiting.add(4, UINT32_MAX);
  CHECK(release(8).empty());
  CHECK(release(7) == std::vector<MessageKey>{1, 3});
  CHECK(release(7).empty());
  CHECK(release(7 + 1024) == std::vector<MessageKey>{2});
  for (std::uint32_t i = 0; i < WaitingMessages::kMost; ++i) waiting.add(100 + i, i % 2);
  CHECK(release(UINT32_MAX).empty());  // message 4 was dropped to make room
  CHECK(release(0).size() == WaitingMessages::kMost / 2);
  CHECK(release(1).size() == WaitingMessages::kMost / 2);
}
