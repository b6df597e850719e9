// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "stop.hpp"
#include "value.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using nlohmann::json;

constexpr std::uint32_t kMaxAccess = 4096;
constexpr std::uint32_t kWordsALine = 8;

/// Returns the registers and ranges given on the command line, in order.
std::vector<Target> targets_of(const Catalogue& catalogue, const std::vector<std::string>& words) {
  std::vector<Target> targets;
  for (const std::string& word : words) {
    Target target = parse_target(catalogue, word);
    const bool pattern = target.registers.size() > 1;
    for (const Register& reg : target.registers) {
      if (!reg.readable() && !pattern) throw UsageError(reg.path + " is write-only; fix: remove it");
    }
    std::erase_if(target.registers, [](const Register& reg) { return !reg.readable(); });
    targets.push_back(std::move(target));
  }
  return targets;
}

json register_json(const Reading& r) {
  json j{{"path", r.reg.path}, {"address", fmt::format("{:#010x}", r.reg.address)}};
  if (r.error.empty()) {
    j["value"] = value_json(r.reg, r.bits);
    j["text"] = value_text(r.reg, r.bits);
  } else {
    j["error"] = r.error;
  }
  return j;
}

std::string register_line(const Reading& r, std::size_t width) {
  return fmt::format("{:<{}}  {}\n", r.reg.path, width,
                     r.error.empty() ? value_text(r.reg, r.bits) : "refused: " + r.error);
}

struct Found {
  std::string text;
  json list = json::array();
  std::size_t refused = 0;
};

void read_names(Context& context, const std::vector<Register>& registers, std::size_t width, Found& found) {
  for (const Reading& r : read_registers(context.board(), registers)) {
    found.text += register_line(r, width);
    found.list.push_back(register_json(r));
    if (!r.error.empty()) ++found.refused;
  }
}

void read_range(Context& context, const Range& range, Found& found) {
  std::vector<Range> pieces;
  for (std::uint32_t at = 0; at < range.bytes; at += kMaxAccess)
    pieces.push_back({range.address + at, std::min(kMaxAccess, range.bytes - at)});
  const std::vector<ReadResult> results = context.board().read_many(pieces);
  json words = json::array();
  std::string error;
  for (std::size_t i = 0; i < pieces.size() && error.empty(); ++i) {
    error = results[i].error;
    for (std::uint32_t at = 0; at < results[i].bytes.size(); at += 4) {
      const std::uint32_t word = load_le32(&results[i].bytes[at]);
      if (words.size() % kWordsALine == 0)
        found.text += fmt::format("{}{:#010x} ", words.empty() ? "" : "\n", pieces[i].address + at);
      found.text += fmt::format(" {:08x}", word);
      words.push_back(word);
    }
  }
  if (range.bytes == 4 && !words.empty()) {
    const std::string names = context.catalogue.names_at(range.address);
    if (!names.empty()) found.text += "  " + names;
  }
  if (!words.empty()) found.text += "\n";
  json j{{"address", fmt::format("{:#010x}", range.address)}, {"words", words}};
  if (!error.empty()) {
    found.text += fmt::format("{:#010x}  refused: {}\n", range.address + 4 * words.size(), error);
    j["error"] = error;
    ++found.refused;
  }
  found.list.push_back(std::move(j));
}

Found read_all(Context& context, const std::vector<Target>& targets) {
  std::size_t width = 0;
  for (const Target& target : targets) {
    for (const Register& reg : target.registers) width = std::max(width, reg.path.size());
  }
  Found found;
  for (const Target& target : targets) {
    if (target.range)
      read_range(context, *target.range, found);
    else
      read_names(context, target.registers, width, found);
  }
  return found;
}

}  // namespace

void read_command(Context& context, const ReadOptions& options) {
  const std::vector<Target> targets = targets_of(context.catalogue, options.what);
  std::size_t refused = 0;
  std::uint64_t round = 0;
  do {
    const Found found = read_all(context, targets);
    refused += found.refused;
    context.out.result((round == 0 ? "" : "\n") + found.text, found.list);
    ++round;
  } while (options.watch && (options.times == 0 || round < options.times) &&
           pause_for(std::chrono::duration<double>(*options.watch)));
  if (refused != 0) throw Refusal(fmt::format("the board refused {} of the accesses", refused));
}

}  // namespace softfeb::febctl
