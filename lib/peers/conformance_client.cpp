// SPDX-License-Identifier: BSD-3-Clause
#include "peers/conformance_client.hpp"

#include <algorithm>

namespace softfeb::peers {

namespace {

/// Maximum length of an answer in bytes. The longest answers, those to `read` and `completions`, have only
/// about 2 MiB.
constexpr std::size_t kLongestAnswer = std::size_t{16} << 20;
/// Maximum number of bytes that one `read` requests, even if the receiver permits more.
constexpr std::uint64_t kLargestRead = 1U << 20;

constexpr const char* kSinkOutput = "see rdma-sink's output";

}  // namespace

template <class Decode>
auto ConformanceSession::ask(const std::string& request, const char* waiting_for, Decode decode) {
  link_.write(request, waiting_for, kSinkOutput);
  const std::string line = link_.read_line(kLongestAnswer, link_.timeouts().step, waiting_for, kSinkOutput);
  return link_.named([&] { return decode(line); });
}

ConformanceSession::ConformanceSession(const PeerUrl& url, const roce::IpAddress& ip,
                                       const PeerTimeouts& timeouts)
    : link_(url, timeouts) {
  if (url.kind != PeerKind::kSink)
    link_.fail(PeerFault::kConfiguration,
               "perftest has no conformance sessions; fix: use rdma-sink and sink://");
  link_.connect("start rdma-sink there, and check host, port and firewall");
  device_ = ask(sink::encode_conformance_hello(ip), "its device", sink::decode_target);
  if (device_.ip.is_v4() != ip.is_v4())
    link_.fail(PeerFault::kConfiguration, "its GID is " + device_.ip.to_string() + ", ours " +
                                              ip.to_string() +
                                              "; give rdma-sink the GID index for this kind of address");
}

std::vector<Region> ConformanceSession::regions(const std::vector<RegionRequest>& requests) {
  return ask(sink::encode_regions(requests), "its regions",
             [&](const std::string& line) { return sink::decode_regions(line, requests); });
}

void ConformanceSession::free(const Region& region) {
  ask(sink::encode_free(region.index), "the end of a region",
      [](const std::string& line) { sink::decode_done(line, "freed"); });
}

OpenedQp ConformanceSession::open(const OpenQp& qp) {
  return ask(sink::encode_open(qp), "its queue pair", sink::decode_open);
}

std::string ConformanceSession::modify(roce::Qpn qpn, QpState state) {
  return ask(sink::encode_modify(qpn, state), "the state of a queue pair", sink::decode_state);
}

std::string ConformanceSession::state(roce::Qpn qpn) {
  return ask(sink::encode_state(qpn), "the state of a queue pair", sink::decode_state);
}

void ConformanceSession::close(roce::Qpn qpn) {
  ask(sink::encode_close(qpn), "the end of a queue pair",
      [](const std::string& line) { sink::decode_done(line, "closed"); });
}

void ConformanceSession::receive(roce::Qpn qpn, std::uint32_t count) {
  ask(sink::encode_receive(qpn, count), "its receives",
      [](const std::string& line) { sink::decode_done(line, "posted"); });
}

void ConformanceSession::fill(std::uint8_t byte) {
  ask(sink::encode_fill(byte), "its memory",
      [](const std::string& line) { sink::decode_done(line, "filled"); });
}

void ConformanceSession::fill(const Region& region, std::uint8_t byte) {
  fill(MemoryRange{region.index, 0, region.size}, byte);
}

void ConformanceSession::fill(const MemoryRange& range, std::uint8_t byte) {
  ask(sink::encode_fill(byte, range), "its memory",
      [](const std::string& line) { sink::decode_done(line, "filled"); });
}

std::vector<std::uint8_t> ConformanceSession::read(const MemoryRange& range) {
  const std::uint64_t largest = std::min<std::uint64_t>(device_.limits.read, kLargestRead);
  std::vector<std::uint8_t> all;
  MemoryRange part = range;
  do {
    part.length = std::min(range.length - all.size(), largest);
    const auto bytes = ask(sink::encode_read(part), "its memory",
                           [&](const std::string& line) { return sink::decode_data(line, part.length); });
    all.insert(all.end(), bytes.begin(), bytes.end());
    part.offset += static_cast<std::int64_t>(part.length);
  } while (all.size() != range.length);
  return all;
}

std::uint32_t ConformanceSession::crc(const MemoryRange& range) {
  return ask(sink::encode_crc(range), "the CRC of its memory", sink::decode_crc);
}

std::vector<Completion> ConformanceSession::completions() {
  return ask(sink::encode_completions(), "its completions", sink::decode_completions);
}

void ConformanceSession::arm(EventTrigger trigger) {
  ask(sink::encode_arm(trigger), "its completion queue",
      [](const std::string& line) { sink::decode_done(line, "armed"); });
}

bool ConformanceSession::event() {
  return ask(sink::encode_event(), "its completion queue", sink::decode_event);
}

nlohmann::json ConformanceSession::counters() {
  return ask(sink::encode_counters(), "its counters", sink::decode_counters);
}

}  // namespace softfeb::peers
