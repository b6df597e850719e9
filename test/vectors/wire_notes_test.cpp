// SPDX-License-Identifier: BSD-3-Clause
// The notes in metadata vectors (fix2026_*) describe some traffic: which requests were posted, which
// completed, and the first bytes of packets. This test checks only these notes; the REQ and RESP lines
// concern the board's metadata server.
#include "roce/requester.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::roce;
namespace fs = std::filesystem;

namespace {

using IdStatus = std::vector<std::pair<std::uint64_t, unsigned>>;

/// Checks the traffic that the notes of a file describe. Each modification of a QP to RTS starts a new
/// requester.
class NotedTraffic {
 public:
  void line(const std::string& text) {
    static const std::regex rtr("^REQ QP modify RTR pmtu=(\\d) dqpn=([0-9a-fA-F]+)");
    static const std::regex rts("^REQ QP modify RTS sqpsn=(\\d+) tmo=(\\d+) rty=(\\d) rnr=(\\d)");
    static const std::regex sent("^NOTE .*SEND sent: ([0-9a-f]+)");
    static const std::regex done("^NOTE (.*)completions.*: (\\[.*\\])");
    std::smatch m;
    if (std::regex_search(text, m, rtr)) {
      config_.pmtu = pmtu_bytes(static_cast<unsigned>(std::stoul(m[1])));
      config_.dest_qpn = static_cast<Qpn>(std::stoul(m[2], nullptr, 16));
    } else if (std::regex_search(text, m, rts)) {
      begin(m);
    } else if (std::regex_search(text, m, sent)) {
      check_packet(m[1]);
    } else if (std::regex_search(text, m, done)) {
      check_completions(m[1], nlohmann::json::parse(m[2].str()));
    }
  }

 private:
  void begin(const std::smatch& m) {
    config_.timing = TimingProfile::kFirmware;
    config_.initial_psn = static_cast<Psn>(std::stoul(m[1]));
    config_.timeout = static_cast<std::uint8_t>(std::stoul(m[2]));
    config_.retry_count = static_cast<std::uint8_t>(std::stoul(m[3]));
    config_.rnr_retry = static_cast<std::uint8_t>(std::stoul(m[4]));
    requester_.emplace(config_);
    posted_.clear();
    completed_.clear();
  }

  void post(std::uint64_t id) {
    WorkRequest r;
    r.id = id;
    r.opcode = WrOpcode::kSendImm;
    r.length = 64;
    r.immediate = static_cast<std::uint32_t>(id);
    REQUIRE(requester_->post(r, 0));
    posted_.push_back(id);
  }

  std::vector<RequestPacket> drain() {
    std::vector<RequestPacket> out;
    while (requester_->ready(0)) out.push_back(requester_->next(0));
    return out;
  }

  /// Checks a packet against the text `hex`, which contains the first bytes of a SEND with immediate. The
  /// immediate value of this SEND is the id of the work request.
  void check_packet(const std::string& hex) {
    REQUIRE(requester_);
    const std::size_t headers = Bth::kSize + ImmDt::kSize;
    REQUIRE(hex.size() >= 2 * headers);
    post(std::stoul(hex.substr(2 * Bth::kSize, 8), nullptr, 16));
    const auto packets = drain();
    REQUIRE(packets.size() == 1);
    std::uint8_t wire[kMaxTransportHeaders];
    REQUIRE(encode_request(packets[0], config_.dest_qpn, kDefaultPkey, wire) == headers);
    for (std::size_t i = 0; i < headers; ++i) CHECK(wire[i] == std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  }

  void check_completions(const std::string& what, const nlohmann::json& list) {
    REQUIRE(requester_);
    static const std::regex nak("NAK 0x([0-9a-f]{2}) on the first");
    IdStatus expected;
    for (const auto& entry : list) {
      expected.emplace_back(std::stoul(entry[0].get<std::string>()), std::stoul(entry[1].get<std::string>()));
      if (std::find(posted_.begin(), posted_.end(), expected.back().first) == posted_.end())
        post(expected.back().first);
    }
    drain();
    std::smatch m;
    const bool refused = std::regex_search(what, m, nak);
    const auto syndrome = refused ? static_cast<std::uint8_t>(std::stoul(m[1], nullptr, 16)) : Aeth::ack();
    const auto sent = static_cast<std::uint32_t>(requester_->counters().packets);
    requester_->on_response(Aeth{syndrome, 0}, psn_add(config_.initial_psn, refused ? 0 : sent - 1), 0);
    for (Completion c; requester_->poll(c);) completed_.emplace_back(c.id, static_cast<unsigned>(c.status));
    CHECK(completed_ == expected);
  }

  RequesterConfig config_;
  std::optional<Requester> requester_;
  std::vector<std::uint64_t> posted_;
  IdStatus completed_;
};

}  // namespace

TEST_CASE("wire: traffic in the notes of metadata vectors", "[wire]") {
  const char* set = std::getenv("SOFTFEB_VECTORS");
  const fs::path directory = fs::path(set != nullptr ? set : SOFTFEB_VECTORS_DEFAULT) / "wire";
  if (!fs::is_directory(directory)) return;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() != ".txt") continue;
    INFO(entry.path());
    std::ifstream in(entry.path());
    NotedTraffic traffic;
    for (std::string text; std::getline(in, text);) {
      if (text.rfind("REQ ", 0) == 0 || text.rfind("NOTE ", 0) == 0) traffic.line(text);
    }
  }
}
