// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "load_file.hpp"
#include "value.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using nlohmann::json;

const char* access_name(Access access) {
  return access == Access::kReadOnly ? "RO" : access == Access::kReadWrite ? "RW" : "WO";
}

std::vector<Register> registers_of(const Catalogue& catalogue, const std::string& node) {
  return node.empty() ? catalogue.all() : catalogue.below(node);
}

std::string dump_text(const std::vector<Reading>& readings) {
  std::size_t width = 0;
  for (const Reading& r : readings) width = std::max(width, r.reg.path.size());
  std::string text;
  for (const Reading& r : readings)
    text += fmt::format("{:#010x}  {:<{}}  {}\n", r.reg.address, r.reg.path, width,
                        r.error.empty() ? value_text(r.reg, r.bits) : "refused: " + r.error);
  return text;
}

json dump_json(const std::vector<Reading>& readings) {
  json values = json::object();
  for (const Reading& r : readings)
    values[r.reg.path] = r.error.empty() ? value_json(r.reg, r.bits) : json{{"error", r.error}};
  return values;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw NoAnswer(path + ": cannot be written; fix: name a file in a writable folder");
}

}  // namespace

void list_command(Context& context, const ListOptions& options) {
  const std::vector<Register> registers = registers_of(context.catalogue, options.node);
  std::size_t width = 0;
  for (const Register& reg : registers) width = std::max(width, reg.path.size());
  std::string text;
  json list = json::array();
  for (const Register& reg : registers) {
    const std::string array = reg.elements == 0 ? "" : fmt::format("[{}]", reg.elements);
    text += fmt::format("{:#010x}  {:<{}}  {}  bits {}..{} {}\n", reg.address, reg.path, width,
                        access_name(reg.access), reg.bit_offset, reg.bit_offset + reg.bit_size - 1, array);
    list.push_back({{"path", reg.path},
                    {"address", fmt::format("{:#010x}", reg.address)},
                    {"bit_offset", reg.bit_offset},
                    {"bit_size", reg.bit_size},
                    {"mode", access_name(reg.access)}});
  }
  context.out.result(text, list);
}

void dump_command(Context& context, const DumpOptions& options) {
  std::vector<Register> registers = registers_of(context.catalogue, options.node);
  std::erase_if(registers,
                [&](const Register& reg) { return options.yaml ? !is_setting(reg) : !reg.readable(); });
  if (registers.empty())
    throw UsageError(fmt::format("no register below \"{}\" can be dumped", options.node));
  const std::vector<Reading> readings = read_registers(context.board(), registers);
  const auto refused = static_cast<std::size_t>(
      std::count_if(readings.begin(), readings.end(), [](const Reading& r) { return !r.error.empty(); }));
  if (options.yaml && refused != 0) throw Refusal(fmt::format("the board refused {} registers", refused));
  const std::string text = options.yaml         ? "# restore with febctl load\n" + write_values(readings)
                           : context.out.json() ? dump_json(readings).dump(1) + "\n"
                                                : dump_text(readings);
  if (!options.file.empty())
    write_file(options.file, text);
  else if (options.yaml)
    context.out.document(text);
  else
    context.out.result(text, dump_json(readings));
  if (refused != 0) throw Refusal(fmt::format("the board refused {} registers", refused));
}

}  // namespace softfeb::febctl
