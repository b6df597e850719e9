// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue.hpp"

#include "config/error.hpp"
#include "failure.hpp"
#include "value.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

constexpr std::size_t kListed = 6;

bool ends_in(std::string_view path, std::string_view name) {
  if (!path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '.';
}

bool is_pattern(std::string_view name) { return name.find_first_of("*?") != std::string_view::npos; }

bool matches_end(std::string_view pattern, std::string_view path) {
  if (matches(pattern, path)) return true;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    if (matches(pattern, path.substr(dot + 1))) return true;
  }
  return false;
}

/// Returns the last `count` components of a path.
std::string_view last_components(std::string_view path, std::size_t count) {
  for (std::size_t at = path.size(); at-- > 0;) {
    if (path[at] == '.' && --count == 0) return path.substr(at + 1);
  }
  return path;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kListed) text += fmt::format(" and {} more", names.size() - kListed);
  return text;
}

/// Removes the index from a name such as "Name[3]" and returns it (3).
std::optional<std::uint32_t> take_index(std::string_view& name) {
  const std::size_t open = name.rfind('[');
  std::uint64_t index = 0;
  if (open == std::string_view::npos || !name.ends_with(']')) return std::nullopt;
  if (!parse_number(name.substr(open + 1, name.size() - open - 2), index) || index > 0xffff)
    return std::nullopt;
  name = name.substr(0, open);
  return static_cast<std::uint32_t>(index);
}

std::vector<Register> second_names(const std::vector<Register>& registers) {
  std::vector<Register> second;
  for (const Register& reg : registers) {
    const std::size_t raw = reg.path.rfind("Raw");
    if (reg.form == NetworkForm::kNone || raw == std::string::npos) continue;
    second.push_back(reg);
    second.back().path.erase(raw, 3);
    second.back().human = true;
  }
  return second;
}

std::uint32_t bits_in_word(const Register& reg, std::uint32_t address) {
  // Number of the first bit of the word at `address`, counted from the first bit of the word at reg.address.
  const std::uint64_t word = (std::uint64_t{address} - reg.address) * 8;
  const std::uint64_t begin = std::max<std::uint64_t>(reg.bit_offset, word);
  const std::uint64_t end = std::min<std::uint64_t>(reg.bit_offset + reg.bit_size, word + 32);
  if (begin >= end) return 0;
  return static_cast<std::uint32_t>(((std::uint64_t{1} << (end - begin)) - 1) << (begin - word));
}

bool covers(const Register& reg, std::uint32_t address) {
  const Range range = reg.range();
  return address >= range.address && address - range.address < range.bytes;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Catalogue::Catalogue(std::vector<Register> registers, std::vector<Register> others)
    : registers_(std::move(registers)), others_(std::move(others)) {
  std::stable_sort(registers_.begin(), registers_.end(), [](const Register& a, const Register& b) {
    return std::pair(a.address, a.bit_offset) < std::pair(b.address, b.bit_offset);
  });
  second_names_ = second_names(registers_);
}

std::vector<const Register*> Catalogue::ending_in(std::string_view name) const {
  std::vector<const Register*> found;
  for (const auto* list : {&registers_, &second_names_}) {
    for (const Register& reg : *list) {
      if (reg.path == name) return {&reg};
      if (ends_in(reg.path, name)) found.push_back(&reg);
    }
  }
  if (!found.empty()) return found;
  for (const Register& reg : others_) {
    if (reg.path == name || ends_in(reg.path, name)) found.push_back(&reg);
  }
  return found;
}

/// Returns the registers name[0], name[1] … that are separate registers and not the elements of an array. If
/// there is only one, `name` without an index refers to it.
std::vector<const Register*> Catalogue::members(std::string_view name) const {
  std::vector<const Register*> found;
  for (unsigned i = 0; i <= kListed; ++i) {
    for (const Register* reg : ending_in(fmt::format("{}[{}]", name, i))) found.push_back(reg);
  }
  return found;
}

std::vector<Register> Catalogue::resolve(std::string_view name) const {
  if (!is_pattern(name)) return {one(name)};
  std::vector<Register> found;
  for (const Register& reg : registers_) {
    if (matches_end(name, reg.path)) found.push_back(reg);
  }
  if (found.empty())
    throw UsageError(fmt::format("no register matches \"{}\"; fix: febctl list shows all", name));
  return found;
}

Register Catalogue::one(std::string_view name) const {
  if (is_pattern(name)) throw UsageError(fmt::format("\"{}\" is a pattern; fix: name one register", name));
  std::vector<const Register*> found = ending_in(name);
  if (found.empty()) found = members(name);
  if (found.size() == 1) return *found[0];
  if (found.size() > 1) {
    std::vector<std::string> paths;
    for (const Register* reg : found) paths.push_back(reg->path);
    throw UsageError(
        fmt::format("\"{}\" is ambiguous: {}; fix: write more of the path", name, list_of(paths)));
  }
  std::string_view array = name;
  if (const auto index = take_index(array)) {
    const auto arrays = ending_in(array);
    if (arrays.size() == 1 && arrays[0]->elements != 0) {
      if (*index < arrays[0]->elements) return element_of(*arrays[0], *index);
      throw UsageError(fmt::format("{}: no element {}; fix: use an index from 0 to {}", arrays[0]->path,
                                   *index, arrays[0]->elements - 1));
    }
  }
  unknown(name);
}

std::optional<Register> Catalogue::find(std::string_view name) const {
  const auto found = ending_in(name);
  if (found.size() != 1) return std::nullopt;
  return *found[0];
}

std::vector<Register> Catalogue::below(std::string_view node) const {
  if (is_pattern(node)) return resolve(node);
  std::vector<Register> found;
  const std::string inside = "." + std::string(node) + ".";
  for (const Register& reg : registers_) {
    const std::string path = "." + reg.path + ".";
    if (path.find(inside) != std::string::npos) found.push_back(reg);
  }
  if (found.empty()) unknown(node);
  return found;
}

std::string Catalogue::suggestions(std::string_view name) const {
  const auto components = static_cast<std::size_t>(std::count(name.begin(), name.end(), '.')) + 1;
  const std::string wanted = lower(name);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto* list : {&registers_, &second_names_}) {
    for (const Register& reg : *list) {
      const std::string end = lower(last_components(reg.path, components));
      const std::size_t distance = config::edit_distance(wanted, end);
      if (distance <= std::max<std::size_t>(2, wanted.size() / 4)) near.emplace_back(distance, reg.path);
    }
  }
  std::stable_sort(near.begin(), near.end());
  std::vector<std::string> paths;
  for (const auto& [distance, path] : near) {
    if (distance <= near.front().first + 1) paths.push_back(path);
  }
  if (paths.size() > 3) paths.resize(3);
  return list_of(paths);
}

void Catalogue::unknown(std::string_view name) const {
  // Very long names are unlikely to be misspelt register names; the limit keeps the search cheap.
  const std::string near = name.size() <= 128 ? suggestions(name) : std::string();
  const std::string inside = "." + std::string(name) + ".";
  const bool node = std::any_of(registers_.begin(), registers_.end(), [&](const Register& reg) {
    return ("." + reg.path).find(inside) != std::string::npos;
  });
  if (node)
    throw UsageError(fmt::format("\"{}\" is a group, not a register; fix: use \"{}.*\", or febctl dump {}",
                                 name, name, name));
  throw UsageError(fmt::format("no register \"{}\"; {}", name,
                               near.empty() ? "fix: febctl list shows all" : "did you mean " + near + "?"));
}

std::uint32_t Catalogue::read_write_mask(std::uint32_t address) const {
  std::uint32_t mask = 0;
  bool any = false;
  for (const Register& reg : registers_) {
    if (!covers(reg, address)) continue;
    any = true;
    if (reg.access == Access::kReadWrite) mask |= bits_in_word(reg, address);
  }
  return any ? mask : ~0U;
}

std::string Catalogue::names_at(std::uint32_t address) const {
  std::vector<std::string> names;
  for (const Register& reg : registers_) {
    if (covers(reg, address)) names.push_back(reg.path);
  }
  return list_of(names);
}

bool Catalogue::shares_words(const Register& reg) const {
  const Range range = reg.range();
  for (std::uint32_t at = 0; at < range.bytes; at += 4) {
    const std::uint32_t own = bits_in_word(reg, range.address + at);
    if ((read_write_mask(range.address + at) & ~own) != 0) return true;
  }
  return false;
}

namespace {

NetworkForm form_of(const std::string& path) {
  if (path.find(".UdpEngine.") == std::string::npos) return NetworkForm::kNone;
  if (path.find("IpRaw") != std::string::npos) return NetworkForm::kIp;
  if (path.find("MacRaw") != std::string::npos) return NetworkForm::kMac;
  return path.find("PortRaw") != std::string::npos ? NetworkForm::kPort : NetworkForm::kNone;
}

Base base_of(board::NumberFormat format) {
  switch (format) {
    case board::NumberFormat::kSigned:
      return Base::kSigned;
    case board::NumberFormat::kBool:
      return Base::kBool;
    case board::NumberFormat::kString:
      return Base::kText;
    case board::NumberFormat::kUnsigned:
      break;
  }
  return Base::kUnsigned;
}

Register register_of(const board::Register& from) {
  Register reg;
  reg.path = from.path;
  reg.address = from.address;
  reg.bit_offset = from.bit_offset;
  reg.bit_size = from.bit_size;
  reg.access = !from.readable()  ? Access::kWriteOnly
               : from.writable() ? Access::kReadWrite
                                 : Access::kReadOnly;
  reg.base = base_of(from.format);
  reg.elements = from.num_values;
  reg.element_bits = from.num_values == 0 ? 0 : from.value_bits;
  reg.form = form_of(from.path);
  if (reg.base == Base::kUnsigned) {
    for (const board::EnumText& text : from.texts) reg.names.emplace_back(text.value, text.text);
  }
  return reg;
}

}  // namespace

std::vector<Register> registers_of(const board::Profile& profile) {
  std::vector<Register> registers;
  for (const board::Register& reg : profile.map().all()) registers.push_back(register_of(reg));
  return registers;
}

std::vector<Register> own_registers() {
  std::vector<Register> registers;
  for (const board::Register& reg : board::find_profile("softfeb-2026.12")->map().all()) {
    if (reg.path.starts_with("Root.App.TrafficGen[")) registers.push_back(register_of(reg));
  }
  return registers;
}

}  // namespace softfeb::febctl
