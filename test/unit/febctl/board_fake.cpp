// SPDX-License-Identifier: BSD-3-Clause
#include "board_fake.hpp"

#include "failure.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace softfeb::test {

using namespace febctl;

namespace {

constexpr std::uint32_t kSend = 0x00150f00, kTx = 0x00150f04, kRx = 0x00150f2c;
constexpr std::uint32_t kStart = 0x80020f00, kOk = 0x80030f00, kFailed = 0x80030f04;

std::vector<std::string> columns(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, ',');) out.push_back(part);
  out.resize(12);
  return out;
}

Base base_of(const std::string& name) {
  if (name.starts_with("String")) return Base::kText;
  if (name == "Bool") return Base::kBool;
  return name.starts_with("Int") ? Base::kSigned : Base::kUnsigned;
}

NetworkForm form_of(const std::string& path) {
  if (path.find("UdpEngine") == std::string::npos) return NetworkForm::kNone;
  if (path.find("IpRaw") != std::string::npos) return NetworkForm::kIp;
  if (path.find("MacRaw") != std::string::npos) return NetworkForm::kMac;
  return path.find("PortRaw") != std::string::npos ? NetworkForm::kPort : NetworkForm::kNone;
}

Register register_of(const std::vector<std::string>& c) {
  const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(std::stoul(c[i], nullptr, 0)); };
  Register reg;
  reg.path = c[0];
  reg.address = number(2);
  reg.bit_offset = number(3);
  reg.bit_size = number(4);
  reg.access = c[5] == "RO" ? Access::kReadOnly : c[5] == "RW" ? Access::kReadWrite : Access::kWriteOnly;
  reg.base = base_of(c[6]);
  reg.elements = number(7);
  reg.element_bits = reg.elements == 0 ? 0 : number(8);
  reg.form = form_of(reg.path);
  std::istringstream names(c[11]);
  for (std::string one; reg.base == Base::kUnsigned && std::getline(names, one, ';');) {
    const std::size_t equals = one.find('=');
    if (equals != std::string::npos)
      reg.names.emplace_back(std::stoul(one.substr(0, equals)), one.substr(equals + 1));
  }
  return reg;
}

}  // namespace

std::vector<Register> reference_registers() {
  const char* const elsewhere = std::getenv("SOFTFEB_VECTORS");
  const std::string folder = elsewhere != nullptr ? elsewhere : SOFTFEB_VECTORS_DEFAULT;
  std::ifstream file(folder + "/control/regmap_board.csv");
  if (!file) throw std::runtime_error(folder + "/control/regmap_board.csv: cannot be read");
  std::vector<Register> registers;
  std::string line;
  std::getline(file, line);  // skip the line with the column names
  while (std::getline(file, line)) registers.push_back(register_of(columns(line)));
  return registers;
}

const Catalogue& catalogue() {
  static const Catalogue all(reference_registers());
  return all;
}

BoardFake::BoardFake(const Catalogue& catalogue, const board::MetadataLimits& limits)
    : catalogue_(catalogue), metadata_(nullptr, limits) {}

Bytes BoardFake::read(Range range) {
  log.push_back(fmt::format("R {:08x} {}", range.address, range.bytes));
  Bytes out(range.bytes);
  for (std::uint32_t at = 0; at < range.bytes; at += 4) {
    if (range.address + at == decode_error_at) throw Refusal("nobody at this address");
    store_le32(&out[at], words[range.address + at]);
  }
  return out;
}

std::vector<ReadResult> BoardFake::read_many(std::span<const Range> ranges) {
  std::vector<ReadResult> results;
  for (const Range& range : ranges) {
    try {
      results.push_back({read(range), ""});
    } catch (const Refusal& refusal) {
      results.push_back({{}, refusal.what()});
    }
  }
  return results;
}

void BoardFake::write(std::uint32_t address, ByteSpan data) {
  log.push_back(fmt::format("W {:08x} {}", address, data.size()));
  for (std::uint32_t at = 0; at < data.size(); at += 4) store(address + at, load_le32(&data[at]));
}

void BoardFake::post(std::uint32_t address, ByteSpan data) {
  log.push_back(fmt::format("P {:08x} {}", address, data.size()));
  for (std::uint32_t at = 0; at < data.size(); at += 4) store(address + at, load_le32(&data[at]));
}

void BoardFake::store(std::uint32_t address, std::uint32_t value) {
  if (address == decode_error_at) throw Refusal("nobody at this address");
  if (address == stuck_at) return;
  std::uint32_t& word = words[address];
  const std::uint32_t mask = catalogue_.read_write_mask(address);
  const std::uint32_t before = word;
  word = (word & ~mask) | (value & mask);
  if (address == kSend) on_send_metadata(before, word);
  if (address == kStart) on_dispatch(before, word);
}

void BoardFake::on_send_metadata(std::uint32_t before, std::uint32_t now) {
  if ((before & 1) != 0 || (now & 1) == 0) return;
  words[kSend] = now & ~2U;
  board::MetadataRequestBits request;
  std::string hex;
  for (std::uint32_t at = 0; at < 40; at += 4) {
    request.set(at * 8, at == 36 ? 15 : 32, words[kTx + at]);
    std::uint8_t bytes[4];
    store_le32(bytes, words[kTx + at]);
    for (const std::uint8_t b : bytes) hex += fmt::format("{:02x}", b);
  }
  requests.push_back(hex);
  if (silent_bus) return;
  const auto answer = metadata_.handle(request);
  if (!answer) return;
  for (std::uint32_t at = 0; at < 36; at += 4) words[kRx + at] = load_le32(&answer->bytes()[at]);
  words[kSend] |= 2;
}

void BoardFake::on_dispatch(std::uint32_t before, std::uint32_t now) {
  if ((before & 1) != 0 || (now & 1) == 0) return;
  const std::uint32_t count = now >> 1 & 0xffffff;
  words[kOk] = (words[kOk] + count - static_cast<std::uint32_t>(lost)) & 0xffffff;
  words[kFailed] = (words[kFailed] + static_cast<std::uint32_t>(lost)) & 0xffffff;
}

}  // namespace softfeb::test
