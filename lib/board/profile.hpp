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

/// Type of a register block.
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
  kTrafficGen,
};

/// A register block (a device of the firmware) in the register space.
struct BlockSpec {
  BlockType type;
  /// Index among the blocks of this type: number of the RSSI link, DCQCN slot or traffic generator.
  std::size_t index;
  std::string path;
  std::uint32_t base;
  std::uint32_t size;  ///< bytes; blocks do not overlap
  /// The first table contains the registers of the older firmware. Further tables contain registers that
  /// newer firmware adds.
  std::vector<std::span<const RegisterSpec>> registers;
};

/// Register space of one firmware release, as data.
class Profile {
 public:
  Profile(std::string_view name, std::string_view text, std::vector<BlockSpec> blocks);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }  ///< one-line description
  const RegisterMap& map() const { return map_; }
  const std::vector<BlockSpec>& blocks() const { return blocks_; }
  /// Initial value of every word after reset.
  const RegisterFile& reset_state() const { return reset_state_; }

 private:
  std::string name_;
  std::string text_;
  std::vector<BlockSpec> blocks_;
  RegisterMap map_;
  RegisterFile reset_state_;
};

/// All profiles. The default profile comes first.
const std::vector<Profile>& profiles();
inline const Profile& default_profile() { return profiles().front(); }
/// Returns null if there is no profile of this name.
const Profile* find_profile(std::string_view name);
/// Number of DCQCN register slots of `profile`.
std::size_t dcqcn_slots(const Profile& profile);
/// Number of traffic generators of `profile`: one for each port that a board can have; 0 in older firmware.
std::size_t traffic_gens(const Profile& profile);

}  // namespace softfeb::board
