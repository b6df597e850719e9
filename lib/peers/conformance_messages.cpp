// SPDX-License-Identifier: BSD-3-Clause
#include "peers/conformance_messages.hpp"

#include "peers/quote.hpp"
#include "peers/sink_answer.hpp"

#include <limits>

namespace softfeb::peers::sink {

namespace {

using nlohmann::json;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kMaxQpn = 0xffffff;

std::string line_of(const json& request) { return request.dump() + '\n'; }

const char* name_of(QpState state) {
  switch (state) {
    case QpState::kInit:
      return "init";
    case QpState::kRtr:
      return "rtr";
    case QpState::kRts:
      return "rts";
    case QpState::kErr:
      return "err";
  }
  return "";
}

json access_of(const RemoteAccess& access) {
  json names = json::array();
  if (access.write) names.push_back("write");
  if (access.read) names.push_back("read");
  if (access.atomic) names.push_back("atomic");
  return names;
}

json range_of(const MemoryRange& range) {
  return {{"region", range.region}, {"offset", range.offset}, {"length", range.length}};
}

const json& member(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_object()) malformed(std::string("has no object '") + key + "'");
  return *value;
}

SessionLimits decode_limits(const json& object) {
  SessionLimits limits;
  limits.qps = number32(object, "qps");
  limits.regions = number32(object, "regions");
  limits.memory = number(object, "memory", kLargest);
  limits.receives = number32(object, "receives");
  limits.receive_size = number32(object, "receive_size");
  limits.completions = number32(object, "completions");
  limits.max_dest_rd_atomic = static_cast<std::uint8_t>(number32(object, "max_dest_rd_atomic", 0xff));
  limits.pmtu = number32(object, "pmtu");
  limits.read = number32(object, "read");
  if (limits.read == 0) malformed("has a limit 'read' of 0");
  return limits;
}

[[noreturn]] void too_old() {
  throw PeerError(PeerFault::kConfiguration,
                  "this rdma-sink has no conformance sessions; fix: run the rdma-sink of this release there");
}

/// True for the answer of an rdma-sink release without conformance sessions. Such a release interprets the
/// first line as the first line of an ordinary session, which requires a `transport`.
bool misses_transport(const std::string& error) { return error.starts_with("'transport'"); }

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// True if the member is null, which means that the receiver does not know the value.
bool unknown(const json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_null();
}

Completion decode_completion(const json& object) {
  if (!object.is_object()) malformed("has a completion that is not an object");
  Completion c;
  c.qpn = number32(object, "qpn", kMaxQpn);
  c.status = text(object, "status");
  if (!unknown(object, "opcode")) c.opcode = text(object, "opcode");
  if (!unknown(object, "byte_len")) c.byte_len = number32(object, "byte_len");
  if (!unknown(object, "immediate")) c.immediate = number32(object, "immediate");
  return c;
}

}  // namespace

std::string encode_conformance_hello(const roce::IpAddress& ip) {
  return line_of({{"version", kVersion}, {"conformance", true}, {"ip", ip.to_string()}});
}

TargetDevice decode_target(std::string_view line) {
  const json object = parse_object(line);
  if (const auto error = error_of(object)) {
    if (misses_transport(*error)) too_old();
    refused(*error);
  }
  check_version(object);
  if (!object.contains("conformance")) too_old();
  TargetDevice device;
  device.name = text(object, "device");
  device.driver = text(object, "driver");
  device.firmware = text(object, "firmware");
  device.kernel = text(object, "kernel");
  device.vendor_id = number32(object, "vendor_id");
  device.vendor_part_id = number32(object, "vendor_part_id");
  device.ip = address(object);
  device.mac = mac_of(object);
  device.active_mtu = number32(object, "active_mtu");
  device.max_message = number32(object, "max_msg_sz");
  device.atomics = flag(object, "atomics");
  device.guard = number(object, "guard", kLargest);
  device.limits = decode_limits(member(object, "limits"));
  return device;
}

std::string encode_regions(const std::vector<RegionRequest>& regions) {
  json all = json::array();
  for (const RegionRequest& region : regions) {
    json& one = all.emplace_back(json{{"size", region.size}});
    if (region.access) one["access"] = access_of(*region.access);
    if (region.other_pd) one["other_pd"] = true;
    if (region.deregistered) one["deregistered"] = true;
  }
  return line_of({{"regions", std::move(all)}});
}

std::vector<Region> decode_regions(std::string_view line, const std::vector<RegionRequest>& requested) {
  const json object = parse_answer(line);
  const json& all = list(object, "regions");
  if (all.size() != requested.size())
    malformed("has " + std::to_string(all.size()) + " regions, but " + std::to_string(requested.size()) +
              " were requested");
  std::vector<Region> regions;
  for (const json& one : all) {
    if (!one.is_object()) malformed("has a region that is not an object");
    Region& region = regions.emplace_back();
    region.index = number32(one, "region");
    region.address = number(one, "address", kLargest);
    region.rkey = number32(one, "rkey");
    region.size = number(one, "size", kLargest);
    if (const std::uint64_t size = requested[regions.size() - 1].size; region.size != size)
      malformed("has a region of " + std::to_string(region.size) + " bytes, but " + std::to_string(size) +
                " were requested");
  }
  return regions;
}

std::string encode_free(std::uint32_t region) { return line_of({{"free", {{"region", region}}}}); }

std::string encode_open(const OpenQp& qp) {
  json open{{"transport", qp.transport == roce::Transport::kRc ? "rc" : "uc"},
            {"pmtu", qp.pmtu},
            {"psn", qp.psn},
            {"dest_qpn", qp.dest_qpn},
            {"ip", qp.ip.to_string()},
            {"receives", qp.receives},
            {"receive_size", qp.receive_size},
            {"max_dest_rd_atomic", qp.max_dest_rd_atomic},
            {"state", name_of(qp.state)}};
  if (qp.access) open["access"] = access_of(*qp.access);
  if (qp.min_rnr_timer) open["min_rnr_timer"] = *qp.min_rnr_timer;
  return line_of({{"open", std::move(open)}});
}

OpenedQp decode_open(std::string_view line) {
  const json object = parse_answer(line);
  return {number32(object, "qpn", kMaxQpn), address(object), mac_of(object)};
}

std::string encode_modify(roce::Qpn qpn, QpState state) {
  return line_of({{"modify", {{"qpn", qpn}, {"state", name_of(state)}}}});
}

std::string encode_state(roce::Qpn qpn) { return line_of({{"state", {{"qpn", qpn}}}}); }

std::string decode_state(std::string_view line) { return text(parse_answer(line), "state"); }

std::string encode_close(roce::Qpn qpn) { return line_of({{"close", {{"qpn", qpn}}}}); }

std::string encode_receive(roce::Qpn qpn, std::uint32_t count) {
  return line_of({{"receive", {{"qpn", qpn}, {"count", count}}}});
}

std::string encode_fill(std::uint8_t byte) { return line_of({{"fill", {{"byte", byte}}}}); }

std::string encode_fill(std::uint8_t byte, const MemoryRange& range) {
  json fill = range_of(range);
  fill["byte"] = byte;
  return line_of({{"fill", std::move(fill)}});
}

std::string encode_read(const MemoryRange& range) { return line_of({{"read", range_of(range)}}); }

std::vector<std::uint8_t> decode_data(std::string_view line, std::uint64_t length) {
  const std::string data = text(parse_answer(line), "data");
  if (data.size() % 2 != 0 || data.size() / 2 != length)
    malformed("has " + std::to_string(data.size()) + " digits of 'data' for " + std::to_string(length) +
              " bytes");
  std::vector<std::uint8_t> bytes;
  bytes.reserve(length);
  for (std::size_t i = 0; i < data.size(); i += 2) {
    const int high = digit(data[i]);
    const int low = digit(data[i + 1]);
    if (high < 0 || low < 0) malformed("has 'data' that is not hexadecimal: " + quote(data.substr(i, 2)));
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return bytes;
}

std::string encode_crc(const MemoryRange& range) { return line_of({{"crc", range_of(range)}}); }

std::uint32_t decode_crc(std::string_view line) { return number32(parse_answer(line), "crc"); }

std::string encode_completions() { return line_of({{"completions", true}}); }

std::vector<Completion> decode_completions(std::string_view line) {
  const json object = parse_answer(line);
  std::vector<Completion> all;
  for (const json& one : list(object, "completions")) all.push_back(decode_completion(one));
  return all;
}

std::string encode_arm(EventTrigger trigger) {
  return line_of({{"arm", trigger == EventTrigger::kSolicited ? "solicited" : "any"}});
}

std::string encode_event() { return line_of({{"event", true}}); }

bool decode_event(std::string_view line) { return flag(parse_answer(line), "event"); }

std::string encode_counters() { return line_of({{"counters", true}}); }

json decode_counters(std::string_view line) {
  const json object = parse_answer(line);
  json all;
  for (const char* kind : {"hw_counters", "counters"}) {
    const auto found = object.find(kind);
    if (found == object.end() || !(found->is_object() || found->is_null()))
      malformed(std::string("has no object '") + kind + "'");
    for (const auto& [name, value] : found->items()) {
      if (!value.is_number_unsigned()) malformed("has a counter " + quote(name) + " that is not a number");
    }
    all[kind] = *found;
  }
  return all;
}

void decode_done(std::string_view line, const char* key) {
  if (!parse_answer(line).contains(key)) malformed(std::string("has no '") + key + "'");
}

}  // namespace softfeb::peers::sink
