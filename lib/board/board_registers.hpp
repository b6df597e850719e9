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

/// lib/board contains the firmware's registers, metadata bus and payload sources, sans-I/O. It may include
/// dcqcn, roce and base. Start with BoardRegisters here, which converts register accesses to actions for the
/// data path (data_path.hpp). Each block of registers has a file in blocks/; profile.hpp defines profiles,
/// which list the blocks of each firmware. metadata.hpp executes the verbs of the metadata bus, and
/// payload.hpp lists the payload sources.
namespace softfeb::board {

struct BoardRegistersConfig {
  const Profile* profile = nullptr;  ///< null means the default profile; must outlive the registers
  roce::MacAddress mac{};
  roce::IpAddress ip{};
  MetadataLimits metadata{};
  SetDestination destination{};  ///< initial ClientRemoteIp and ClientRemotePort
  /// Board QP number of each DCQCN register slot. Accesses to the remaining slots of the profile return a
  /// decode error (DECERR).
  std::vector<std::size_t> dcqcn_qps{0};
  /// Initial parameters of each slot. Slots without an entry get the firmware's reset values.
  std::vector<dcqcn::FirmwareParameters> dcqcn{};
  /// Values of Rc and Rt for a slot without a QP, in bytes per second.
  std::uint64_t line_rate = 1'250'000'000;
  /// Initial values of TrafficGen[i], one element for each port of the board. Accesses to the remaining
  /// generators of the profile return a decode error.
  std::vector<TrafficGenSettings> traffic_gens{};
  std::size_t first_bus_qp = 0;  ///< board QP number of slot 0 of the metadata bus
  std::uint8_t dscp = 0;         ///< initial UdpEngine.Dscp, 6 bits
  std::uint8_t ecn = 0;          ///< initial UdpEngine.EcnFlag, 2 bits
  std::uint64_t seed = 1;        ///< seed of the serial numbers; must differ between boards
  Time start = 0;                ///< time from which UpTimeCnt counts
  /// Has the format "Image: Env, Server, Built Date by User". If it is empty, softfeb's own stamp is used.
  std::string build_stamp;
  std::array<std::uint8_t, 20> git_hash{};  ///< most significant byte first; all zeros if there is no hash
};

enum class AccessStatus : std::uint8_t {
  kOk,
  kDecodeError,  ///< no register at this address
};
struct AccessResult {
  AccessStatus status = AccessStatus::kOk;
  std::size_t words = 0;  ///< number of words that were accessed (until the error, if there was one)
};

/// A board's register space (doc/registers.md), which SRPv3 accesses as memory. Sans-I/O, not thread-safe.
///
/// The address and the length of an access must be multiples of 4 bytes. An access stops at the first word
/// that does not exist; the words before this word have been accessed. Writes do not change read-only bits,
/// and write-only bits read as 0. All words of a read are sampled at the same time.
class BoardRegisters {
 public:
  /// Throws std::invalid_argument if the metadata limits are invalid (see MetadataServer), or if there are
  /// more DCQCN slots or traffic generators than the profile has.
  explicit BoardRegisters(const BoardRegistersConfig& config);
  ~BoardRegisters();
  BoardRegisters(const BoardRegisters&) = delete;
  BoardRegisters& operator=(const BoardRegisters&) = delete;

  /// These two functions return true if the access uses LiveState::data. The caller must then provide the
  /// state of all QPs of live_qps() in this member.
  bool needs_live_for_read(std::uint32_t address, std::size_t bytes) const;
  bool needs_live_for_write(std::uint32_t address, std::size_t bytes) const;
  /// Board QP numbers whose state is visible in registers, without duplicates.
  const std::vector<std::size_t>& live_qps() const { return live_qps_; }

  AccessResult read(std::uint32_t address, MutableByteSpan out, const LiveState& live, Time now);
  /// Appends to `actions` the actions that must be performed before the write is acknowledged.
  AccessResult write(std::uint32_t address, ByteSpan data, const LiveState& live, Time now, Actions& actions);

  /// Number of the board's port whose data path an access to `address` uses. An access never uses the data
  /// paths of two ports, because no register exists directly after the registers of a traffic generator, and
  /// an access stops at the first word that does not exist.
  std::size_t port_at(std::uint32_t address) const;

  const Profile& profile() const { return *profile_; }
  AppTx& app_tx() { return app_tx_; }
  /// Statistics behind AxisMon.Ch[channel]. Channel 0 counts the frames sent to the client on the stream
  /// link; channel 1 counts the frames received from the client.
  StreamMonitor& monitor(std::size_t channel) { return monitors_.at(channel); }
  /// Returns null if the profile has no metadata bus.
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
  std::vector<Mounted> blocks_;  ///< sorted by address
};

}  // namespace softfeb::board
