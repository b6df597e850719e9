// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: parses arbitrary lines as the requests that rdma-sink's clients send: those of ordinary sessions
// and of conformance sessions. A line must be refused, or its values must be within their ranges.
#include "conformance_requests.hpp"
#include "hello.hpp"
#include "input.hpp"
#include "roce/work.hpp"

#include <string_view>

using namespace softfeb;
using namespace softfeb::sink;
using fuzz::require;

namespace {

void check_hello(const nlohmann::json& line) {
  const Hello hello = parse_hello(line);
  require(!hello.qps.empty() && roce::pmtu_legal(hello.pmtu));
  for (const PeerQp& qp : hello.qps)
    require(qp.qpn <= 0xffffff && qp.psn <= 0xffffff && qp.ip.is_v4() == hello.ip.is_v4());
  if (hello.events) require(hello.events->layout.boards == hello.qps.size());
}

struct Checker {
  void operator()(const RegionsRequest& r) const {
    require(r.regions.size() <= kMaxRegions);
    for (const RegionRequest& region : r.regions) require(region.size <= kMaxRegion);
  }
  void operator()(const OpenRequest& r) const {
    require(roce::pmtu_legal(r.pmtu) && r.receives <= kMaxReceives && r.receive_size <= kMaxReceiveSize);
  }
  void operator()(const ReceiveRequest& r) const { require(r.count > 0 && r.count <= kMaxReceives); }
  void operator()(const ReadRequest& r) const {
    check(r.range);
    require(r.range.length <= kMaxRead);
  }
  void operator()(const CrcRequest& r) const { check(r.range); }
  void operator()(const FillRequest& r) const {
    if (r.range) check(*r.range);
  }
  template <class Other>
  void operator()(const Other&) const {}

  static void check(const MemoryRange& range) {
    require(range.offset >= -static_cast<std::int64_t>(kGuard) && range.length <= kMaxRegion + 2 * kGuard);
  }
};

template <class Parse>
void parse(Parse run) {
  try {
    run();
  } catch (const Refusal& refusal) {
    require(*refusal.what() != '\0');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  nlohmann::json line;
  parse([&] { line = parse_line(text); });
  if (!line.is_object()) return 0;
  parse([&] { check_hello(line); });
  parse([&] { parse_post_receives(line); });
  parse([&] {
    if (line.contains("end")) require(parse_end(line).messages <= std::uint64_t{1} << 62);
  });
  parse([&] {
    if (wants_conformance(line)) parse_conformance_hello(line);
  });
  parse([&] { std::visit(Checker{}, parse_conformance_request(line)); });
  return 0;
}
