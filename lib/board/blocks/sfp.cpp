// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

#include <string>

namespace softfeb::board {
namespace sfp_block {
namespace {

constexpr std::uint32_t kVendorName = 0x050, kVendorPn = 0x0a0, kVendorRev = 0x0e0, kVendorSn = 0x110,
                        kDateCode = 0x150, kDiagnostics = 0x580;
constexpr unsigned kReadings = 14;

constexpr EnumText kIdentifier[] = {
    {0, "Unspecified"},   {1, "GBIC"},          {2, "Motherboard"},  {3, "SFP"},
    {4, "XBI"},           {5, "XENPAK"},        {6, "XFP"},          {7, "XFF"},
    {8, "XFP-E"},         {9, "XPAK"},          {10, "X2"},          {11, "DWDM-SFP"},
    {12, "QSFP"},         {13, "QSFP+"},        {14, "CXP"},         {15, "HD-4X"},
    {16, "HD-8X"},        {17, "QSFP28"},       {18, "CXP28"},       {19, "CDFP-Style1/2"},
    {20, "HD-4X-Fanout"}, {21, "HD-8X-Fanout"}, {22, "CDFP-Style3"}, {23, "microQSFP"},
    {24, "QSFP-DD"},      {25, "OSFP"},         {26, "SFP-DD"},      {27, "DSFP"},
    {28, "MiniLinkx4"},   {29, "MiniLinkx8"},   {30, "QSFP+"},       {31, "SFP-DD"},
};
constexpr EnumText kConnector[] = {
    {0, "Unspecified"},
    {1, "SC"},
    {2, "Fibre Channel Style 1 copper connector"},
    {3, "Fibre Channel Style 2 copper connector"},
    {4, "BNC/TNC"},
    {5, "Fibre Channel coaxial headers"},
    {6, "Fiber Jack"},
    {7, "LC"},
    {8, "MT-RJ"},
    {9, "MU"},
    {10, "SG"},
    {11, "Optical pigtail"},
    {12, "MPO 1x12"},
    {13, "MPO 2x16"},
    {32, "HSSDC II"},
    {33, "Copper Pigtail"},
    {34, "RJ45"},
    {35, "No separable connector"},
    {36, "MXC 2x16"},
    {37, "CS optical connector"},
    {38, "SN"},
    {39, "MPO 2x12"},
    {40, "MPO 1x16"},
};

/// Each 32-bit word contains one byte of the module's memory.
constexpr RegisterSpec text(const char* name, std::uint32_t offset, unsigned characters) {
  return ro(name, offset, 8).as(NumberFormat::kString).times(characters);
}

constexpr RegisterSpec kRegisters[] = {
    ro("Identifier", 0x000, 8).resets_to(3).named(kIdentifier),
    ro("Connector", 0x008, 8).resets_to(7).named(kConnector),
    text("VendorNameRaw", kVendorName, 16),
    text("VendorPnRaw", kVendorPn, 16),
    text("VendorRevRaw", kVendorRev, 4),
    text("VendorSnRaw", kVendorSn, 16),
    text("DateCode", kDateCode, 6),
    ro("Diagnostics", kDiagnostics, 8).times(kReadings),
};

// 16-bit values, stored big-endian, in the units of SFF-8472: temperature (1/256 °C), supply voltage (100
// µV), laser bias current (2 µA), transmitted power (0.1 µW), received power (0.1 µW). The last two values
// are reserved.
constexpr std::uint16_t kValues[kReadings / 2] = {38 * 256, 33'000, 3'000, 5'500, 5'000, 0, 0};

/// Stores `value`, padded with spaces as SFF-8472 requires.
void set_text(BlockWords& words, std::uint32_t offset, const std::string& value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const char c = i < value.size() ? value[i] : ' ';
    words.set(offset + static_cast<std::uint32_t>(i * 4), 0, 8, static_cast<std::uint8_t>(c));
  }
}

std::string serial_number(std::uint64_t seed) {
  Rng rng(seed ^ 0x5f9);
  std::string digits = "SF";
  for (int i = 0; i < 10; ++i) digits += static_cast<char>('0' + rng.below(10));
  return digits;
}

}  // namespace
}  // namespace sfp_block

tables::Table tables::sfp() {
  using namespace sfp_block;
  return kRegisters;
}

/// Creates the block. All values are constant, as if they had been read once from a module.
std::unique_ptr<Block> blocks::sfp(BlockWords words, const Config& config) {
  using namespace sfp_block;
  set_text(words, kVendorName, "softfeb", 16);
  set_text(words, kVendorPn, "SFP-10G-SOFTWARE", 16);
  set_text(words, kVendorRev, "A", 4);
  set_text(words, kVendorSn, serial_number(config.seed), 16);
  set_text(words, kDateCode, "260501", 6);
  for (unsigned i = 0; i < kReadings; ++i) {
    const unsigned value = kValues[i / 2];
    words.set(kDiagnostics + i * 4, 0, 8, i % 2 == 0 ? value >> 8 : value);
  }
  return nullptr;
}

}  // namespace softfeb::board
