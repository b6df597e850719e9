// SPDX-License-Identifier: BSD-3-Clause
#include "hello.hpp"

#include "base/json_nesting.hpp"
#include "fields.hpp"
#include "roce/transfer_immediate.hpp"

namespace softfeb::sink {

namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxMessage = std::uint64_t{1} << 31;
constexpr std::uint32_t kMax16 = 0xffff;
constexpr std::uint32_t kMaxSlots = 1U << 24;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;

ImmediateRule parse_immediate(const json& line) {
  using Kind = ImmediateRule::Kind;
  const auto value = line.find("immediate");
  if (value == line.end()) return {};
  if (value->is_boolean()) return {value->get<bool>() ? Kind::kAny : Kind::kNone, 0};
  if (!value->is_object()) throw Refusal("'immediate' must be true, false or an object with 'kind'");
  const std::string kind = text(*value, "kind");
  if (kind == "value") return {Kind::kValue, number32(*value, "value", kMax32)};
  if (kind == "counter") return {Kind::kCounter, number32(*value, "first", kMax32, 0)};
  if (kind == "channel") return {Kind::kChannel, number32(*value, "first", kMax32, 1)};
  if (kind == "transfer") {
    const std::uint32_t segments = number32(*value, "segments", roce::TransferImmediate::kMostSegments);
    if (segments == 0) throw Refusal("'segments' must be at least 1");
    return {Kind::kTransfer, 0, segments};
  }
  throw Refusal("'immediate' has kind '" + kind + "'; known kinds are value, counter, channel and transfer");
}

PayloadRule parse_payload(const json& line, std::uint32_t message_size) {
  const auto value = line.find("payload");
  if (value == line.end() || value->is_null()) return {};
  if (!value->is_object()) throw Refusal("'payload' must be an object with 'kind', or null");
  PayloadRule rule;
  const std::string kind = text(*value, "kind");
  const auto origin = value->find("origin");
  rule.any_origin = origin != value->end() && *origin == "any";
  if (rule.any_origin && kind != "counter")
    throw Refusal("'origin' may be \"any\" only with a payload of kind counter");
  if (!rule.any_origin) rule.origin = number(*value, "origin", kMaxBytes, 0);
  if (kind == "counter") {
    rule.kind = board::PayloadKind::kCounter;
  } else if (kind == "zero") {
    rule.kind = board::PayloadKind::kZero;
  } else if (kind == "prbs31") {
    rule.kind = board::PayloadKind::kPrbs31;
    rule.seed = number32(*value, "seed", 0x7fff'ffff, rule.seed);
    rule.window = number(*value, "window", std::uint64_t{1} << 30, rule.window);
  } else if (kind == "file") {
    rule.kind = board::PayloadKind::kFile;
    rule.file_size = number(*value, "size", kMaxBytes);
    if (rule.file_size == 0 || message_size == 0)
      throw Refusal("a payload from a file needs a 'size' and a 'message_size' above 0");
  } else {
    throw Refusal("'payload' has kind '" + kind + "'; known kinds are counter, prbs31, zero and file");
  }
  return rule;
}

/// Parses the list of QPs. `ip` is the address of those QPs for which the list contains no address.
std::vector<PeerQp> parse_qps(const json& line, const roce::IpAddress& ip) {
  const auto list = line.find("qps");
  if (list == line.end() || !list->is_array() || list->empty())
    throw Refusal("'qps' must be a list of at least one queue pair");
  std::vector<PeerQp> qps;
  qps.reserve(list->size());
  for (const json& qp : *list) {
    if (!qp.is_object()) throw Refusal("each element of 'qps' must be an object with 'qpn' and 'psn'");
    const roce::IpAddress own = qp.contains("ip") ? parse_address(qp, "ip") : ip;
    // All QPs of a session use one GID of the receiver.
    if (own.is_v4() != ip.is_v4())
      throw Refusal("all addresses of a client must be IPv4, or all must be IPv6");
    qps.push_back({number32(qp, "qpn", kMax24), number32(qp, "psn", kMax24), own});
  }
  return qps;
}

std::optional<detector::BuilderLayout> parse_events(const json& line, std::size_t qps) {
  const auto value = line.find("events");
  if (value == line.end() || value->is_null()) return std::nullopt;
  if (!value->is_object()) throw Refusal("'events' must be an object with the layout of events, or null");
  detector::BuilderLayout b;
  b.layout.boards = positive(*value, "boards", kMax16);
  b.layout.slots = positive(*value, "slots", kMaxSlots);
  b.layout.slot = positive(*value, "slot", detector::kLargestSinkSlot);
  b.layout.piece = positive(*value, "piece", detector::kLargestSinkSlot);
  b.layout.builders = positive(*value, "builders", kMax16);
  b.builder = number32(*value, "builder", b.layout.builders - 1);
  if (b.layout.boards != qps)
    throw Refusal(std::to_string(b.layout.boards) + " boards, but " + std::to_string(qps) +
                  " queue pairs; fix: send the events of each board on one queue pair");
  return b;
}

}  // namespace

json parse_line(std::string_view line) {
  if (json_nesting(line) > kMaxJsonNesting)
    throw Refusal("a line must not have more than " + std::to_string(kMaxJsonNesting) +
                  " levels of arrays and objects");
  json object = json::parse(line, nullptr, false);
  if (!object.is_object()) throw Refusal("a line must be one JSON object (doc/rdma-sink.md)");
  return object;
}

void check_version(const json& line) {
  if (const std::uint64_t version = number(line, "version", 0xffff); version != kVersion)
    throw Refusal("version " + std::to_string(version) + " of the exchange; this rdma-sink speaks version " +
                  std::to_string(kVersion) + ": use the same release of both");
}

Hello parse_hello(const json& line) {
  check_version(line);
  Hello hello;
  hello.ip = parse_address(line, line.contains("ip") ? "ip" : "gid");
  hello.transport = parse_transport(line);
  hello.pmtu = parse_pmtu(line);
  hello.message_size = number32(line, "message_size", kMaxMessage);
  hello.messages = number(line, "messages", kMaxBytes, 0);
  hello.slots = number(line, "slots", kMax32, 0);
  hello.immediate = parse_immediate(line);
  hello.payload = parse_payload(line, hello.message_size);
  hello.qps = parse_qps(line, hello.ip);
  hello.events = parse_events(line, hello.qps.size());
  return hello;
}

End parse_end(const json& line) {
  const json& what = line.at("end");
  if (!what.is_object()) throw Refusal("'end' must be an object");
  End end;
  const auto complete = what.find("complete");
  end.complete = complete != what.end() && complete->is_boolean() && complete->get<bool>();
  end.counted = what.contains("messages");
  end.messages = number(what, "messages", kMaxBytes, 0);
  const auto seconds = what.find("seconds");
  if (seconds != what.end() && seconds->is_number()) end.seconds = seconds->get<double>();
  if (what.contains("events")) end.events = number(what, "events", kMaxBytes);
  const auto list = what.find("qps");
  if (list == what.end()) return end;
  if (!list->is_array()) throw Refusal("'qps' of 'end' must be a list");
  for (const json& qp : *list) {
    if (!qp.is_object()) throw Refusal("each element of 'qps' must be an object with 'messages'");
    end.messages_of_qp.push_back(number(qp, "messages", kMaxBytes));
  }
  return end;
}

PostReceives parse_post_receives(const json& line) {
  PostReceives post{number32(line, "post_receives", kMax32), std::nullopt};
  if (line.contains("qp")) post.qp = number32(line, "qp", kMax24);
  return post;
}

}  // namespace softfeb::sink
