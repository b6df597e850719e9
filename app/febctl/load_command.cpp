// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "failure.hpp"
#include "load_file.hpp"

#include <chrono>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

constexpr std::size_t kMaxFile = 16U << 20;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().size() > kMaxFile)
    throw UsageError(path + ": cannot be read; fix: name a YAML file of register values");
  return text.str();
}

}  // namespace

void load_command(Context& context, const LoadOptions& options) {
  using Steady = std::chrono::steady_clock;
  const std::vector<FileValue> values = read_values(context.catalogue, read_file(options.file), options.file);
  if (options.dry_run) {
    context.out.result(
        fmt::format("{}: {} values, all valid; nothing was written", options.file, values.size()),
        {{"legal", values.size()}, {"written", 0}});
    return;
  }
  std::size_t done = 0;
  Steady::time_point told = Steady::now();
  for (const FileValue& value : values) {
    try {
      write_register(context.board(), context.catalogue, value.reg, value.bits, {.verify = options.verify});
    } catch (const Refusal& error) {
      throw Refusal(fmt::format("{}:{}: {} ({} of {} values were written before it)", options.file,
                                value.where.line, error.what(), done, values.size()));
    }
    ++done;
    if (Steady::now() - told < std::chrono::seconds(1)) continue;
    told = Steady::now();
    context.out.note(fmt::format("{} of {} values", done, values.size()));
  }
  context.out.result(fmt::format("{} values written{}", done, options.verify ? " and read back" : ""),
                     {{"legal", values.size()}, {"written", done}});
}

}  // namespace softfeb::febctl
