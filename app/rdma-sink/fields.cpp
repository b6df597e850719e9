// SPDX-License-Identifier: BSD-3-Clause
#include "fields.hpp"

#include "roce/work.hpp"

#include <algorithm>

namespace softfeb::sink {

using nlohmann::json;

std::uint64_t number(const json& object, const char* key, std::uint64_t max,
                     std::optional<std::uint64_t> otherwise) {
  const auto value = object.find(key);
  if (value == object.end() && otherwise) return *otherwise;
  if (value == object.end()) throw Refusal(std::string("'") + key + "' is missing");
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > max)
    throw Refusal(std::string("'") + key + "' must be a whole number from 0 to " + std::to_string(max));
  return value->get<std::uint64_t>();
}

std::uint32_t number32(const json& object, const char* key, std::uint32_t max,
                       std::optional<std::uint64_t> otherwise) {
  return static_cast<std::uint32_t>(number(object, key, max, otherwise));
}

std::uint32_t positive(const json& object, const char* key, std::uint32_t max) {
  const std::uint32_t value = number32(object, key, max);
  if (value == 0) throw Refusal(std::string("'") + key + "' must be at least 1");
  return value;
}

std::string text(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_string())
    throw Refusal(std::string("'") + key + "' must be a string");
  return value->get<std::string>();
}

bool flag(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end()) return false;
  if (!value->is_boolean()) throw Refusal(std::string("'") + key + "' must be true or false");
  return value->get<bool>();
}

roce::IpAddress parse_address(const json& object, const char* key) {
  const auto address = roce::IpAddress::parse(text(object, key));
  if (!address) throw Refusal("'ip' must be an IPv4 or IPv6 address");
  return *address;
}

roce::Transport parse_transport(const json& object) {
  const std::string name = text(object, "transport");
  if (name == "rc") return roce::Transport::kRc;
  if (name == "uc") return roce::Transport::kUc;
  throw Refusal("'transport' must be \"rc\" or \"uc\"");
}

std::uint32_t parse_pmtu(const json& object) {
  const std::uint32_t pmtu = number32(object, "pmtu", 4096);
  if (!roce::pmtu_legal(pmtu)) throw Refusal("'pmtu' must be 256, 512, 1024, 2048 or 4096");
  return pmtu;
}

const json& object_at(const json& line, const char* key, std::initializer_list<std::string_view> known) {
  const auto value = line.find(key);
  if (value == line.end() || !value->is_object())
    throw Refusal(std::string("'") + key + "' must be an object");
  check_members(*value, std::string("'") + key + "'", known);
  return *value;
}

void check_members(const json& object, const std::string& name,
                   std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string list;
    for (const std::string_view member : known) list += (list.empty() ? "" : ", ") + std::string(member);
    throw Refusal(name + " has an unknown member '" + key + "'; known ones are " + list);
  }
}

}  // namespace softfeb::sink
