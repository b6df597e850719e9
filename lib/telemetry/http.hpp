// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

/// What passes between the HTTP server and whoever it serves for: plain data.
namespace softfeb::telemetry {

/// A request whose header and body were within limits. Header fields are empty where they are missing.
struct Request {
  std::string method;
  std::string path;  ///< of the target; what stands behind `?` is cut off
  std::string host;
  std::string origin;
  std::string fetch_site;    ///< Sec-Fetch-Site
  std::string content_type;  ///< as sent, with its parameters
  std::string body;
  bool from_loopback = false;  ///< the sender is this machine
};

struct Response {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string allow;  ///< with status 405: the methods that there are
};

/// Called once with the answer, on the server's thread, at once or later. After the client or the server has
/// gone it does nothing.
using Respond = std::function<void(Response)>;

/// What the server serves. Outlives it.
class Site {
 public:
  virtual ~Site() = default;
  /// A request that passed check_request(). HEAD comes as GET.
  virtual void serve(const Request& request, const Respond& respond) = 0;
  /// Whether a GET of `path` is answered by a stream of events.
  virtual bool is_stream(const std::string& path) const = 0;
  /// The first events of a stream, as format_event() makes them.
  virtual std::string greeting() = 0;
};

/// An event of a text/event-stream (HTML Living Standard, section 9.2). `data` has no line breaks.
std::string format_event(const std::string& name, const std::string& data);

/// {"error": message, "fix": fix}
Response problem(unsigned status, const std::string& message, const std::string& fix);

}  // namespace softfeb::telemetry
