// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/http.hpp"

#include "roce/ip.hpp"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

namespace softfeb::telemetry {
namespace {

constexpr const char* kDigits = "0123456789";
constexpr std::size_t kLongestName = 253;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_port(const std::string& text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of(kDigits) == std::string::npos;
}

bool host_known(const std::string& host, const std::vector<std::string>& names) {
  const auto name = host_name(host);
  if (!name) return false;
  if (*name == "localhost" || roce::IpAddress::parse(*name)) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return lower(n) == *name; });
}

bool is_json(const std::string& content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type == "application/json";
}

bool same_origin(const Request& r) {
  if (!r.fetch_site.empty() && r.fetch_site != "same-origin") return false;
  return r.origin.empty() || lower(r.origin) == "http://" + lower(r.host);
}

}  // namespace

std::string format_event(const std::string& name, const std::string& data) {
  return "event: " + name + "\ndata: " + data + "\n\n";
}

Response problem(unsigned status, const std::string& message, const std::string& fix) {
  const nlohmann::ordered_json body{{"error", message}, {"fix", fix}};
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  return {status, "application/json", body.dump(-1, ' ', false, kReplace) + '\n', {}};
}

std::optional<std::string> host_name(const std::string& host) {
  if (host.empty() || host.size() > kLongestName) return std::nullopt;
  std::string name = lower(host);
  if (name.front() == '[') {
    const std::size_t end = name.find(']');
    if (end == std::string::npos) return std::nullopt;
    const std::string rest = name.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
    return name.substr(1, end - 1);
  }
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos) {
    if (!is_port(name.substr(colon + 1))) return std::nullopt;
    name.resize(colon);
  }
  return name.empty() ? std::nullopt : std::optional(name);
}

std::optional<Response> check_request(const Request& r, const std::vector<std::string>& names) {
  if (!host_known(r.host, names)) {
    return problem(421, "this server does not accept the host name \"" + r.host + '"',
                   "use its IP address, localhost, or the name of its host");
  }
  if (r.method == "GET" || r.method == "HEAD") return std::nullopt;
  if (r.method != "POST") {
    Response out = problem(405, r.method + " is not supported", "GET, HEAD or POST");
    out.allow = "GET, HEAD, POST";
    return out;
  }
  if (!r.from_loopback) {
    return problem(403, "parameters can only be changed from the machine itself",
                   "tunnel to it, e.g. ssh -L 8080:localhost:8080 HOST");
  }
  if (!same_origin(r))
    return problem(403, "the request comes from another site", "use the page of this server");
  if (!is_json(r.content_type)) {
    return problem(415, "the content type is not application/json", "send Content-Type: application/json");
  }
  return std::nullopt;
}

}  // namespace softfeb::telemetry
