// SPDX-License-Identifier: BSD-3-Clause
// Replays the golden traces of Homa (cc/homa_*.json): every grant, request and packet, and the state after
// every event, must equal those of the trace.
#include "cc_file.hpp"
#include "congestion/homa_receiver.hpp"
#include "support/homa_board.hpp"
#include "support/vector_files.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;
using namespace softfeb::test;
using nlohmann::json;

namespace {

HomaParameters parameters_of(const json& p) {
  HomaParameters out;
  out.pmtu = p.at("pmtu");
  out.rtt_bytes = p.at("rtt_bytes");
  out.overcommit = p.at("overcommit");
  out.priorities = p.at("priorities");
  out.cutoffs = p.at("cutoffs").get<std::vector<std::uint32_t>>();
  out.resend_interval = p.at("resend_interval");
  REQUIRE(p.at("unscheduled_levels") == out.cutoffs.size() + 1);
  return out;
}

/// Assigns numbers to the names in a trace, in the order of their first occurrence.
class Names {
 public:
  std::uint32_t operator[](const std::string& name) {
    const auto [at, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (added) names_.push_back(name);
    return at->second;
  }
  const std::string& of(std::uint32_t number) const { return names_.at(number); }

 private:
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
};

class ReceiverReplay {
 public:
  ReceiverReplay(const json& parameters, std::size_t events)
      : receiver_(parameters_of(parameters), {.messages = static_cast<std::uint32_t>(events), .peers = 64}) {}

  json play(const json& e) {
    const Time now = e.at("t");
    const std::string kind = e.at("event");
    const std::uint32_t message = e.contains("message") ? messages_[e.at("message")] : 0;
    json out = json::object();
    if (kind == "first") {
      std::erase(order_, message);
      order_.push_back(message);
      out["grants"] = shown(receiver_.first(now, message, peers_[e.at("peer")], e.at("length")));
    } else if (kind == "data") {
      out["grants"] = shown(receiver_.data(now, message));
    } else if (kind == "busy") {
      receiver_.busy(now, message);
    } else if (kind == "timer") {
      const Time deadline = receiver_.deadline();
      const auto resends = receiver_.timer(now);
      CHECK((resends.empty() || deadline <= now));
      out["resends"] = shown(resends);
    } else {
      FAIL("unknown event " << kind);
    }
    out["messages"] = state();
    return out;
  }

 private:
  json shown(std::span<const HomaReceiver::Grant> grants) const {
    json out = json::array();
    for (const auto& g : grants)
      out.push_back({{"message", messages_.of(g.message)}, {"granted", g.granted}, {"priority", g.priority}});
    return out;
  }
  json shown(std::span<const HomaReceiver::Resend> resends) const {
    json out = json::array();
    for (const auto& r : resends)
      out.push_back({{"message", messages_.of(r.message)}, {"first", r.first}, {"granted", r.granted}});
    return out;
  }
  json state() const {
    json out = json::array();
    for (const std::uint32_t m : order_) {
      if (receiver_.in_progress(m))
        out.push_back({messages_.of(m), receiver_.received(m), receiver_.granted(m)});
    }
    return out;
  }

  HomaReceiver receiver_;
  Names messages_, peers_;
  std::vector<std::uint32_t> order_;  ///< messages in the order of their first packets
};

class SenderReplay {
 public:
  SenderReplay(const json& parameters, std::size_t events)
      : lanes_(parameters.at("lanes")),
        sender_(parameters_of(parameters), lanes_, static_cast<std::uint32_t>(events)) {}

  json play(const json& e) {
    const std::string kind = e.at("event");
    const std::uint32_t lane = e.value("lane", 0U);
    REQUIRE(lane < lanes_);
    json out = json::object();
    if (kind == "post") {
      sender_.post(lane, e.at("length"));
    } else if (kind == "grant") {
      sender_.grant(lane, e.at("granted"), e.at("priority"));
    } else if (kind == "ack") {
      sender_.ack(lane, e.at("acked"));
    } else if (kind == "go_back") {
      sender_.go_back(lane);
    } else if (kind == "send") {
      out["packet"] = send();
    } else {
      FAIL("unknown event " << kind);
    }
    out["lanes"] = json::array();
    for (std::uint32_t i = 0; i < lanes_; ++i)
      out["lanes"].push_back({sender_.next(i), sender_.acked(i), sender_.granted(i)});
    return out;
  }

 private:
  json send() {
    const auto lane = sender_.next_lane();
    const auto packet = sender_.send();
    if (!packet) return nullptr;
    CHECK(lane == packet->lane);
    return {{"lane", packet->lane},
            {"packet", packet->number},
            {"priority", packet->priority},
            {"ack_req", packet->ack_req}};
  }

  std::uint32_t lanes_;
  HomaBoard sender_;
};

template <typename Replay>
void replay(const json& trace) {
  const json& events = trace.at("events");
  Replay player(trace.at("parameters"), events.size());
  for (std::size_t n = 0; n < events.size(); ++n) {
    INFO("event " << n << ": " << events[n].dump());
    REQUIRE(player.play(events[n]) == events[n].at("expect"));
  }
}

void replay_file(const std::filesystem::path& path) {
  INFO(path.string());
  const json trace = read_cc_file(path).document;
  REQUIRE(trace.at("tolerance").empty());
  REQUIRE_FALSE(trace.at("events").empty());
  const std::string algorithm = trace.at("algorithm");
  if (algorithm == "homa_receiver") {
    replay<ReceiverReplay>(trace);
  } else if (algorithm == "homa_sender") {
    replay<SenderReplay>(trace);
  } else {
    FAIL("unknown algorithm " << algorithm << "; known here: homa_receiver, homa_sender");
  }
}

}  // namespace

TEST_CASE("the tree's own traces of Homa exist", "[cc_homa]") {
  if (!vectors_are_ours()) return;
  CHECK(cc_files(CcKind::kHoma).size() >= 14);
}

TEST_CASE("golden traces of Homa", "[cc_homa]") {
  for (const auto& path : cc_files(CcKind::kHoma)) replay_file(path);
}
