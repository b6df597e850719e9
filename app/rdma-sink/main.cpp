// SPDX-License-Identifier: BSD-3-Clause
#include "server.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  using namespace softfeb::sink;
  const Options options = parse_command_line(argc, argv);
  try {
    const Device device(options.device, static_cast<std::uint8_t>(options.ib_port));
    return Server(device, options).run() ? 0 : 1;
  } catch (const NoDevice& error) {
    std::fprintf(stderr, "rdma-sink: %s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rdma-sink: %s\n", error.what());
    return 1;
  }
}
