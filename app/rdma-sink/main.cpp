// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/event_file.hpp"
#include "server.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

namespace {

using namespace softfeb;

/// Creates the event file. Returns null if the options name no event file. Throws EventFileError.
std::unique_ptr<eventfile::EventFile> create_event_file(const sink::Options& options) {
  if (!options.events || options.events->out.empty()) return nullptr;
  const sink::EventOptions& events = *options.events;
  eventfile::EventFileConfig config;
  config.path = events.out;
  config.boards = events.layout.boards;
  config.piece = events.layout.piece;
  config.channels = static_cast<std::uint16_t>(events.channels);
  config.samples = static_cast<std::uint16_t>(events.samples);
  config.run = events.run;
  config.open_events = std::max<std::size_t>(config.open_events, 2 * std::size_t{events.window});
  config.configuration = options.command_line;
  return std::make_unique<eventfile::EventFile>(config);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace softfeb::sink;
  const Options options = parse_command_line(argc, argv);
  try {
    const Device device(options.device, static_cast<std::uint8_t>(options.ib_port));
    if (const std::string missing = missing_feature(options, device.limits()); !missing.empty())
      throw NoDevice(device.name() + ": " + missing);
    const auto events = create_event_file(options);
    return Server(device, options, events.get()).run() ? 0 : 1;
  } catch (const softfeb::eventfile::EventFileError& error) {
    std::fprintf(stderr, "rdma-sink: %s\n", error.what());
    return 2;
  } catch (const NoDevice& error) {
    std::fprintf(stderr, "rdma-sink: %s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rdma-sink: %s\n", error.what());
    return 1;
  }
}
