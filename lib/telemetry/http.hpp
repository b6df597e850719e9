// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Data exchanged between the HTTP server and its site.
namespace softfeb::telemetry {

/// A request whose header and body are within HttpLimits. Header fields that the client did not send are
/// empty.
struct Request {
  std::string method;
  std::string path;  ///< path of the target, without the query after `?`
  std::string host;
  std::string origin;
  std::string fetch_site;    ///< header field Sec-Fetch-Site
  std::string content_type;  ///< as sent, including parameters
  std::string body;
  bool from_loopback = false;  ///< the client runs on this host
};

struct Response {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string allow;  ///< the allowed methods; set with status 405
};

/// Sends the response. Call it once, on the server's thread, immediately or later. Does nothing if the
/// connection has closed or the server has been destroyed.
using Respond = std::function<void(Response)>;

/// The content that the server serves. Must outlive the server.
class Site {
 public:
  virtual ~Site() = default;
  /// Handles a request that check_request() has accepted. A HEAD request is passed as GET.
  virtual void serve(const Request& request, const Respond& respond) = 0;
  /// True if a GET of `path` opens an event stream.
  virtual bool is_stream(const std::string& path) const = 0;
  /// Returns the first events of a stream, formatted by format_event().
  virtual std::string greeting() = 0;
};

/// Formats an event of a text/event-stream (HTML Living Standard, section 9.2). `data` has no line breaks.
std::string format_event(const std::string& name, const std::string& data);

/// Returns an error response whose body is {"error": message, "fix": fix}.
Response problem(unsigned status, const std::string& message, const std::string& fix);

/// Checks a request before it is handled. Returns the error response if the request must be refused,
/// otherwise nullopt. The following requests are refused:
///  - Requests whose Host is neither an IP address, nor localhost, nor one of `names`. An attacker may have
///    made any other name resolve to this server (DNS rebinding).
///  - Requests that change something and come from a page of another site. Such requests have a foreign
///    Origin, a Sec-Fetch-Site that indicates another site, or a content type that forms can send without a
///    preflight (anything but application/json).
///  - Requests that change something and come from another host.
///  - Methods other than GET, HEAD and POST.
std::optional<Response> check_request(const Request& request, const std::vector<std::string>& names);

/// Removes the port from a Host field such as "127.0.0.1:8080", "[::1]:8080" or "localhost". Returns
/// nullopt if the field is not a valid host.
std::optional<std::string> host_name(const std::string& host);

/// A compiled-in file of lib/telemetry/page.
struct Asset {
  std::string_view path;  ///< request path: "/page.css"
  std::string_view type;
  std::string_view body;
};

std::span<const Asset> assets();

}  // namespace softfeb::telemetry
