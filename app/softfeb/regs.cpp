// SPDX-License-Identifier: BSD-3-Clause
#include "regs.hpp"

#include "base/exit_code.hpp"
#include "board/profile.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace softfeb::app {
namespace {

using board::Profile;
using board::Register;

std::string profile_list() {
  std::string out;
  for (const Profile& p : board::profiles()) out += (out.empty() ? "" : ", ") + p.name();
  return out;
}

/// Formats the reset value, which is the same for each element of an array.
std::string reset(const Register& r) { return fmt::format("0x{:X}", r.reset); }

void print_csv(const Profile& profile) {
  fmt::print("path,address,bit_offset,bit_size,mode,reset\n");
  for (const Register& r : profile.map().all()) {
    fmt::print("{},0x{:08X},{},{},{},{}\n", r.path, r.address, r.bit_offset, r.bit_size, to_string(r.access),
               reset(r));
  }
}

nlohmann::ordered_json as_json(const Register& r) {
  nlohmann::ordered_json j{{"path", r.path},
                           {"kind", to_string(r.kind)},
                           {"address", r.address},
                           {"bit_offset", r.bit_offset},
                           {"bit_size", r.bit_size},
                           {"mode", to_string(r.access)},
                           {"base", r.base()},
                           {"num_values", r.num_values},
                           {"value_bits", r.value_bits},
                           {"poll_interval_s", r.poll_interval_s},
                           {"reset", r.reset}};
  if (!r.texts.empty()) {
    nlohmann::ordered_json texts = nlohmann::ordered_json::object();
    for (const board::EnumText& t : r.texts) texts[std::to_string(t.value)] = t.text;
    j["enum"] = std::move(texts);
  }
  return j;
}

void print_json(const Profile& profile) {
  nlohmann::ordered_json registers = nlohmann::ordered_json::array();
  for (const Register& r : profile.map().all()) registers.push_back(as_json(r));
  const nlohmann::ordered_json j{
      {"profile", profile.name()}, {"text", profile.text()}, {"registers", std::move(registers)}};
  fmt::print("{}\n", j.dump(2));
}

std::string bits(const Register& r) {
  if (r.bit_size > 32) return fmt::format("{} bits", r.bit_size);
  if (r.bit_size == 32) return "";
  if (r.bit_size == 1) return fmt::format("[{}]", r.bit_offset);
  return fmt::format("[{}:{}]", r.bit_offset + r.bit_size - 1, r.bit_offset);
}

void print_table(const Profile& profile) {
  fmt::print("{}: {}\n{} registers\n\n", profile.name(), profile.text(), profile.map().all().size());
  fmt::print("{:<10}  {:<9}  {:<4}  {:<11}  {:<10}  {}\n", "address", "bits", "mode", "base", "reset",
             "path");
  for (const Register& r : profile.map().all()) {
    fmt::print("0x{:08X}  {:<9}  {:<4}  {:<11}  {:<10}  {}{}\n", r.address, bits(r), to_string(r.access),
               r.base(), reset(r), r.path,
               r.num_values > 0 ? fmt::format("  ({} values)", r.num_values) : std::string());
  }
}

}  // namespace

int regs(const RegsOptions& options) {
  const Profile* const profile =
      options.profile.empty() ? &board::default_profile() : board::find_profile(options.profile);
  if (profile == nullptr) {
    fmt::print(stderr, "softfeb: unknown profile \"{}\"; fix: use one of {}\n", options.profile,
               profile_list());
    return kBadUsage;
  }
  if (options.csv) {
    print_csv(*profile);
  } else if (options.json) {
    print_json(*profile);
  } else {
    print_table(*profile);
  }
  return kDone;
}

}  // namespace softfeb::app
