// SPDX-License-Identifier: BSD-3-Clause
#include "peers/peer.hpp"

#include <charconv>
#include <utility>

namespace softfeb::peers {

namespace {

constexpr std::string_view kPerftestScheme = "perftest://";
constexpr std::string_view kSinkScheme = "sink://";

[[noreturn]] void refuse_url(std::string_view url, const std::string& reason) {
  throw PeerError(PeerFault::kConfiguration,
                  "'" + std::string(url) + "': " + reason +
                      "; write perftest://HOST:PORT or sink://HOST:PORT (an IPv6 address in brackets)");
}

std::uint16_t parse_port(std::string_view url, std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0)
    refuse_url(url, "'" + std::string(text) + "' is not a port (1 to 65535)");
  return port;
}

/// Splits HOST[:PORT]; the port is empty if absent.
std::pair<std::string_view, std::string_view> split(std::string_view url, std::string_view rest) {
  std::size_t host_end = rest.find(':');
  std::string_view host = rest.substr(0, host_end);
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) refuse_url(url, "the bracket is not closed");
    host = rest.substr(1, close - 1);
    const auto address = roce::IpAddress::parse(host);
    if (!address || host.find(':') == std::string_view::npos)
      refuse_url(url, "'" + std::string(host) + "' is not an IPv6 address");
    host_end = close + 1 == rest.size() ? std::string_view::npos : close + 1;
    if (host_end != std::string_view::npos && rest[host_end] != ':')
      refuse_url(url, "unexpected text after the bracket");
  } else if (host_end != std::string_view::npos && rest.find(':', host_end + 1) != std::string_view::npos) {
    refuse_url(url, "an IPv6 address needs brackets");
  }
  if (host_end == std::string_view::npos) return {host, {}};
  if (host_end + 1 == rest.size()) refuse_url(url, "the port after the colon is missing");
  return {host, rest.substr(host_end + 1)};
}

}  // namespace

PeerUrl parse_peer_url(std::string_view text) {
  PeerUrl url;
  std::string_view rest = text;
  if (text.starts_with(kPerftestScheme)) {
    url.port = kPerftestPort;
    rest.remove_prefix(kPerftestScheme.size());
  } else if (text.starts_with(kSinkScheme)) {
    url.kind = PeerKind::kSink;
    url.port = kSinkPort;
    rest.remove_prefix(kSinkScheme.size());
  } else {
    refuse_url(text, "unknown kind of receiver");
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const auto [host, port] = split(text, rest);
  if (host.empty()) refuse_url(text, "the host is missing");
  if (host.find_first_of("/?#@ \t") != std::string_view::npos)
    refuse_url(text, "'" + std::string(host) + "' is not a host");
  url.host = host;
  if (!port.empty()) url.port = parse_port(text, port);
  return url;
}

std::string to_string(const PeerUrl& url) {
  const bool v6 = url.host.find(':') != std::string::npos;
  return std::string(url.kind == PeerKind::kPerftest ? kPerftestScheme : kSinkScheme) + (v6 ? "[" : "") +
         url.host + (v6 ? "]:" : ":") + std::to_string(url.port);
}

}  // namespace softfeb::peers
