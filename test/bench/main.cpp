// SPDX-License-Identifier: BSD-3-Clause
#include "craft.hpp"

#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>

using namespace softfeb::bench;

int main(int argc, char** argv) {
  CLI::App top("Figures of softfeb's own parts, as JSON: medians over several runs, with their spread",
               "softfeb-bench");
  top.require_subcommand(1);
  CraftOptions craft;
  std::string icrc = "known";
  std::string json;
  CLI::App* const c = top.add_subcommand("craft", "Frames a board makes in a second on one core");
  c->add_option("--pmtu", craft.pmtu, "Path MTU in bytes")
      ->check(CLI::IsMember({256, 512, 1024, 2048, 4096}));
  c->add_option("--icrc", icrc, "known: payload CRCs prepared beforehand; full: over every byte")
      ->check(CLI::IsMember({"known", "full"}));
  c->add_option("--qps", craft.qps, "Queue pairs that take turns")->check(CLI::Range(1, 1'000'000));
  c->add_option("--runs", craft.runs, "Runs the median is of")->check(CLI::Range(1, 1000));
  c->add_option("--json", json, "Write the result to this file instead of standard output")
      ->type_name("FILE");
  try {
    top.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return top.exit(e) == 0 ? 0 : 2;
  }
  craft.known_crc = icrc == "known";
  const std::string text = bench_craft(craft).dump(1) + "\n";
  if (json.empty()) {
    std::cout << text;
    return 0;
  }
  std::ofstream file(json);
  file << text;
  file.close();
  if (!file) {
    std::cerr << "softfeb-bench: cannot write " << json << "; name a file in a folder you may write to\n";
    return 3;
  }
  return 0;
}
