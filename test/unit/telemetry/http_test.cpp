// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/http.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::telemetry;

namespace {

Request get(const std::string& host) {
  Request r;
  r.method = "GET";
  r.path = "/";
  r.host = host;
  return r;
}

Request post() {
  Request r = get("127.0.0.1:8080");
  r.method = "POST";
  r.content_type = "application/json";
  r.from_loopback = true;
  return r;
}

unsigned status(const Request& r) {
  const auto refused = check_request(r, {"daq-host"});
  return refused ? refused->status : 200;
}

}  // namespace

TEST_CASE("a server accepts only addresses, localhost and its host's name") {
  for (const char* host : {"127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "localhost:1", "LocalHost",
                           "10.1.2.3:80", "DAQ-host:8080", "daq-host"}) {
    CAPTURE(host);
    CHECK(status(get(host)) == 200);
  }
  for (const char* host :
       {"", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "[::1",
        "[::1]x", "127.0.0.1:", "127.0.0.1:http", ":8080", "daq-host.evil.example"}) {
    CAPTURE(host);
    CHECK(status(get(host)) == 421);
  }
}

TEST_CASE("a change is accepted only from this machine, from this server's page, as JSON") {
  CHECK(status(post()) == 200);
  Request r = post();
  r.origin = "http://127.0.0.1:8080";
  r.fetch_site = "same-origin";
  r.content_type = "application/json; charset=utf-8";
  CHECK(status(r) == 200);

  SECTION("other sites") {
    for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:8080",
                               "http://127.0.0.1:8081", "http://localhost:8080"}) {
      CAPTURE(origin);
      r.origin = origin;
      CHECK(status(r) == 403);
    }
    r = post();
    r.fetch_site = "cross-site";
    CHECK(status(r) == 403);
    r.fetch_site = "same-site";
    CHECK(status(r) == 403);
  }
  SECTION("what forms can send") {
    for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                             "application/jsonp", "text/plain; application/json"}) {
      CAPTURE(type);
      r.content_type = type;
      CHECK(status(r) == 415);
    }
  }
  SECTION("other machines") {
    r.from_loopback = false;
    CHECK(status(r) == 403);
    r.method = "GET";
    CHECK(status(r) == 200);
  }
  SECTION("other methods") {
    for (const char* method : {"PUT", "DELETE", "OPTIONS", "TRACE", ""}) {
      r.method = method;
      CHECK(status(r) == 405);
    }
  }
}
