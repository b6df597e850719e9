// SPDX-License-Identifier: BSD-3-Clause
// Replays the golden traces of UC streams (detector/uc_*.json): passes their packets to responders, and the
// complete messages to a window map. Every verdict, window and counter must equal those of the trace.
#include "detector_file.hpp"
#include "roce/responder.hpp"
#include "roce/window_map.hpp"

#include <deque>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;
using nlohmann::json;

namespace {

constexpr std::uint64_t kBase = 0x1000;
constexpr std::uint32_t kRkey = 7;

class Windows : public WindowConsumer {
 public:
  void closed(const ClosedWindows& w) override {
    for (std::uint64_t n = w.first; n <= w.last; ++n)
      list.push_back({n, name_of(w.status), w.at, hex_bitmap(w.streams)});
  }

  json list = json::array();
};

WindowMapConfig window_config(const json& c) {
  WindowMapConfig out;
  out.streams = c.at("streams");
  out.ring = c.at("ring");
  out.depth = c.at("depth");
  out.max_jump = c.at("max_jump");
  out.first_immediate = c.at("first_immediate");
  out.packets_per_message = c.at("packets");
  out.ranges_per_stream = 10'000;
  return out;
}

const char* name_of_verdict(WindowVerdict v) {
  switch (v) {
    case WindowVerdict::kMarked:
      return "marked";
    case WindowVerdict::kDuplicate:
      return "duplicate";
    case WindowVerdict::kLate:
      return "late";
    case WindowVerdict::kWrongImmediate:
      break;
  }
  return "wrong_immediate";
}

Operation operation_of(const std::string& part) {
  if (part == "first") return Operation::kWriteFirst;
  if (part == "middle") return Operation::kWriteMiddle;
  if (part == "last_imm") return Operation::kWriteLastImm;
  REQUIRE(part == "only_imm");
  return Operation::kWriteOnlyImm;
}

class WindowReplay {
 public:
  explicit WindowReplay(const json& trace)
      : length_(trace.at("config").at("message_bytes")),
        payload_(length_ / trace.at("config").at("packets").get<std::uint32_t>()),
        map_(window_config(trace.at("config")), &windows_) {
    regions_.push_back({kBase, length_, kRkey, nullptr});
    for (const json& psn : trace.at("config").at("first_psn")) {
      ResponderConfig config;
      config.transport = Transport::kUc;
      config.pmtu = static_cast<std::uint32_t>(payload_.size());
      config.expected_psn = psn;
      responders_.emplace_back(config, regions_);
    }
    for (const json& row : trace.at("arrivals")) verdicts_.push_back(packet(row));
    const json& finish = trace.at("finish");
    map_.finish(finish.at("t_ps"), finish.at("sent"));
  }

  json result() const {
    return {{"verdicts", verdicts_},
            {"windows", windows_.list},
            {"missing", missing()},
            {"counters", counters()}};
  }

 private:
  std::string packet(const json& row) {
    const std::uint32_t stream = row.at(1);
    ReceivedRequest request;
    request.bth.opcode = opcode(Transport::kUc, operation_of(row.at(3)));
    request.bth.psn = row.at(2);
    request.bth.pkey = kDefaultPkey;
    request.reth = {kBase, kRkey, length_};
    request.immediate = row.at(4);
    request.payload = Segments(ByteSpan(payload_));
    const RequestOutcome out = responders_.at(stream).on_request(request);
    if (!out.message) return "";
    REQUIRE(out.message->has_immediate);
    return name_of_verdict(
        map_.message(row.at(0), stream, out.message->immediate, out.message->length, out.packet_index));
  }

  json missing() const {
    json out = json::object();
    for (std::uint32_t s = 0; s < map_.config().streams; ++s) {
      CHECK(map_.unlisted(s) == 0);
      for (const auto& range : map_.missing(s)) out[std::to_string(s)].push_back({range.first, range.last});
    }
    return out;
  }

  json counters() const {
    ResponderCounters sum;
    for (const Responder& r : responders_) sum += r.counters();
    const WindowCounters& c = map_.counters();
    return {{"packets", sum.packets},
            {"duplicate_packets", sum.duplicate},
            {"out_of_order", sum.out_of_order},
            {"missing_packets", sum.missing_packets},
            {"discarded", sum.discarded},
            {"broken_messages", sum.missing_messages},
            {"messages", c.messages},
            {"marked", c.marked},
            {"duplicate_messages", c.duplicate_messages},
            {"late", c.late},
            {"wrong_immediate", c.wrong_immediate},
            {"full", c.full},
            {"gap", c.gap},
            {"forced", c.forced},
            {"end", c.end},
            {"missing", c.missing},
            {"goodput_bytes", c.goodput_bytes}};
  }

  std::uint32_t length_;
  std::vector<std::uint8_t> payload_;
  std::vector<MemoryRegion> regions_;
  std::deque<Responder> responders_;
  Windows windows_;
  WindowMap map_;
  json verdicts_ = json::array();
};

}  // namespace

TEST_CASE("the tree's own traces of UC windows exist", "[windows]") {
  if (!vectors_are_ours()) return;
  CHECK(detector_files("uc").size() >= 6);
}

TEST_CASE("golden traces of UC windows", "[windows]") {
  for (const auto& file : detector_files("uc")) {
    const json& trace = file.document;
    INFO(trace.at("name"));
    const json result = WindowReplay(trace).result();
    for (const auto& [name, value] : trace.at("expected").items()) {
      INFO(name);
      REQUIRE(result.contains(name));
      CHECK(json::diff(value, result.at(name)) == json::array());
    }
  }
  SUCCEED();
}
