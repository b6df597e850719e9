// SPDX-License-Identifier: BSD-3-Clause
// Replays the conversations on the metadata bus in control/*.json, and compares the bytes and every named
// field of the responses.
#include "board/metadata.hpp"
#include "support/metadata_bits.hpp"
#include "support/register_bus.hpp"
#include "support/vector_files.hpp"

#include <fstream>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::board;
using namespace softfeb::test;
using nlohmann::json;

namespace {

using Named = std::map<std::string, std::uint64_t>;

std::uint64_t number(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_string() ? std::stoull(value.get<std::string>(), nullptr, 16) : value.get<std::uint64_t>();
}

Named named(const PdRequest& r) { return {{"alloc", r.allocate}, {"key", r.key}, {"hnd", r.handler}}; }

Named named(const MrRequest& r) {
  return {{"alloc", r.allocate},   {"laddr", r.mr.address}, {"len", r.mr.length},   {"acc", r.mr.access},
          {"pd", r.mr.pd_handler}, {"lk", r.mr.lkey_part},  {"rk", r.mr.rkey_part}, {"lkeyOrNot", r.by_lkey},
          {"lkey", r.lkey},        {"rkey", r.rkey}};
}

Named named(const QpRequest& r) {
  const QpFields& q = r.qp;
  return {{"req", static_cast<std::uint64_t>(r.verb)},
          {"pd", r.pd_handler},
          {"qpn", r.qpn},
          {"mask", r.mask},
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
          {"rda", q.max_read_atomic},
          {"drda", q.max_dest_read_atomic},
          {"rnrt", q.min_rnr_timer},
          {"tmo", q.timeout},
          {"retry", q.retry_count},
          {"rnrr", q.rnr_retry},
          {"type", q.type},
          {"sigall", q.sq_sig_all}};
}

Named named(const PdResponse& r) {
  return {{"success", r.success}, {"pdHandler", r.handler}, {"pdKey", r.key}};
}
Named named(const MrResponse& r) { return {{"success", r.success}, {"lkey", r.lkey}, {"rkey", r.rkey}}; }
Named named(const QpResponse& r) { return {{"success", r.success}, {"qpn", r.qpn}, {"qpState", r.qp.state}}; }

template <typename Message>
void check_fields(const Message& message, const json& fields) {
  Named ours = std::visit([](const auto& m) { return named(m); }, message);
  ours["busType"] = message.index();
  for (const auto& [key, value] : fields.items()) {
    INFO(key);
    CHECK(ours.at(key) == number(value));
  }
}

/// Converts a response to the form that these vectors contain. The vectors come from a model of the firmware.
/// In the model, the response to a destroy request for a QP does not contain the QP's PD handler. In the RTL,
/// the response contains the handler (wire/fix2026_teardown.txt and others), and softfeb follows the RTL.
MetadataResponseBits as_modelled(const MetadataRequest& request, MetadataResponse response) {
  const auto* qp = std::get_if<QpRequest>(&request);
  if (qp != nullptr && qp->verb == QpVerb::kDestroy)
    std::get<QpResponse>(response).pd_handler = qp->pd_handler;
  return encode_response(response);
}

}  // namespace

TEMPLATE_TEST_CASE("control: the metadata conversation of the reference client", "[vectors]", MetadataServer,
                   RegisterBus) {
  std::size_t messages = 0;
  for (const auto& path : vector_files("control", ".json")) {
    INFO(path.string());
    TestType server;
    for (const json& v : json::parse(std::ifstream(path))) {
      if (!v.contains("tx_wire40")) continue;
      ++messages;
      INFO(v.at("name").get<std::string>());
      const auto bits = from_wire_hex<MetadataRequestBits>(v.at("tx_wire40"));
      CHECK(bits == from_hex<MetadataRequestBits>(v.at("tx_int")));
      const MetadataRequest request = decode_request(bits).value();
      check_fields(request, v.at("tx_fields"));
      CHECK(encode_request(request) == bits);

      const auto answer = server.handle(bits);
      REQUIRE(answer.has_value());
      const MetadataResponse response = decode_response(*answer).value();
      check_fields(response, v.at("rx_fields"));
      const auto golden = from_wire_hex<MetadataResponseBits>(v.at("rx_wire36"));
      CHECK(golden == from_hex<MetadataResponseBits>(v.at("rx_int")));
      CHECK(to_hex(as_modelled(request, response)) == to_hex(golden));
    }
  }
  if (vectors_are_ours()) CHECK(messages == 13);
}
