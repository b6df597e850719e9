// SPDX-License-Identifier: BSD-3-Clause
#include "peers/sink_answer.hpp"

#include "base/json_nesting.hpp"
#include "peers/quote.hpp"

namespace softfeb::peers::sink {

using nlohmann::json;

void malformed(const std::string& what) {
  throw PeerError(PeerFault::kProtocol,
                  "rdma-sink's answer " + what + "; check that it is an rdma-sink of this version");
}

void refused(const std::string& text) {
  throw PeerError(PeerFault::kConfiguration, "rdma-sink refuses: " + text);
}

json parse_object(std::string_view line) {
  if (json_nesting(line) > kMaxJsonNesting) malformed("is nested too deeply: " + quote(line));
  json object = json::parse(line, nullptr, false);
  if (!object.is_object()) malformed("is not a JSON object: " + quote(line));
  return object;
}

std::optional<std::string> error_of(const json& answer) {
  const auto error = answer.find("error");
  if (error == answer.end()) return std::nullopt;
  return error->is_string() ? error->get<std::string>() : error->dump();
}

json parse_answer(std::string_view line) {
  json object = parse_object(line);
  if (const auto error = error_of(object)) refused(*error);
  return object;
}

void check_version(const json& object) {
  if (const std::uint64_t version = number(object, "version", 0xffff); version != kVersion)
    throw PeerError(PeerFault::kConfiguration, "rdma-sink speaks version " + std::to_string(version) +
                                                   " of the exchange, softfeb version " +
                                                   std::to_string(kVersion) +
                                                   "; use the same release of both");
}

std::uint64_t number(const json& object, const char* key, std::uint64_t max) {
  const auto value = object.find(key);
  if (value == object.end()) malformed(std::string("has no '") + key + "'");
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > max)
    malformed(std::string("has a '") + key + "' that is not a number up to " + std::to_string(max));
  return value->get<std::uint64_t>();
}

std::uint32_t number32(const json& object, const char* key, std::uint32_t max) {
  return static_cast<std::uint32_t>(number(object, key, max));
}

std::string text(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_string()) malformed(std::string("has no string '") + key + "'");
  return value->get<std::string>();
}

bool flag(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_boolean())
    malformed(std::string("has no '") + key + "' that is true or false");
  return value->get<bool>();
}

const json& list(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_array()) malformed(std::string("has no list '") + key + "'");
  return *value;
}

roce::IpAddress address(const json& object) {
  const std::string ip = text(object, "ip");
  const auto address = roce::IpAddress::parse(ip);
  if (!address) malformed("has an 'ip' that is not an address: " + quote(ip));
  return *address;
}

std::optional<roce::MacAddress> mac_of(const json& object) {
  if (!object.contains("mac")) return std::nullopt;
  const std::string text_of_mac = text(object, "mac");
  const auto mac = roce::parse_mac(text_of_mac);
  if (!mac) malformed("has a 'mac' that is not an address: " + quote(text_of_mac));
  return mac;
}

}  // namespace softfeb::peers::sink
