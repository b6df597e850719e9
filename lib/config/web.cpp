// SPDX-License-Identifier: BSD-3-Clause
#include "config/document.hpp"
#include "config/section.hpp"
#include "config/units.hpp"
#include "config/web_config.hpp"

namespace softfeb::config {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Parsed<WebConfig> parse_web(const std::string& text) {
  const Parsed<WebConfig> wrong{'"' + text + "\" is not an address for the live page",
                                "write on, off, a port, or an address such as 127.0.0.1:8080"};
  WebConfig web;
  if (const auto word = parse_bool(text); word.value) {
    web.on = *word.value;
    return web;
  }
  web.on = true;
  std::string address = text;
  std::string port;
  if (is_number(text)) {
    port = text;
    address.clear();
  } else if (const std::size_t end = text.find(']'); text.front() == '[' && end != std::string::npos) {
    address = text.substr(1, end - 1);
    if (end + 1 < text.size() && text[end + 1] != ':') return wrong;
    if (end + 1 < text.size()) port = text.substr(end + 2);
    if (end + 2 == text.size()) return wrong;
  } else if (const std::size_t colon = text.find(':');
             colon != std::string::npos && colon == text.rfind(':')) {
    address = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (port.empty()) return wrong;
  }
  if (!port.empty()) {
    const auto number = parse_integer(port, 0, 65'535);
    if (!is_number(port) || !number.value) return wrong;
    web.port = static_cast<std::uint16_t>(*number.value);
  }
  if (address.empty()) return port.empty() ? wrong : Parsed<WebConfig>(web);
  const auto ip = IpAddress::parse(address);
  if (!ip) return wrong;
  web.address = *ip;
  return web;
}

std::optional<WebConfig> load_web(const std::string& path, const std::vector<std::string>& overrides) {
  return load_web_text(read_text(path), path, overrides);
}

std::optional<WebConfig> load_web_text(const std::string& text, const std::string& file,
                                       const std::vector<std::string>& overrides) {
  Node document = parse_based(text, file);
  for (const std::string& assignment : overrides) apply_override(document, assignment);
  const Node* const run = document.find("run");
  if (run == nullptr || run->find("web") == nullptr) return std::nullopt;
  Reading reading;
  Section section(reading, *run, "run");
  WebConfig web;
  if (!section.read("web", web, parse_web)) throw ConfigError(reading.problems);
  return web;
}

}  // namespace softfeb::config
