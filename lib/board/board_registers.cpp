// SPDX-License-Identifier: BSD-3-Clause
#include "board/board_registers.hpp"

#include "board/blocks/blocks.hpp"
#include "board/blocks/roce_engine.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace softfeb::board {

/// A block at its base address.
struct BoardRegisters::Mounted {
  std::uint32_t base;
  std::uint32_t size;
  bool present;                  ///< if this is false, accesses return a decode error
  std::size_t port;              ///< number of the board's port whose data path the block uses
  std::unique_ptr<Block> block;  ///< null if the block is plain memory

  bool holds(std::uint32_t address) const { return address - base < size; }
};

namespace {

const Profile& profile_of(const BoardRegistersConfig& config) {
  const Profile& profile = config.profile != nullptr ? *config.profile : default_profile();
  const std::size_t slots = dcqcn_slots(profile);
  if (config.dcqcn_qps.size() > slots) {
    throw std::invalid_argument("profile " + profile.name() + " has DCQCN registers for " +
                                std::to_string(slots) + " QPs, not for " +
                                std::to_string(config.dcqcn_qps.size()));
  }
  if (config.traffic_gens.size() > traffic_gens(profile)) {
    throw std::invalid_argument("profile " + profile.name() + " has " +
                                std::to_string(traffic_gens(profile)) + " traffic generators, not " +
                                std::to_string(config.traffic_gens.size()));
  }
  return profile;
}

bool is_present(const BlockSpec& spec, const BoardRegistersConfig& config) {
  if (spec.type == BlockType::kDcqcn) return spec.index < config.dcqcn_qps.size();
  return spec.type != BlockType::kTrafficGen || spec.index < config.traffic_gens.size();
}

std::vector<std::size_t> shown_qps(const BoardRegistersConfig& config) {
  std::vector<std::size_t> qps = config.dcqcn_qps;
  for (std::size_t i = 0; i < config.metadata.qps; ++i) qps.push_back(config.first_bus_qp + i);
  std::sort(qps.begin(), qps.end());
  qps.erase(std::unique(qps.begin(), qps.end()), qps.end());
  return qps;
}

/// True if a newer firmware adds registers to the block.
bool extended(const BlockSpec& spec) { return spec.registers.size() > 1; }

bool legal(std::uint32_t address, std::size_t bytes) {
  return address % 4 == 0 && bytes % 4 == 0 && std::uint64_t{address} + bytes <= std::uint64_t{1} << 32;
}

}  // namespace

BoardRegisters::BoardRegisters(const BoardRegistersConfig& config)
    : profile_(&profile_of(config)),
      file_(profile_->reset_state()),
      monitors_{StreamMonitor(config.start), StreamMonitor(config.start)},
      live_qps_(shown_qps(config)) {
  for (const BlockSpec& spec : profile_->blocks()) mount(spec, config);
  std::sort(blocks_.begin(), blocks_.end(),
            [](const Mounted& a, const Mounted& b) { return a.base < b.base; });
}

BoardRegisters::~BoardRegisters() = default;

void BoardRegisters::mount(const BlockSpec& spec, const BoardRegistersConfig& config) {
  const BlockWords words(file_, spec.base);
  const bool present = is_present(spec, config);
  std::unique_ptr<Block> block;
  switch (spec.type) {
    case BlockType::kAxiVersion:
      block = blocks::axi_version(words, config, *profile_);
      break;
    case BlockType::kTenGigEthReg:
      block = blocks::ten_gig_eth_reg(words, config);
      break;
    case BlockType::kUdpEngine:
      block = blocks::udp_engine(words, config, extended(spec));
      break;
    case BlockType::kFwRudpServer:
      block = blocks::fw_rudp_server(spec.index);
      break;
    case BlockType::kAxisMon:
      block = blocks::axis_mon(monitors_[0], monitors_[1]);
      break;
    case BlockType::kRoceEngine: {
      auto engine =
          std::make_unique<blocks::RoceEngine>(config.metadata, config.first_bus_qp, extended(spec));
      metadata_ = &engine->server();
      block = std::move(engine);
      break;
    }
    case BlockType::kDcqcn:
      if (present) block = blocks::dcqcn(words, config, spec.index, extended(spec));
      break;
    case BlockType::kSfp:
      block = blocks::sfp(words, config);
      break;
    case BlockType::kAppTx:
      block = blocks::app_tx(app_tx_);
      break;
    case BlockType::kRoceDispatcher:
      block = blocks::roce_dispatcher();
      break;
    case BlockType::kRoceChecker:
      block = blocks::roce_checker();
      break;
    case BlockType::kTrafficGen:
      if (present) block = blocks::traffic_gen(words, config.traffic_gens[spec.index]);
      break;
    case BlockType::kAxiSysMonUltraScale:
    case BlockType::kAxiMicronN25Q:
    case BlockType::kAppMem:
      break;
  }
  const std::size_t port = spec.type == BlockType::kTrafficGen ? spec.index : 0;
  blocks_.push_back({spec.base, spec.size, present, port, std::move(block)});
}

const BoardRegisters::Mounted* BoardRegisters::mounted_at(std::uint32_t address) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                      [](std::uint32_t a, const Mounted& m) { return a < m.base; });
  if (after == blocks_.begin() || !std::prev(after)->holds(address)) return nullptr;
  return std::prev(after)->present ? &*std::prev(after) : nullptr;
}

BoardRegisters::Mounted* BoardRegisters::mounted_at(std::uint32_t address) {
  return const_cast<Mounted*>(std::as_const(*this).mounted_at(address));
}

std::size_t BoardRegisters::port_at(std::uint32_t address) const {
  const Mounted* const m = mounted_at(address);
  return m != nullptr ? m->port : 0;
}

bool BoardRegisters::needs_live_for_read(std::uint32_t address, std::size_t bytes) const {
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const Mounted& m) {
    const std::uint64_t end = std::uint64_t{address} + bytes;
    const bool touched = address < std::uint64_t{m.base} + m.size && m.base < end;
    return touched && m.block != nullptr && m.block->reads_data_path();
  });
}

bool BoardRegisters::needs_live_for_write(std::uint32_t address, std::size_t bytes) const {
  for (std::uint64_t a = address; a < std::uint64_t{address} + bytes && a <= UINT32_MAX; a += 4) {
    const Mounted* const m = mounted_at(static_cast<std::uint32_t>(a));
    if (m == nullptr || m->block == nullptr) continue;
    if (m->block->write_needs_data_path(static_cast<std::uint32_t>(a) - m->base)) return true;
  }
  return false;
}

void BoardRegisters::refresh(std::uint32_t address, std::size_t bytes, const LiveState& live, Time now) {
  for (Mounted& m : blocks_) {
    const std::uint64_t end = std::uint64_t{address} + bytes;
    if (address >= std::uint64_t{m.base} + m.size || m.base >= end || m.block == nullptr) continue;
    BlockWords words(file_, m.base);
    m.block->refresh(words, live, now);
  }
}

AccessResult BoardRegisters::read(std::uint32_t address, MutableByteSpan out, const LiveState& live,
                                  Time now) {
  AccessResult result;
  if (!legal(address, out.size())) return {AccessStatus::kDecodeError, 0};
  refresh(address, out.size(), live, now);
  for (; result.words < out.size() / 4; ++result.words) {
    const auto a = static_cast<std::uint32_t>(address + result.words * 4);
    const RegisterFile::Word* const word = mounted_at(a) != nullptr ? file_.find(a) : nullptr;
    if (word == nullptr) {
      result.status = AccessStatus::kDecodeError;
      break;
    }
    store_le32(&out[result.words * 4], word->value & word->readable);
  }
  return result;
}

AccessResult BoardRegisters::write(std::uint32_t address, ByteSpan data, const LiveState& live, Time now,
                                   Actions& actions) {
  AccessResult result;
  if (!legal(address, data.size())) return {AccessStatus::kDecodeError, 0};
  Access access{live, now, actions};
  Mounted* touched = nullptr;
  const auto leave = [&] {
    if (touched == nullptr || touched->block == nullptr) return;
    BlockWords words(file_, touched->base);
    touched->block->end_write(words, access);
  };
  for (; result.words < data.size() / 4; ++result.words) {
    const auto a = static_cast<std::uint32_t>(address + result.words * 4);
    Mounted* const m = mounted_at(a);
    RegisterFile::Word* const word = m != nullptr ? file_.find(a) : nullptr;
    if (word == nullptr) {
      result.status = AccessStatus::kDecodeError;
      break;
    }
    if (m != touched) {
      leave();
      touched = m;
    }
    const std::uint32_t written = load_le32(&data[result.words * 4]);
    const std::uint32_t before = word->value;
    word->value = (before & ~word->writable) | (written & word->writable);
    if (m->block == nullptr) continue;
    BlockWords words(file_, m->base);
    m->block->on_write(words, {a - m->base, before, word->value, written & word->strobe}, access);
  }
  leave();
  return result;
}

}  // namespace softfeb::board
