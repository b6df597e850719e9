// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "dataplane/error.hpp"
#include "peers/peer.hpp"

#include <iostream>

using namespace softfeb::bench;

int main(int argc, char** argv) {
  CLI::App top("Figures of softfeb's own parts, as JSON: medians over several runs, with their spread",
               "softfeb-bench");
  Commands commands(top);
  for (const auto add : {add_craft, add_responder, add_loop, add_latency, add_pacing, add_reaction, add_srp,
                         add_crc, add_dcqcn, add_congestion, add_event_file, add_references, add_all}) {
    add(commands);
  }
  try {
    top.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return top.exit(e) == 0 ? 0 : 2;
  }
  try {
    return commands.run();
  } catch (const softfeb::peers::PeerError& e) {
    std::cerr << "softfeb-bench: " << e.what() << "\n";
    return e.exit_code();
  } catch (const softfeb::dataplane::RequestError& e) {
    std::cerr << "softfeb-bench: " << e.what() << "\n";
    return 2;
  } catch (const std::runtime_error& e) {  // base class of EnvironmentError, SocketError and RegisterError
    std::cerr << "softfeb-bench: " << e.what() << "\n";
    return 3;
  }
}
