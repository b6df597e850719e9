// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "value.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using nlohmann::json;

/// One (name or address, value) pair from the command line, validated before anything is sent.
struct Plan {
  std::optional<Register> reg;
  Bits bits;
  std::uint32_t address = 0;  ///< address of the first word, if the pair names no register
  std::vector<std::uint32_t> words;
};

std::vector<std::uint32_t> parse_words(const std::string& address, const std::string& text) {
  std::vector<std::uint32_t> words;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    std::uint64_t value = 0;
    if (!parse_number(rest.substr(0, comma), value) || value > 0xffff'ffff) {
      throw UsageError(
          fmt::format("{}: \"{}\" is not a 32-bit word; fix: use a number up to 0xffffffff, or several "
                      "separated by commas for consecutive words",
                      address, text));
    }
    words.push_back(static_cast<std::uint32_t>(value));
    if (comma == std::string_view::npos) return words;
    rest.remove_prefix(comma + 1);
  }
}

Plan plan_pair(const Catalogue& catalogue, const std::string& name, const std::string& value) {
  const Target target = parse_target(catalogue, name);
  if (target.range) {
    if (name.find(':') != std::string::npos)
      throw UsageError(fmt::format("\"{}\" is a range; fix: write ADDRESS WORD,WORD,…", name));
    const std::vector<std::uint32_t> words = parse_words(name, value);
    if (words.size() > 1024)
      throw UsageError(fmt::format("{}: more than 1024 words; fix: use several writes", name));
    return {std::nullopt, {}, target.range->address, words};
  }
  if (target.registers.size() != 1)
    throw UsageError(fmt::format("\"{}\" names {} registers; fix: name one", name, target.registers.size()));
  const Register& reg = target.registers.front();
  if (!reg.writable()) throw UsageError(fmt::format("{} is read-only; nothing was written", reg.path));
  return {reg, parse_value(reg, value), 0, {}};
}

}  // namespace

void write_command(Context& context, const WriteOptions& options) {
  if (options.words.size() % 2 != 0)
    throw UsageError(
        fmt::format("no value for \"{}\"; fix: write NAME VALUE NAME VALUE …", options.words.back()));
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < options.words.size(); i += 2)
    plans.push_back(plan_pair(context.catalogue, options.words[i], options.words[i + 1]));
  const WriteMode mode{options.verify, options.posted};
  std::string text;
  json list = json::array();
  for (const Plan& plan : plans) {
    if (plan.reg) {
      write_register(context.board(), context.catalogue, *plan.reg, plan.bits, mode);
      text += fmt::format("{} = {}\n", plan.reg->path, value_text(*plan.reg, plan.bits));
      list.push_back({{"path", plan.reg->path}, {"value", value_json(*plan.reg, plan.bits)}});
    } else {
      write_words(context.board(), context.catalogue, plan.address, plan.words, mode);
      text +=
          fmt::format("{:#010x} = {:#x}{}\n", plan.address, plan.words.front(),
                      plan.words.size() > 1 ? fmt::format(" and {} more words", plan.words.size() - 1) : "");
      list.push_back({{"address", fmt::format("{:#010x}", plan.address)}, {"words", plan.words}});
    }
  }
  context.out.result(text, list);
}

}  // namespace softfeb::febctl
