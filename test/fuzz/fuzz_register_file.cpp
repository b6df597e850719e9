// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: reads arbitrary text as a file of registers (`febctl load`), as the name of a register and as a
// value. The text must be refused, or the values must fit their registers. The first two bytes select the
// register that gets the value, and how the text is read.
#include "catalogue.hpp"
#include "config/error.hpp"
#include "failure.hpp"
#include "input.hpp"
#include "load_file.hpp"
#include "value.hpp"

#include <string>

using namespace softfeb;
using namespace softfeb::febctl;
using fuzz::require;

namespace {

const Catalogue& catalogue() {
  static const Catalogue all(registers_of(board::default_profile()), own_registers());
  return all;
}

void check_file(const std::string& text) {
  try {
    for (const FileValue& value : read_values(catalogue(), text, "fuzz.yaml")) require(value.reg.writable());
  } catch (const config::ConfigError& error) {
    require(!error.problems().empty());
  }
}

/// Checks that every accepted value can be shown in all forms, and that every refusal has a message.
void check_value(const Register& reg, const std::string& text) {
  try {
    const Bits bits = parse_value(reg, text);
    const std::string shown = value_yaml(reg, bits);
    require(!value_text(reg, bits).empty() && !value_json(reg, bits).is_null());
    require(!shown.empty());
  } catch (const UsageError& error) {
    require(*error.what() != '\0');
  }
}

void check_name(const std::string& text) {
  try {
    require(!catalogue().resolve(text).empty());
    require(!catalogue().below(text).empty());
  } catch (const UsageError& error) {
    require(*error.what() != '\0');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 2), size - 2);
  const auto& all = catalogue().all();
  const std::uint16_t which = load_be16(data);
  // Most names are unknown, and searching for names similar to an unknown one takes most of the time. Files
  // and names are therefore tested only rarely.
  if (which % 32 == 0) return check_file(text), 0;
  if (which % 32 == 1) return check_name(text), 0;
  check_value(all[which / 32 % all.size()], text);
  return 0;
}
