// SPDX-License-Identifier: BSD-3-Clause
// Compares the algorithms of lib/congestion with traces of reference models, event by event.
#include "cc_replay.hpp"

#include "support/vector_files.hpp"

#include <exception>
#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

/// Replays a trace and returns a description of the first difference or error, or an empty string.
template <typename Make>
std::string fault(Make&& make) {
  try {
    return replay_cc(make()).value_or("");
  } catch (const std::exception& e) {
    return e.what();
  }
}

nlohmann::json small_trace() {
  return nlohmann::json::parse(R"({"format": 1, "algorithm": "timely", "parameters": {"initial_rate": 6e8},
    "tolerance": {"rate": [1e-6, 1.0]}, "events": [
      {"t": 1000000, "event": "start", "expect": {"rate": 600000000.0}},
      {"t": 9000000, "event": "ack", "sent_at": 1000000, "packets": 1, "expect": {"rate": 601250000.0}}]})");
}

}  // namespace

TEST_CASE("the tree's own traces exist", "[cc]") {
  if (!vectors_are_ours()) return;
  std::set<std::string> algorithms;
  for (const auto& path : cc_files(CcKind::kOthers)) algorithms.insert(read_cc_file(path).algorithm());
  for (const auto& [name, replay] : cc_replays()) {
    INFO(name);
    CHECK(algorithms.contains(std::string(name)));
  }
}

TEST_CASE("cc vectors: every value after every event", "[cc]") {
  for (const auto& path : cc_files(CcKind::kOthers)) {
    const std::string wrong = fault([&] { return read_cc_file(path); });
    if (!wrong.empty()) FAIL_CHECK(path.filename().string() << ": " << wrong);
  }
  SUCCEED();
}

TEST_CASE("a replay finds differences and rejects what it does not know", "[cc]") {
  const auto with = [](const char* pointer, const nlohmann::json& value) {
    return fault([&] {
      CcFile file{small_trace()};
      file.document[nlohmann::json::json_pointer(pointer)] = value;
      return file;
    });
  };
  using Catch::Contains;
  CHECK(with("/name", "unchanged").empty());
  CHECK(with("/events/1/expect/rate", 601250500.0).empty());
  CHECK_THAT(with("/events/1/expect/rate", 601250700.0), Contains("event 1: rate is 601250000, should be"));
  CHECK_THAT(with("/events/1/sent_at", nullptr), Contains("event 1: rate is 600000000, should be"));
  CHECK_THAT(with("/events/0/expect/speed", 1), Contains("does not know the value \"speed\""));
  CHECK_THAT(with("/events/0/event", "begin"), Contains("unknown event \"begin\""));
  CHECK_THAT(with("/parameters/gamma", 1), Contains("unknown parameter \"gamma\""));
  CHECK_THAT(with("/algorithm", "cubic"), Contains("unknown algorithm \"cubic\""));
  CHECK_THAT(with("/events", nlohmann::json::array()), Contains("no events"));
}
