// SPDX-License-Identifier: BSD-3-Clause
#include "board/profile.hpp"

#include "board/blocks/tables.hpp"

#include <algorithm>

namespace softfeb::board {
namespace {

void append(std::vector<Register>& out, const BlockSpec& block, const RegisterSpec& spec) {
  for (unsigned i = 0; i < std::max(spec.copies, 1U); ++i) {
    Register r;
    r.path = block.path + "." + spec.name;
    if (spec.copies > 0) r.path += "[" + std::to_string(i) + "]";
    r.kind = spec.kind;
    r.address = block.base + spec.offset + i * spec.step;
    r.bit_offset = spec.bit_offset;
    r.bit_size = spec.bit_size;
    r.access = spec.access;
    r.format = spec.format;
    r.num_values = spec.num_values;
    r.value_bits = spec.num_values > 0 ? spec.bit_size / spec.num_values : spec.bit_size;
    r.poll_interval_s = spec.poll_interval_s;
    r.reset = spec.reset;
    r.texts = spec.texts;
    out.push_back(std::move(r));
  }
}

std::vector<Register> registers_of(const std::vector<BlockSpec>& blocks) {
  std::vector<Register> out;
  for (const BlockSpec& block : blocks) {
    for (const auto& table : block.registers) {
      for (const RegisterSpec& spec : table) append(out, block, spec);
    }
  }
  return out;
}

BlockSpec dcqcn_slot(std::size_t slot) {
  BlockSpec block{BlockType::kDcqcn,
                  slot,
                  "Root.Core.RoceEngine.Dcqcn",
                  0x0015'1000 + static_cast<std::uint32_t>(slot) * 0x1000,
                  0x1000,
                  {tables::dcqcn()}};
  // Slot 0 has the same path as the only DCQCN block of older firmware.
  if (slot > 0) block.path += "[" + std::to_string(slot) + "]";
  return block;
}

/// Register blocks of SLAC's KCU105 example with RoCEv2, May 2026.
std::vector<BlockSpec> may_2026() {
  using enum BlockType;
  return {
      {kAxiVersion, 0, "Root.Core.AxiVersion", 0x0000'0000, 0x1000, {tables::axi_version()}},
      {kAxiSysMonUltraScale, 0, "Root.Core.AxiSysMonUltraScale", 0x0001'0000, 0x1000, {tables::sys_mon()}},
      {kAxiMicronN25Q, 0, "Root.Core.AxiMicronN25Q[0]", 0x0002'0000, 0x1000, {tables::micron_n25q()}},
      {kAxiMicronN25Q, 1, "Root.Core.AxiMicronN25Q[1]", 0x0003'0000, 0x1000, {tables::micron_n25q()}},
      {kTenGigEthReg, 0, "Root.Core.TenGigEthReg", 0x0010'0000, 0x1000, {tables::ten_gig_eth_reg()}},
      {kUdpEngine, 0, "Root.Core.UdpEngine", 0x0011'0000, 0x1000, {tables::udp_engine()}},
      {kFwRudpServer, 0, "Root.Core.FwRudpServer[0]", 0x0012'0000, 0x1000, {tables::fw_rudp_server(0)}},
      {kFwRudpServer, 1, "Root.Core.FwRudpServer[1]", 0x0013'0000, 0x1000, {tables::fw_rudp_server(1)}},
      {kAxisMon, 0, "Root.Core.AxisMon", 0x0014'0000, 0x1000, {tables::axis_mon()}},
      {kRoceEngine, 0, "Root.Core.RoceEngine", 0x0015'0000, 0x1000, {tables::roce_engine()}},
      dcqcn_slot(0),
      {kSfp, 0, "Root.Core.Sfp", 0x0020'2000, 0x1000, {tables::sfp()}},
      {kAppTx, 0, "Root.App.AppTx", 0x8000'0000, 0x1000, {tables::app_tx()}},
      {kAppMem, 0, "Root.App.AppMem", 0x8001'0000, 0x1000, {tables::app_mem()}},
      {kRoceDispatcher, 0, "Root.App.RoceDispatcher", 0x8002'0000, 0x1000, {tables::roce_dispatcher()}},
      {kRoceChecker, 0, "Root.App.RoceChecker", 0x8003'0000, 0x1000, {tables::roce_checker()}},
  };
}

/// Adds the registers that newer versions of SURF (SLAC's firmware library) have: DSCP and ECN, transport
/// reset, and DCQCN bypass. softfeb adds further DCQCN slots for boards with several QPs. The SEND
/// application of this firmware is not supported.
std::vector<BlockSpec> september_2026() {
  constexpr std::size_t kSlots = 15;
  std::vector<BlockSpec> blocks = may_2026();
  for (std::size_t slot = 1; slot < kSlots; ++slot) blocks.push_back(dcqcn_slot(slot));
  for (BlockSpec& block : blocks) {
    if (block.type == BlockType::kUdpEngine) block.registers.push_back(tables::udp_engine_traffic_class());
    if (block.type == BlockType::kRoceEngine) block.registers.push_back(tables::roce_engine_soft_reset());
    if (block.type == BlockType::kDcqcn) block.registers.push_back(tables::dcqcn_bypass());
  }
  return blocks;
}

/// Adds softfeb's own blocks, which are a traffic generator for each port of the board.
std::vector<BlockSpec> december_2026() {
  constexpr std::size_t kPorts = 4;
  std::vector<BlockSpec> blocks = september_2026();
  for (std::size_t port = 0; port < kPorts; ++port) {
    blocks.push_back({BlockType::kTrafficGen,
                      port,
                      "Root.App.TrafficGen[" + std::to_string(port) + "]",
                      0x8004'0000 + static_cast<std::uint32_t>(port) * 0x1000,
                      0x1000,
                      {tables::traffic_gen()}});
  }
  return blocks;
}

std::size_t count_blocks(const Profile& profile, BlockType type) {
  const auto& blocks = profile.blocks();
  return static_cast<std::size_t>(
      std::count_if(blocks.begin(), blocks.end(), [type](const BlockSpec& b) { return b.type == type; }));
}

}  // namespace

Profile::Profile(std::string_view name, std::string_view text, std::vector<BlockSpec> blocks)
    : name_(name), text_(text), blocks_(std::move(blocks)), map_(registers_of(blocks_)), reset_state_(map_) {}

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = [] {
    std::vector<Profile> p;
    p.reserve(3);
    p.emplace_back("kcu105-rocev2-2026.05", "KCU105 example, branch rocev2, May 2026: WRITE with immediate",
                   may_2026());
    p.emplace_back("kcu105-rocev2-2026.09",
                   "2026.05 plus DSCP and ECN, SoftReset, DcqcnBypass and DCQCN registers for 15 QPs",
                   september_2026());
    p.emplace_back("softfeb-2026.12", "2026.09 plus a traffic generator for each of four ports",
                   december_2026());
    return p;
  }();
  return all;
}

const Profile* find_profile(std::string_view name) {
  for (const Profile& p : profiles()) {
    if (p.name() == name) return &p;
  }
  return nullptr;
}

std::size_t dcqcn_slots(const Profile& profile) { return count_blocks(profile, BlockType::kDcqcn); }
std::size_t traffic_gens(const Profile& profile) { return count_blocks(profile, BlockType::kTrafficGen); }

}  // namespace softfeb::board
