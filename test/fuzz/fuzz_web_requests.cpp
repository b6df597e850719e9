// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: checks arbitrary requests to the live page. The input consists of lines: method, path, Host,
// Origin, Sec-Fetch-Site, Content-Type; the rest is the body. Only requests of this host and this site may
// change something, and each refusal must have a reason.
#include "input.hpp"
#include "roce/ip.hpp"
#include "telemetry/change_request.hpp"

#include <string>

#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::telemetry;
using fuzz::require;

namespace {

std::string next_line(std::string& rest) {
  const std::size_t end = rest.find('\n');
  std::string line = rest.substr(0, end);
  rest.erase(0, end == std::string::npos ? rest.size() : end + 1);
  return line;
}

void check_refusal(const Response& response) {
  require(response.status >= 400 && response.status < 500);
  const nlohmann::json body = nlohmann::json::parse(response.body, nullptr, false);
  require(body.is_object() && !body["error"].get<std::string>().empty());
}

/// Checks that the Host of an accepted request is an address or a known name, because any other name could
/// belong to an attacker (DNS rebinding).
void check_host(const Request& r) {
  const auto name = host_name(r.host);
  require(name.has_value());
  require(*name == "localhost" || *name == "feb.lab" || roce::IpAddress::parse(*name).has_value());
}

void check_accepted(const Request& r) {
  check_host(r);
  if (r.method == "GET" || r.method == "HEAD") return;
  require(r.method == "POST" && r.from_loopback);
  require(r.fetch_site.empty() || r.fetch_site == "same-origin");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  Request r;
  r.from_loopback = (data[0] & 1) == 0;
  r.method = next_line(rest);
  r.path = next_line(rest);
  r.host = next_line(rest);
  r.origin = next_line(rest);
  r.fetch_site = next_line(rest);
  r.content_type = next_line(rest);
  r.body = std::move(rest);
  if (const auto refused = check_request(r, {"feb.lab"}))
    check_refusal(*refused);
  else
    check_accepted(r);
  ChangeRequest change;
  if (const auto refused = parse_change(r.body, change))
    check_refusal(*refused);
  else
    require(!change.given.empty());
  const auto decoded = decode_percent(r.path);
  require(!decoded || decoded->size() <= r.path.size());
  return 0;
}
