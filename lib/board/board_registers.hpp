// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "board/app_tx.hpp"
#include "board/live_state.hpp"
#include "board/metadata.hpp"
#include "board/profile.hpp"
#include "board/register_file.hpp"
#include "board/stream_monitor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softfeb::board {

struct BoardRegistersConfig {
  const Profile* profile = nullptr;  ///< null: the default. Outlives the registers
  roce::MacAddress mac{};
  roce::IpAddress ip{};
  MetadataLimits metadata{};
  SetDestination destination{};  ///< ClientRemoteIp and -Port at start
  /// The QP on the board behind each slot of DCQCN registers. Slots that the profile has and this has not are
  /// not there: DECERR.
  std::vector<std::size_t> dcqcn_qps{0};
  /// Parameters of each slot at start; the firmware's reset values where one is missing.
  std::vector<dcqcn::FirmwareParameters> dcqcn{};
  std::uint64_t line_rate = 1'250'000'000;  ///< shown as Rc and Rt while a slot has no QP, bytes per second
  std::size_t first_bus_qp = 0;             ///< QP on the board that is slot 0 of the metadata bus
  std::uint8_t dscp = 0;                    ///< 6 bits
  std::uint8_t ecn = 0;                     ///< 2 bits
  std::uint64_t seed = 1;                   ///< serial numbers; of each board its own
  Time start = 0;                           ///< of UpTimeCnt
  std::string build_stamp;  ///< "Image: Env, Server, Built Date by User"; empty: softfeb's own
  std::array<std::uint8_t, 20> git_hash{};  ///< most significant byte first, as it is written; 0: none
};

enum class AccessStatus : std::uint8_t {
  kOk,
  kDecodeError,  ///< nobody at this address
};
struct AccessResult {
  AccessStatus status = AccessStatus::kOk;
  std::size_t words = 0;  ///< done before the error
};

/// A board's register space (doc/registers.md): the memory behind SRPv3. Sans-I/O, not thread-safe. Accesses
/// are of any multiple of 4 bytes at a multiple of 4; they stop at the first word that is not there, with the
/// words before it done. Read-only bits are masked in writes, write-only ones read as 0. All that one access
/// reads is of one moment.
class BoardRegisters {
 public:
  /// Throws std::invalid_argument where limits cannot be had (MetadataServer), or where there are more slots
  /// than the profile has.
  explicit BoardRegisters(const BoardRegistersConfig& config);
  ~BoardRegisters();
  BoardRegisters(const BoardRegisters&) = delete;
  BoardRegisters& operator=(const BoardRegisters&) = delete;

  /// Whether LiveState::data is looked at. It holds the QPs of live_qps() then.
  bool needs_live_for_read(std::uint32_t address, std::size_t bytes) const;
  bool needs_live_for_write(std::uint32_t address, std::size_t bytes) const;
  /// QPs of the board that registers show, each once.
  const std::vector<std::size_t>& live_qps() const { return live_qps_; }

  AccessResult read(std::uint32_t address, MutableByteSpan out, const LiveState& live, Time now);
  /// Appends to `actions` what has to be done before the write is answered.
  AccessResult write(std::uint32_t address, ByteSpan data, const LiveState& live, Time now, Actions& actions);

  const Profile& profile() const { return *profile_; }
  AppTx& app_tx() { return app_tx_; }
  /// AxisMon.Ch[channel]: 0 frames to the client on the stream link, 1 frames from it.
  StreamMonitor& monitor(std::size_t channel) { return monitors_.at(channel); }
  /// Null where the profile has none.
  const MetadataServer* metadata() const { return metadata_; }

 private:
  struct Mounted;

  void mount(const BlockSpec& spec, const BoardRegistersConfig& config);
  Mounted* mounted_at(std::uint32_t address);
  const Mounted* mounted_at(std::uint32_t address) const;
  void refresh(std::uint32_t address, std::size_t words, const LiveState& live, Time now);

  const Profile* profile_;
  RegisterFile file_;
  AppTx app_tx_;
  std::array<StreamMonitor, 2> monitors_;
  const MetadataServer* metadata_ = nullptr;
  std::vector<std::size_t> live_qps_;
  std::vector<Mounted> blocks_;  ///< in the order of their addresses
};

}  // namespace softfeb::board
