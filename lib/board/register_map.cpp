// SPDX-License-Identifier: BSD-3-Clause
#include "board/register_map.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace softfeb::board {
namespace {

/// Matches `text` against `pattern`. Takes linear time in practice, because a mismatch backtracks only to the
/// last `*`.
bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool names(std::string_view pattern, std::string_view path) {
  for (;;) {
    if (glob(pattern, path)) return true;
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return false;
    path.remove_prefix(dot + 1);
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Returns the registers whose path contains the last component of `pattern`, ignoring case.
std::vector<const Register*> similar(std::span<const Register> registers, std::string_view pattern) {
  const std::size_t dot = pattern.rfind('.');
  const std::string last = lower(dot == std::string_view::npos ? pattern : pattern.substr(dot + 1));
  std::vector<const Register*> out;
  for (const Register& r : registers) {
    if (!last.empty() && lower(r.path).find(last) != std::string::npos) out.push_back(&r);
  }
  return out;
}

std::string list(const std::vector<const Register*>& registers) {
  constexpr std::size_t kShown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(registers.size(), kShown); ++i)
    out += (i == 0 ? "" : ", ") + registers[i]->path;
  if (registers.size() > kShown) out += ", … (" + std::to_string(registers.size()) + ")";
  return out;
}

}  // namespace

std::string Register::base() const {
  const std::string bits = std::to_string(value_bits);
  switch (format) {
    case NumberFormat::kSigned:
      return "Int" + bits;
    case NumberFormat::kBool:
      return "Bool";
    case NumberFormat::kString:
      return "String(" + std::to_string(value_bits / 8) + ")";
    case NumberFormat::kUnsigned:
      break;
  }
  return "UInt" + bits;
}

const char* to_string(RegisterAccess access) {
  switch (access) {
    case RegisterAccess::kReadOnly:
      return "RO";
    case RegisterAccess::kReadWrite:
      return "RW";
    case RegisterAccess::kWriteOnly:
      break;
  }
  return "WO";
}

const char* to_string(RegisterKind kind) { return kind == RegisterKind::kCommand ? "cmd" : "var"; }

RegisterMap::RegisterMap(std::vector<Register> registers) : registers_(std::move(registers)) {
  std::stable_sort(registers_.begin(), registers_.end(), [](const Register& a, const Register& b) {
    return a.address != b.address ? a.address < b.address : a.bit_offset < b.bit_offset;
  });
  for (const Register& r : registers_) by_path_.emplace(r.path, &r);
}

const Register* RegisterMap::find(std::string_view path) const {
  const auto at = by_path_.find(path);
  return at == by_path_.end() ? nullptr : at->second;
}

std::vector<const Register*> RegisterMap::match(std::string_view pattern) const {
  if (const Register* exact = find(pattern)) return {exact};
  std::vector<const Register*> out;
  for (const Register& r : registers_) {
    if (names(pattern, r.path)) out.push_back(&r);
  }
  return out;
}

const Register& RegisterMap::one(std::string_view pattern) const {
  const auto found = match(pattern);
  if (found.size() == 1) return *found[0];
  const std::string quoted = "\"" + std::string(pattern) + "\"";
  if (found.size() > 1) throw std::invalid_argument(quoted + " matches several registers: " + list(found));
  const auto meant = similar(registers_, pattern);
  if (meant.empty()) throw std::invalid_argument("no register " + quoted);
  throw std::invalid_argument("no register " + quoted + "; did you mean " + list(meant));
}

std::vector<const Register*> RegisterMap::within(std::uint32_t address, std::size_t bytes) const {
  // Bits are numbered across the whole address space, starting at address 0.
  const std::uint64_t first = std::uint64_t{address} * 8;
  const std::uint64_t end = first + std::uint64_t{bytes} * 8;
  std::vector<const Register*> out;
  for (const Register& r : registers_) {
    const std::uint64_t bit = std::uint64_t{r.address} * 8 + r.bit_offset;
    if (bit < end && first < bit + r.bit_size) out.push_back(&r);
  }
  return out;
}

}  // namespace softfeb::board
