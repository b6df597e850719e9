// SPDX-License-Identifier: BSD-3-Clause
// Replays the metadata part of every file of wire/: REQ/RESP pairs, META_RESP lines of data path files, and
// the connection setup described in their first line.
#include "board/metadata.hpp"
#include "support/metadata_bits.hpp"
#include "support/register_bus.hpp"
#include "support/vector_files.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::board;
using namespace softfeb::test;
using nlohmann::json;
using roce::QpState;

namespace {

bool starts_with(const std::string& s, const char* prefix) { return s.rfind(prefix, 0) == 0; }

std::string field(const std::string& line, std::size_t n) {
  std::istringstream in(line);
  std::string part;
  for (std::size_t i = 0; i <= n; ++i) std::getline(in, part, '|');
  const auto from = part.find_first_not_of(' '), to = part.find_last_not_of(' ');
  return from == std::string::npos ? "" : part.substr(from, to - from + 1);
}

using Named = std::map<std::string, std::uint64_t>;

Named response_fields(const PdResponse& r) {
  return {{"ok", r.success}, {"handler", r.handler}, {"key", r.key}};
}

Named response_fields(const MrResponse& r) {
  return {{"ok", r.success},       {"laddr", r.mr.address},  {"len", r.mr.length},
          {"acc", r.mr.access},    {"pdh", r.mr.pd_handler}, {"lkp", r.mr.lkey_part},
          {"rkp", r.mr.rkey_part}, {"lkey", r.lkey},         {"rkey", r.rkey}};
}

Named response_fields(const QpResponse& r) {
  const QpFields& q = r.qp;
  return {{"ok", r.success},
          {"qpn", r.qpn},
          {"pdh", r.pd_handler},
          {"state", q.state},
          {"cur", q.current_state},
          {"pmtu", q.pmtu},
          {"qkey", q.qkey},
          {"rqpsn", q.rq_psn},
          {"sqpsn", q.sq_psn},
          {"dqpn", q.dest_qpn},
          {"acc", q.access},
          {"cap", q.capabilities},
          {"pkey", q.pkey},
          {"drain", q.sq_draining},
          {"mrd", q.max_read_atomic},
          {"mdrd", q.max_dest_read_atomic},
          {"rnrt", q.min_rnr_timer},
          {"tmo", q.timeout},
          {"rty", q.retry_count},
          {"rnr", q.rnr_retry},
          {"typ", q.type},
          {"sigall", q.sq_sig_all}};
}

/// Checks the decoder: compares the fields of a decoded response with those in the file.
void check_decoded(const MetadataResponse& response, const json& decoded) {
  const Named ours = std::visit([](const auto& r) { return response_fields(r); }, response);
  CHECK(decoded.at("bus") == std::array{"PD", "MR", "QP"}[response.index()]);
  for (const auto& [key, value] : decoded.items()) {
    if (key == "bus") continue;
    INFO(key);
    CHECK(ours.at(key) == value.get<std::uint64_t>());
  }
}

/// Clears the bits that belong to no field. In the RTL, these bits are undefined; the RTL's model sets them
/// to alternating ones and zeros. In softfeb, they are 0.
MetadataResponseBits without_unused(const MetadataResponseBits& bits) {
  return encode_response(decode_response(bits).value());
}

template <typename Server>
bool any_qp_in(const Server& server, QpState state) {
  for (std::size_t i = 0; i < server.qp_count(); ++i) {
    if (server.qp(i).state == state) return true;
  }
  return false;
}

/// Replays the requests and responses of one file. `Server` is the metadata server itself, or an adapter that
/// accesses it through the board's registers.
template <typename Server>
class Replay {
 public:
  void line(const std::string& text) {
    INFO(text);
    if (starts_with(text, "REQ ")) {
      request_ = from_hex<MetadataRequestBits>(field(text, 1));
    } else if (starts_with(text, "RESP none")) {
      expect_no_answer();
    } else if (starts_with(text, "RESP ")) {
      expect(text);
    } else if (starts_with(text, "CTRL ") && text.find("reset") != std::string::npos) {
      server_.reset();
      hung_ = false;
    } else if (starts_with(text, "NOTE ")) {
      note(text);
    }
  }

  std::size_t answers() const { return answers_; }

 private:
  void expect(const std::string& text) {
    ++answers_;
    const auto golden = from_hex<MetadataResponseBits>(field(text.substr(5), 0));
    const auto ours = server_.handle(request_);
    REQUIRE(ours.has_value());
    CHECK(to_hex(*ours) == to_hex(without_unused(golden)));
    const std::string decoded = field(text, 1);
    if (!decoded.empty()) check_decoded(decode_response(*ours).value(), json::parse(decoded));
  }

  /// Handles a request to which the file contains no response. There are two reasons for this:
  /// * The request has an unknown bus type. softfeb's server does not respond to such a request, either.
  /// * The netlist of 2025 has a defect: its error flush never ends, so that a request to a QP in ERR blocks
  ///   the whole bus until a reset. softfeb does not have this defect, and responds as the netlist of 2026
  /// does.
  void expect_no_answer() {
    ++answers_;
    const auto request = decode_request(request_);
    if (!request) {
      CHECK_FALSE(server_.handle(request_).has_value());
      return;
    }
    const bool to_qp = std::holds_alternative<QpRequest>(*request);
    REQUIRE((hung_ || (to_qp && any_qp_in(server_, QpState::kErr))));
    const auto ours = server_.handle(request_);
    REQUIRE(ours.has_value());
    if (!hung_) CHECK(std::get<QpResponse>(decode_response(*ours).value()).success);
    hung_ = true;
  }

  /// Handles a note "completions: [[id, status], …]". A status other than success means that the data path
  /// had a fatal error.
  void note(const std::string& text) {
    const auto at = text.find("completions: ");
    if (at == std::string::npos || !any_qp_in(server_, QpState::kRts)) return;
    for (const auto& completion : json::parse(text.substr(at + 13))) {
      if (completion.at(1) != "0") server_.on_qp_error(0);
    }
  }

  Server server_;
  MetadataRequestBits request_;
  bool hung_ = false;
  std::size_t answers_ = 0;
};

template <typename Response, typename Request>
Response ask(MetadataServer& server, const Request& request) {
  return std::get<Response>(decode_response(server.handle(encode_request(request)).value()).value());
}

/// Stores the QP context of the last notification to the data path.
struct LastContext : QpObserver {
  void on_qp_state(std::size_t, const QpContext& qp) override { context = qp; }
  QpContext context;
};

/// Brings up a QP with the parameters in the first line of a data path file. Checks that the server assigns
/// the keys and numbers that this line contains.
void bring_up(MetadataServer& server, const json& connection) {
  const json& a = connection.at("setup_args");
  const auto pd = ask<PdResponse>(server, PdRequest{.allocate = true, .key = a.at("pdkey"), .handler = 0});
  REQUIRE(pd.success);
  const std::uint32_t lkey = connection.at("lkey"), rkey = connection.at("rkey");
  const auto mr = ask<MrResponse>(server, MrRequest{.allocate = true,
                                                    .mr = {.address = a.at("laddr"),
                                                           .length = a.at("mrlen"),
                                                           .access = 0x0f,
                                                           .pd_handler = pd.handler,
                                                           .lkey_part = lkey & 0x7fff'ffff,
                                                           .rkey_part = rkey & 0x7fff'ffff}});
  CHECK((mr.success && mr.lkey == lkey && mr.rkey == rkey));
  QpRequest qp{.pd_handler = pd.handler, .qp = {.type = 2, .sq_sig_all = a.at("sigall") != 0}};
  qp.qpn = ask<QpResponse>(server, qp).qpn;
  CHECK(qp.qpn == connection.at("qpn").get<std::uint32_t>());

  qp.verb = QpVerb::kModify;
  qp.qp.pmtu = a.at("pmtu");
  qp.qp.dest_qpn = a.at("dqpn");
  qp.qp.rq_psn = a.at("rqpsn");
  qp.qp.sq_psn = a.at("sqpsn");
  qp.qp.timeout = a.at("tmo");
  qp.qp.retry_count = a.at("rty");
  qp.qp.rnr_retry = a.at("rnr");
  qp.qp.min_rnr_timer = a.at("rnrt");
  const auto modify = [&](QpState state, std::uint32_t mask) {
    qp.qp.state = static_cast<std::uint8_t>(state);
    qp.mask = mask;
    REQUIRE(ask<QpResponse>(server, qp).success);
  };
  modify(QpState::kInit, 25);
  modify(QpState::kRtr, 0x12'9101);
  modify(QpState::kRts, 0x1'2e01);
}

void check_context(const QpContext& qp, const json& connection) {
  const json& a = connection.at("setup_args");
  CHECK(qp.state == QpState::kRts);
  CHECK(qp.qpn == connection.at("qpn"));
  CHECK(qp.pmtu == 128U << a.at("pmtu").get<unsigned>());
  CHECK(qp.dest_qpn == a.at("dqpn"));
  CHECK(qp.sq_psn == a.at("sqpsn"));
  CHECK(qp.rq_psn == a.at("rqpsn"));
  CHECK(qp.timeout == a.at("tmo"));
  CHECK(qp.retry_count == a.at("rty"));
  CHECK(qp.rnr_retry == a.at("rnr"));
  CHECK(qp.min_rnr_timer == a.at("rnrt"));
  CHECK(qp.sq_sig_all == (a.at("sigall") != 0));
}

/// Replays a modify request. A data path file does not contain the request, but only the response ("META_RESP
/// clock hex"). The response echoes the fields of the request, from which the request is restored.
void replay_answer(MetadataServer& server, const std::string& line) {
  INFO(line);
  const auto golden = from_hex<MetadataResponseBits>(line.substr(line.rfind(' ') + 1));
  const auto answer = std::get<QpResponse>(decode_response(golden).value());
  const QpRequest request{.verb = QpVerb::kModify,
                          .pd_handler = answer.pd_handler,
                          .qpn = answer.qpn,
                          .mask = qp_attr::kState,
                          .qp = answer.qp};
  CHECK(to_hex(server.handle(encode_request(request)).value()) == to_hex(without_unused(golden)));
  CHECK((any_qp_in(server, static_cast<QpState>(answer.qp.state)) == answer.success));
}

struct File {
  json header = json::object();
  std::vector<std::string> lines;
};

File load(const std::filesystem::path& path) {
  File file;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  if (!file.lines.empty() && starts_with(file.lines[0], "# {"))
    file.header = json::parse(file.lines[0].substr(2));
  return file;
}

}  // namespace

TEMPLATE_TEST_CASE("wire: metadata requests are answered like the RTL", "[vectors]", MetadataServer,
                   RegisterBus) {
  std::size_t answers = 0;
  for (const auto& path : vector_files("wire", ".txt")) {
    INFO(path.string());
    Replay<TestType> replay;
    for (const auto& line : load(path).lines) replay.line(line);
    answers += replay.answers();
  }
  if (vectors_are_ours()) CHECK(answers > 100);
}

TEST_CASE("wire: queue pairs of the data path files come up and change state like the RTL's", "[vectors]") {
  std::size_t files = 0;
  for (const auto& path : vector_files("wire", ".txt")) {
    INFO(path.string());
    const File file = load(path);
    if (!file.header.contains("connection")) continue;
    ++files;
    LastContext data_path;
    MetadataServer server(&data_path);
    bring_up(server, file.header.at("connection"));
    check_context(data_path.context, file.header.at("connection"));
    for (const auto& line : file.lines) {
      if (starts_with(line, "META_RESP ")) replay_answer(server, line);
    }
  }
  if (vectors_are_ours()) CHECK(files > 50);
}
