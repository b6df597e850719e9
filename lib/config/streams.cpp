// SPDX-License-Identifier: BSD-3-Clause
// Section `streams` of a receiver.
#include "config/checks.hpp"
#include "config/draft.hpp"
#include "config/emit.hpp"
#include "config/units.hpp"
#include "engine/endpoint.hpp"

namespace softfeb::config {
namespace {

constexpr std::uint64_t kMostStreamMemory = std::uint64_t{4} << 30;

}  // namespace

StreamsConfig read_streams(Section s) {
  StreamsConfig c;
  c.where = s.where();
  s.read("first_port", c.buffers.first_port, integer(1, 65'535));
  s.read("streams", c.buffers.streams, integer(1, 1024));
  s.read("buffers", c.buffers.buffers, integer(1, 65'536));
  s.read("size", c.buffers.size, size_in(1, 1U << 30, "the size of a buffer"));
  s.read("timeout", c.buffers.timeout, parse_time);
  s.read("hold", c.hold, parse_time);
  s.close();
  return c;
}

void check_streams(Reading& reading, const RunConfig& config) {
  for (const ReceiverConfig& receiver : config.receivers) {
    if (!receiver.streams) continue;
    const StreamsConfig& c = *receiver.streams;
    const auto problem = [&](const char* key, std::string message, std::string fix) {
      reading.problem(config.place(c.where, key), std::move(message), std::move(fix));
    };
    const std::uint32_t first = c.buffers.first_port, end = first + c.buffers.streams;
    if (end > 65'536)
      problem("first_port", "the last port exceeds 65535", "start with a lower port, or use fewer streams");
    for (const std::uint32_t port :
         {std::uint32_t{roce::kRoceUdpPort}, std::uint32_t{config.run.cc_port},
          std::uint32_t{engine::kRegisterUdpPort}, std::uint32_t{engine::kStreamUdpPort}}) {
      if (port < first || port >= end) continue;
      problem("first_port", "UDP port " + std::to_string(port) + " has another use",
              "choose a range of ports without it, for example from 6000");
    }
    if (c.buffers.timeout == 0)
      problem("timeout", "buffers would close at once", "write a longer time, for example 100us");
    if (std::uint64_t{c.buffers.streams} * c.buffers.buffers * c.buffers.size > kMostStreamMemory)
      problem("size", "the buffers take more than 4 GiB", "use fewer or smaller buffers");
  }
}

Json emit_streams(const StreamsConfig& c) {
  return {{"first_port", c.buffers.first_port},
          {"streams", c.buffers.streams},
          {"buffers", c.buffers.buffers},
          {"size", format_size(c.buffers.size)},
          {"timeout", format_time(c.buffers.timeout)},
          {"hold", format_time(c.hold)}};
}

}  // namespace softfeb::config
