// SPDX-License-Identifier: BSD-3-Clause
#include "peers/sink_messages.hpp"

#include "peers/tcp_link.hpp"
#include "roce/ip.hpp"

#include <limits>

namespace softfeb::peers::sink {

namespace {

using nlohmann::json;

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void malformed(const std::string& what) {
  throw PeerError(PeerFault::kProtocol,
                  "rdma-sink's answer " + what + "; check that it is an rdma-sink of this version");
}

json parse_object(std::string_view line) {
  json object = json::parse(line, nullptr, false);
  if (!object.is_object()) malformed("is not a JSON object: " + quote(line));
  const auto error = object.find("error");
  if (error == object.end()) return object;
  const std::string text = error->is_string() ? error->get<std::string>() : error->dump();
  throw PeerError(PeerFault::kConfiguration, "rdma-sink refuses: " + text);
}

std::uint64_t number(const json& object, const char* key, std::uint64_t max) {
  const auto value = object.find(key);
  if (value == object.end()) malformed(std::string("has no '") + key + "'");
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > max)
    malformed(std::string("has a '") + key + "' that is not a number up to " + std::to_string(max));
  return value->get<std::uint64_t>();
}

std::string text(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_string()) malformed(std::string("has no string '") + key + "'");
  return value->get<std::string>();
}

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

std::uint32_t number32(const json& object, const char* key) {
  return static_cast<std::uint32_t>(number(object, key, 0xffffffff));
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
  const json object = parse_object(line);
  if (const std::uint64_t version = number(object, "version", 0xffff); version != kVersion)
    throw PeerError(PeerFault::kConfiguration, "rdma-sink speaks version " + std::to_string(version) +
                                                   " of the exchange, softfeb version " +
                                                   std::to_string(kVersion) +
                                                   "; use the same release of both");
  RemoteEndpoint remote;
  remote.software = "rdma-sink";
  const std::string ip = text(object, "ip");
  const auto gid = roce::IpAddress::parse(ip);
  if (!gid) malformed("has an 'ip' that is not an address: " + quote(ip));
  remote.ip = *gid;
  if (object.contains("mac")) {
    const std::string mac = text(object, "mac");
    remote.mac = roce::parse_mac(mac);
    if (!remote.mac) malformed("has a 'mac' that is not an address: " + quote(mac));
  }
  if (object.contains("slots")) remote.slots = number(object, "slots", kMax64);
  const auto list = object.find("qps");
  if (list == object.end() || !list->is_array()) malformed("has no list 'qps'");
  if (list->size() != qps)
    malformed("has " + std::to_string(list->size()) + " queue pairs, but " + std::to_string(qps) +
              " were requested");
  for (const json& qp : *list) remote.qps.push_back(decode_qp(qp));
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

json decode_report(std::string_view line) { return parse_object(line); }

}  // namespace softfeb::peers::sink
