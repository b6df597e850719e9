// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/register_file.hpp"
#include "board/register_map.hpp"
#include "board/register_spec.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::board {

/// What answers behind a block of registers.
enum class BlockType : std::uint8_t {
  kAxiVersion,
  kAxiSysMonUltraScale,
  kAxiMicronN25Q,
  kTenGigEthReg,
  kUdpEngine,
  kFwRudpServer,
  kAxisMon,
  kRoceEngine,
  kDcqcn,
  kSfp,
  kAppTx,
  kAppMem,
  kRoceDispatcher,
  kRoceChecker,
};

/// A device of the firmware in its register space.
struct BlockSpec {
  BlockType type;
  std::size_t index;  ///< of several of a type: RSSI link, slot of DCQCN
  std::string path;
  std::uint32_t base;
  std::uint32_t size;                                    ///< bytes; blocks do not overlap
  std::vector<std::span<const RegisterSpec>> registers;  ///< a newer firmware's on top of the older's
};

/// A release of the firmware: its register space, as data.
class Profile {
 public:
  Profile(std::string_view name, std::string_view text, std::vector<BlockSpec> blocks);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }  ///< one line for people
  const RegisterMap& map() const { return map_; }
  const std::vector<BlockSpec>& blocks() const { return blocks_; }
  /// Every word as it stands after reset: what a board begins with.
  const RegisterFile& reset_state() const { return reset_state_; }

 private:
  std::string name_;
  std::string text_;
  std::vector<BlockSpec> blocks_;
  RegisterMap map_;
  RegisterFile reset_state_;
};

/// Every profile, the default first.
const std::vector<Profile>& profiles();
inline const Profile& default_profile() { return profiles().front(); }
/// Null where there is none of this name.
const Profile* find_profile(std::string_view name);
/// Slots of DCQCN registers that `profile` has.
std::size_t dcqcn_slots(const Profile& profile);

}  // namespace softfeb::board
