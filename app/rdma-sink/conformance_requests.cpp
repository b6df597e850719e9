// SPDX-License-Identifier: BSD-3-Clause
#include "conformance_requests.hpp"

#include "fields.hpp"

#include <array>
#include <limits>

namespace softfeb::sink {

namespace {

using nlohmann::json;

constexpr std::uint32_t kMaxRnrTimer = 31;  // the field has 5 bits (IBA, section 9.7.5.2.8)
constexpr std::uint32_t kMax8 = 0xff;

void add_access(const json& name, RemoteAccess& access) {
  if (name == "write")
    access.write = true;
  else if (name == "read")
    access.read = true;
  else if (name == "atomic")
    access.atomic = true;
  else
    throw Refusal("'access' may contain \"write\", \"read\" and \"atomic\"");
}

/// Parses the member `access`, which is one name or a list of names. Returns an empty value if it is missing.
std::optional<RemoteAccess> parse_access(const json& object) {
  const auto value = object.find("access");
  if (value == object.end()) return std::nullopt;
  RemoteAccess access;
  if (value->is_array())
    for (const json& name : *value) add_access(name, access);
  else
    add_access(*value, access);
  return access;
}

RegionRequest parse_region(const json& object) {
  if (!object.is_object())
    throw Refusal("each element of 'regions' must be an object, such as {\"size\": 4096}");
  check_members(object, "a region", {"size", "access", "other_pd", "deregistered"});
  RegionRequest region;
  region.size = number(object, "size", kMaxRegion, kDefaultRegion);
  if (region.size == 0) throw Refusal("'size' must be at least 1");
  region.access = parse_access(object);
  region.other_pd = flag(object, "other_pd");
  region.deregistered = flag(object, "deregistered");
  return region;
}

ConformanceRequest parse_regions(const json& line) {
  const json& list = line.at("regions");
  if (!list.is_array() || list.empty() || list.size() > kMaxRegions)
    throw Refusal("'regions' must be a list of 1 to " + std::to_string(kMaxRegions) + " regions");
  RegionsRequest request;
  for (const json& region : list) request.regions.push_back(parse_region(region));
  return request;
}

ConformanceRequest parse_free(const json& line) {
  return FreeRequest{number32(object_at(line, "free", {"region"}), "region", kMax32)};
}

ConformanceRequest parse_open(const json& line) {
  const json& object = object_at(line, "open",
                                 {"transport", "pmtu", "psn", "dest_qpn", "ip", "access", "receives",
                                  "receive_size", "min_rnr_timer", "max_dest_rd_atomic", "state"});
  OpenRequest open;
  open.transport = parse_transport(object);
  open.pmtu = parse_pmtu(object);
  open.psn = number32(object, "psn", kMax24);
  open.dest_qpn = number32(object, "dest_qpn", kMax24);
  open.ip = parse_address(object, "ip");
  open.access = parse_access(object);
  open.receives = number32(object, "receives", kMaxReceives, 0);
  open.receive_size = number32(object, "receive_size", kMaxReceiveSize, 0);
  if (object.contains("min_rnr_timer"))
    open.min_rnr_timer = static_cast<std::uint8_t>(number32(object, "min_rnr_timer", kMaxRnrTimer));
  open.max_dest_rd_atomic = static_cast<std::uint8_t>(number32(object, "max_dest_rd_atomic", kMax8, 1));
  if (object.contains("state")) open.state = parse_qp_state(text(object, "state"));
  if (open.transport == roce::Transport::kUc && open.access && (open.access->read || open.access->atomic))
    throw Refusal("a UC queue pair has only the access \"write\"");
  return open;
}

ConformanceRequest parse_modify(const json& line) {
  const json& object = object_at(line, "modify", {"qpn", "state"});
  return ModifyRequest{number32(object, "qpn", kMax24), parse_qp_state(text(object, "state"))};
}

template <class Request>
ConformanceRequest parse_qpn(const json& line, const char* key) {
  return Request{number32(object_at(line, key, {"qpn"}), "qpn", kMax24)};
}

ConformanceRequest parse_state(const json& line) { return parse_qpn<StateRequest>(line, "state"); }
ConformanceRequest parse_close(const json& line) { return parse_qpn<CloseRequest>(line, "close"); }

ConformanceRequest parse_receive(const json& line) {
  const json& object = object_at(line, "receive", {"qpn", "count"});
  return ReceiveRequest{number32(object, "qpn", kMax24), positive(object, "count", kMaxReceives)};
}

MemoryRange parse_range(const json& object, std::uint64_t longest) {
  MemoryRange range;
  range.region = number32(object, "region", kMax32, 0);
  const auto offset = object.find("offset");
  const auto least = -static_cast<std::int64_t>(kGuard);
  const bool negative = offset != object.end() && offset->is_number_integer() &&
                        !offset->is_number_unsigned() && offset->get<std::int64_t>() >= least;
  range.offset = negative ? offset->get<std::int64_t>()
                          : static_cast<std::int64_t>(number(object, "offset", kMaxRegion + kGuard));
  range.length = number(object, "length", longest);
  return range;
}

ConformanceRequest parse_fill(const json& line) {
  const json& object = object_at(line, "fill", {"byte", "region", "offset", "length"});
  FillRequest fill;
  fill.byte = static_cast<std::uint8_t>(number32(object, "byte", kMax8));
  if (object.contains("region")) fill.region = number32(object, "region", kMax32);
  if (!object.contains("offset") && !object.contains("length")) return fill;
  if (!fill.region) throw Refusal("'offset' and 'length' of 'fill' need a 'region'");
  fill.range = parse_range(object, kMaxRegion + 2 * kGuard);
  return fill;
}

ConformanceRequest parse_read(const json& line) {
  return ReadRequest{parse_range(object_at(line, "read", {"region", "offset", "length"}), kMaxRead)};
}

ConformanceRequest parse_crc(const json& line) {
  return CrcRequest{
      parse_range(object_at(line, "crc", {"region", "offset", "length"}), kMaxRegion + 2 * kGuard)};
}

template <class Request>
ConformanceRequest parse_true(const json& line, const char* key) {
  if (line.at(key) != true) throw Refusal(std::string("'") + key + "' must be true");
  return Request{};
}

ConformanceRequest parse_completions(const json& line) {
  return parse_true<CompletionsRequest>(line, "completions");
}
ConformanceRequest parse_event(const json& line) { return parse_true<EventRequest>(line, "event"); }
ConformanceRequest parse_counters(const json& line) { return parse_true<CountersRequest>(line, "counters"); }

ConformanceRequest parse_arm(const json& line) {
  const json& which = line.at("arm");
  if (which != "solicited" && which != "any") throw Refusal("'arm' must be \"solicited\" or \"any\"");
  return ArmRequest{which == "solicited"};
}

struct RequestKind {
  const char* key;
  ConformanceRequest (*parse)(const json& line);
};

constexpr std::array<RequestKind, std::variant_size_v<ConformanceRequest>> kRequestKinds{
    {{"regions", parse_regions},
     {"free", parse_free},
     {"open", parse_open},
     {"modify", parse_modify},
     {"state", parse_state},
     {"close", parse_close},
     {"receive", parse_receive},
     {"fill", parse_fill},
     {"read", parse_read},
     {"crc", parse_crc},
     {"completions", parse_completions},
     {"arm", parse_arm},
     {"event", parse_event},
     {"counters", parse_counters}}};

}  // namespace

bool wants_conformance(const json& line) { return flag(line, "conformance"); }

ConformanceHello parse_conformance_hello(const json& line) {
  check_version(line);
  check_members(line, "the first line of a conformance session", {"version", "conformance", "ip"});
  return {parse_address(line, "ip")};
}

ConformanceRequest parse_conformance_request(const json& line) {
  if (line.size() == 1) {
    for (const RequestKind& kind : kRequestKinds)
      if (line.contains(kind.key)) return kind.parse(line);
  }
  std::string known;
  for (const RequestKind& kind : kRequestKinds) known += (known.empty() ? "" : ", ") + std::string(kind.key);
  throw Refusal("a line of a conformance session must contain exactly one request: " + known);
}

}  // namespace softfeb::sink
