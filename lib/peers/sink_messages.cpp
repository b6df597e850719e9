// SPDX-License-Identifier: BSD-3-Clause
#include "peers/sink_messages.hpp"

#include "peers/quote.hpp"
#include "peers/sink_answer.hpp"

#include <limits>

namespace softfeb::peers::sink {

namespace {

using nlohmann::json;

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

RemoteQp decode_qp(const json& object) {
  if (!object.is_object()) malformed("has a queue pair that is not an object");
  RemoteQp qp;
  qp.qpn = static_cast<roce::Qpn>(number(object, "qpn", 0xffffff));
  qp.psn = static_cast<roce::Psn>(number(object, "psn", 0xffffff));
  qp.rkey = static_cast<std::uint32_t>(number(object, "rkey", 0xffffffff));
  qp.address = number(object, "address", kMax64);
  qp.length = number(object, "length", kMax64);
  return qp;
}

detector::BuilderLayout decode_events(const json& object) {
  if (!object.is_object()) malformed("has 'events' that are not an object");
  detector::BuilderLayout b;
  b.layout.boards = number32(object, "boards");
  b.layout.slots = number(object, "slots", kMax64);
  b.layout.slot = number32(object, "slot");
  b.layout.piece = number32(object, "piece");
  b.layout.builders = number32(object, "builders");
  b.builder = number32(object, "builder");
  return b;
}

}  // namespace

std::string encode_hello(const LocalEndpoint& local) {
  json qps = json::array();
  for (const LocalQp& qp : local.qps) {
    json& line = qps.emplace_back(json{{"qpn", qp.qpn}, {"psn", qp.psn}});
    if (qp.ip && *qp.ip != local.ip) line["ip"] = qp.ip->to_string();
  }
  json hello{{"version", kVersion},
             {"ip", local.ip.to_string()},
             {"transport", local.transport == roce::Transport::kRc ? "rc" : "uc"},
             {"pmtu", local.pmtu},
             {"message_size", local.message_size},
             {"messages", local.messages},
             {"slots", local.slots},
             {"immediate", local.immediate},
             {"payload", local.payload},
             {"qps", std::move(qps)}};
  if (local.events) {
    for (const auto& [name, value] : detector::values_of(*local.events)) hello["events"][name] = value;
  }
  return hello.dump() + '\n';
}

RemoteEndpoint decode_welcome(std::string_view line, std::size_t qps) {
  const json object = parse_answer(line);
  check_version(object);
  RemoteEndpoint remote;
  remote.software = "rdma-sink";
  remote.ip = address(object);
  remote.mac = mac_of(object);
  if (object.contains("slots")) remote.slots = number(object, "slots", kMax64);
  const json& all = list(object, "qps");
  if (all.size() != qps)
    malformed("has " + std::to_string(all.size()) + " queue pairs, but " + std::to_string(qps) +
              " were requested");
  for (const json& qp : all) remote.qps.push_back(decode_qp(qp));
  if (object.contains("events")) remote.events = decode_events(object["events"]);
  return remote;
}

std::string encode_end(const PeerResults& results) {
  json end{{"complete", results.complete}, {"seconds", results.seconds}};
  if (results.counted) {
    end["messages"] = results.messages;
    end["payload_bytes"] = results.payload_bytes;
  }
  if (results.events) end["events"] = *results.events;
  for (const std::uint64_t messages : results.messages_of_qp) end["qps"].push_back({{"messages", messages}});
  return json{{"end", std::move(end)}}.dump() + '\n';
}

json decode_report(std::string_view line) {
  json report = parse_answer(line);
  const auto problems = report.find("problems");
  if (problems == report.end() || !problems->is_array()) return report;
  for (json& problem : *problems)  // softfeb prints the problems, so they must be printable
    if (problem.is_string()) problem = printable(problem.get_ref<const std::string&>());
  return report;
}

}  // namespace softfeb::peers::sink
