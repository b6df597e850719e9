// SPDX-License-Identifier: BSD-3-Clause
#include "profile_registers.hpp"

namespace softfeb::febctl {

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

}  // namespace softfeb::febctl
