// SPDX-License-Identifier: BSD-3-Clause
#include "roce/ip.hpp"
#include "value.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

std::string hex_of(const Bits& bits) {
  std::string digits;
  for (std::size_t i = bits.size(); i-- > 0;) digits += fmt::format("{:02x}", bits[i]);
  const std::size_t first = digits.find_first_not_of('0');
  return "0x" + (first == std::string::npos ? "0" : digits.substr(first));
}

std::string text_of(const Bits& bits) {
  const auto end = std::find(bits.begin(), bits.end(), std::uint8_t{0});
  return {bits.begin(), end};
}

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return '"' + out + '"';
}

std::int64_t signed_of(const Bits& bits, std::uint32_t size) {
  const unsigned up = 64 - size;
  return static_cast<std::int64_t>(low64(bits) << up) >> up;
}

const std::string* name_of(const Register& reg, std::uint64_t value) {
  for (const auto& [number, name] : reg.names) {
    if (number == value) return &name;
  }
  return nullptr;
}

/// Formats the value as an address or port. The bytes of the register are in network byte order.
std::string network_text(NetworkForm form, const Bits& bits) {
  if (form == NetworkForm::kIp) return roce::IpAddress::from_v4_wire(bits.data()).to_string();
  if (form == NetworkForm::kPort) return std::to_string(load_be16(bits.data()));
  roce::MacAddress mac{};
  std::copy_n(bits.begin(), mac.size(), mac.begin());
  return roce::to_string(mac);
}

std::string scalar_text(const Register& reg, const Bits& bits) {
  if (reg.base == Base::kText) return printable(text_of(bits));
  if (reg.bit_size > 64) return hex_of(bits);
  const std::uint64_t value = low64(bits);
  if (reg.human) return network_text(reg.form, bits);
  if (reg.form != NetworkForm::kNone) return fmt::format("{:#x} ({})", value, network_text(reg.form, bits));
  if (reg.base == Base::kBool) return value != 0 ? "true" : "false";
  if (reg.base == Base::kSigned) return std::to_string(signed_of(bits, reg.bit_size));
  if (const std::string* name = name_of(reg, value)) return fmt::format("{} ({})", value, *name);
  return value < 10 ? std::to_string(value) : fmt::format("{} ({:#x})", value, value);
}

nlohmann::json scalar_json(const Register& reg, const Bits& bits) {
  if (reg.base == Base::kText) {
    // Text that is not valid UTF-8 would make the JSON invalid.
    std::string text = text_of(bits);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
  }
  if (reg.human && reg.form != NetworkForm::kPort) return network_text(reg.form, bits);
  if (reg.human) return load_be16(bits.data());
  if (reg.bit_size > 64) return hex_of(bits);
  if (reg.base == Base::kBool) return low64(bits) != 0;
  if (reg.base == Base::kSigned) return signed_of(bits, reg.bit_size);
  return low64(bits);
}

std::string scalar_yaml(const Register& reg, const Bits& bits) {
  if (reg.base == Base::kText || reg.base == Base::kBool) return scalar_json(reg, bits).dump();
  if (reg.base == Base::kSigned) return std::to_string(signed_of(bits, reg.bit_size));
  return hex_of(bits);
}

/// Formats the elements one after another.
template <class Each>
void for_elements(const Register& reg, const Bits& bits, Each each) {
  const Register one = element_of(reg, 0);
  const std::size_t size = reg.element_bits / 8;
  for (std::size_t i = 0; i < reg.elements; ++i) {
    const auto begin = bits.begin() + static_cast<std::ptrdiff_t>(i * size);
    each(one, Bits(begin, begin + static_cast<std::ptrdiff_t>(size)));
  }
}

std::string list_of(const Register& reg, const Bits& bits) {
  std::string text;
  for_elements(reg, bits, [&](const Register& one, const Bits& element) {
    text += (text.empty() ? "" : ", ") + scalar_yaml(one, element);
  });
  return "[" + text + "]";
}

bool all_zero(const Bits& bits) {
  return std::all_of(bits.begin(), bits.end(), [](std::uint8_t b) { return b == 0; });
}

}  // namespace

std::string value_text(const Register& reg, const Bits& bits) {
  if (reg.elements == 0) return scalar_text(reg, bits);
  return all_zero(bits) ? fmt::format("{} elements, all 0", reg.elements) : list_of(reg, bits);
}

nlohmann::json value_json(const Register& reg, const Bits& bits) {
  if (reg.elements == 0) return scalar_json(reg, bits);
  nlohmann::json list = nlohmann::json::array();
  for_elements(reg, bits,
               [&](const Register& one, const Bits& element) { list.push_back(scalar_json(one, element)); });
  return list;
}

std::string value_yaml(const Register& reg, const Bits& bits) {
  return reg.elements == 0 ? scalar_yaml(reg, bits) : list_of(reg, bits);
}

}  // namespace softfeb::febctl
