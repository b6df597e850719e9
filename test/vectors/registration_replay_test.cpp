// SPDX-License-Identifier: BSD-3-Clause
// Replays the golden traces of receiver registration (detector/registration_*.json): every verdict, event,
// notification and counter must equal those of the trace.
#include "detector_file.hpp"
#include "roce/registration.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;
using nlohmann::json;

namespace {

RegistrationConfig registration_config(const json& c) {
  RegistrationConfig out;
  out.packet = c.at("packet");
  out.mask_bits = c.at("mask_bits");
  out.entries = c.at("entries");
  out.escape = c.at("escape");
  out.escape_timeout = c.at("escape_timeout_ps");
  out.entry_timeout = c.at("entry_timeout_ps");
  out.remember = c.at("remember");
  return out;
}

RegistrationPacket packet_of(const json& row, std::size_t number) {
  RegistrationPacket p;
  const std::string type = row.at(1);
  using Type = RegistrationPacket::Type;
  REQUIRE((type == "first" || type == "body" || type == "unregistered"));
  p.type = type == "first" ? Type::kFirst : type == "body" ? Type::kBody : Type::kUnregistered;
  p.source = row.at(2);
  p.op = row.at(3);
  p.address = row.at(4);
  p.length = row.at(5);
  p.count = row.at(6);
  p.bytes = row.at(7);
  p.id = number;
  return p;
}

/// Logs the calls of the observer in the format of the traces.
class RegistrationLog : public RegistrationObserver {
 public:
  void settled(Time t, RegistrationVerdict v, const RegistrationPacket& p) override {
    log.push_back({t, name_of(v), p.source, p.op, p.id});
  }
  void registered(Time t, const RegistrationEntry& e, std::span<const std::uint64_t> mask) override {
    log.push_back({t, "registered", e.source, e.op, hex_bitmap(mask)});
  }
  void abandoned(Time t, const RegistrationEntry& e, std::span<const std::uint64_t> mask) override {
    log.push_back({t, "abandoned", e.source, e.op, hex_bitmap(mask)});
  }

  json log = json::array();
};

json counters_of(const RegistrationCounters& c) {
  json out = {{"packets", c.packets},
              {"registered", c.registered},
              {"complete", c.complete},
              {"abandoned", c.abandoned},
              {"bytes", c.bytes}};
  for (std::size_t v = 0; v < kRegistrationVerdicts; ++v)
    out[name_of(static_cast<RegistrationVerdict>(v))] = c.verdicts[v];
  return out;
}

class RegistrationReplay {
 public:
  explicit RegistrationReplay(const json& trace) : table_(registration_config(trace.at("config")), &log_) {
    const json& arrivals = trace.at("arrivals");
    for (std::size_t n = 0; n < arrivals.size(); ++n) {
      verdicts_.push_back(name_of(table_.packet(arrivals[n].at(0), packet_of(arrivals[n], n))));
      poll();
    }
    table_.advance(trace.at("finish").at("t_ps"));
    poll();
  }

  json result() const {
    json open = json::array(), waiting = json::array();
    for (std::size_t k = 0; k < table_.open(); ++k)
      open.push_back({table_.entry(k).source, table_.entry(k).op, hex_bitmap(table_.mask(k))});
    for (std::size_t k = 0; k < table_.waiting(); ++k) waiting.push_back(table_.waiting(k).id);
    return {{"verdicts", verdicts_},
            {"log", log_.log},
            {"notifications", notifications_},
            {"counters", counters_of(table_.counters())},
            {"open", open},
            {"waiting", waiting}};
  }

 private:
  void poll() {
    while (const auto n = table_.poll()) {
      notifications_.push_back({{"at_ps", n->at},
                                {"source", n->source},
                                {"op", n->op},
                                {"address", n->address},
                                {"bytes", n->bytes}});
    }
  }

  RegistrationLog log_;
  Registration table_;
  json verdicts_ = json::array();
  json notifications_ = json::array();
};

}  // namespace

TEST_CASE("the tree's own traces of registration exist", "[registration]") {
  if (!vectors_are_ours()) return;
  CHECK(detector_files("registration").size() >= 4);
}

TEST_CASE("golden traces of registration", "[registration]") {
  for (const auto& file : detector_files("registration")) {
    const json& trace = file.document;
    INFO(trace.at("name"));
    const json result = RegistrationReplay(trace).result();
    for (const auto& [name, value] : trace.at("expected").items()) {
      INFO(name);
      REQUIRE(result.contains(name));
      CHECK(json::diff(value, result.at(name)) == json::array());
    }
  }
  SUCCEED();
}
