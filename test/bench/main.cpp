// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <iostream>

using namespace softfeb::bench;

int main(int argc, char** argv) {
  CLI::App top("Figures of softfeb's own parts, as JSON: medians over several runs, with their spread",
               "softfeb-bench");
  Commands commands(top);
  add_craft(commands);
  add_pacing(commands);
  add_reaction(commands);
  add_srp(commands);
  try {
    top.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return top.exit(e) == 0 ? 0 : 2;
  }
  try {
    return commands.run();
  } catch (const std::runtime_error& e) {  // EnvironmentError, SocketError, RegisterError
    std::cerr << "softfeb-bench: " << e.what() << "\n";
    return 3;
  }
}
