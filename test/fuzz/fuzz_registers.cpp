// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: performs arbitrary accesses to a board's registers, including the metadata bus and the generator
// of the data stream. Reads must return whole words, and actions for the data path must name QPs of the
// board.
#include "board/board_registers.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace softfeb;
using namespace softfeb::board;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

constexpr std::size_t kQps = 8;

struct Judge {
  void operator()(const SetQp& a) const { require(a.qp < kQps); }
  void operator()(const SetDcqcn& a) const {
    require(a.qp < kQps && a.parameters == a.parameters.cut_to_width());
  }
  void operator()(const SetCnpCounterReset& a) const { require(a.qp < kQps); }
  void operator()(const Dispatch& a) const { require(a.count < 1U << 24 && a.sqpn < 1U << 24); }
  void operator()(const SetTrafficClass& a) const { require(a.dscp < 64 && a.ecn < 4); }
  void operator()(const SetDestination& a) const { require(a.ip == roce::IpAddress{} || a.ip.is_v4()); }
  void operator()(const SetCompletionReset& /*a*/) const {}
  void operator()(const SetTrafficGen& a) const {
    require(a.settings.packet_size != 0 && a.settings.packet_size <= TrafficGenSettings::kLongest);
  }
  void operator()(const SoftReset& /*a*/) const {}
};

/// Reads instructions from the fuzzer's bytes, and returns zeros after the last byte.
class Script {
 public:
  explicit Script(ByteSpan bytes) : bytes_(bytes) {}

  bool over() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() { return over() ? std::uint8_t{0} : bytes_[at_++]; }
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
  }
  ByteSpan take(std::size_t bytes) {
    const ByteSpan part = bytes_.subspan(at_, std::min(bytes, bytes_.size() - at_));
    at_ += part.size();
    return part;
  }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
};

class World {
 public:
  World()
      : board_({.profile = &profiles().back(),
                .metadata = {.pds = 2, .mrs_per_pd = 2, .qps = 4},
                .dcqcn_qps = {0, 4, 5},
                .traffic_gens = std::vector<TrafficGenSettings>(4),
                .first_bus_qp = 4}) {
    for (const std::size_t qp : board_.live_qps()) live_.data.qps.push_back({.qp = qp, .exists = true});
  }

  void step(Script& script) {
    const std::uint8_t what = script.byte();
    now_ += Time{what} * kMillisecond * 100;
    switch (what % 8) {
      case 0:
        read(script.word(), std::size_t{script.byte()} * 4);
        break;
      case 1:
        write(script.word(), script.take(std::size_t{script.byte()} * 4));
        break;
      case 2:
      case 3:  // access an existing register
        write(some(script).address, script.take(std::size_t{script.byte() % 64U} * 4));
        break;
      case 4:
        read(some(script).address, std::size_t{script.byte()} * 4);
        break;
      case 5:
        message(script.take(MetadataRequestBits::kBytes));
        break;
      case 6:
        disturb(script);
        break;
      default:
        pull(script.byte());
        break;
    }
  }

 private:
  const Register& some(Script& script) const {
    const auto all = board_.profile().map().all();
    return all[script.word() % all.size()];
  }

  void read(std::uint32_t address, std::size_t bytes) {
    std::vector<std::uint8_t> out(bytes);
    const AccessResult r = board_.read(address, out, live_, now_);
    require(r.words <= bytes / 4 && (r.status != AccessStatus::kOk || r.words == bytes / 4));
    static_cast<void>(board_.needs_live_for_read(address, bytes));
  }

  void write(std::uint32_t address, ByteSpan data) {
    actions_.clear();
    static_cast<void>(board_.needs_live_for_write(address, data.size()));
    const AccessResult r = board_.write(address, data, live_, now_, actions_);
    require(r.words <= data.size() / 4);
    for (const DataPathAction& a : actions_.data_path) std::visit(Judge{}, a);
    for (const SetRssi& a : actions_.links) {
      require(a.link < 2 && a.parameters.max_segment >= 8);
      require(a.parameters.max_segment <= kRssiLimits[a.link].max_segment);
    }
    require(actions_.data_path.size() <= data.size() / 4 + 2);
  }

  void message(ByteSpan bytes) {
    std::array<std::uint8_t, MetadataRequestBits::kBytes> request{};
    std::copy(bytes.begin(), bytes.end(), request.begin());
    constexpr std::uint32_t kControl = 0x0015'0f00;
    write(kControl, std::array<std::uint8_t, 4>{});
    write(kControl + 4, request);
    write(kControl, std::array<std::uint8_t, 4>{1});
    std::array<std::uint8_t, 4> control{};
    board_.read(kControl, control, live_, now_);
    const bool answers = decode_request(MetadataRequestBits(request)).has_value();
    require(control[0] == (answers ? 3 : 1));
  }

  /// Changes the live state that the registers show.
  void disturb(Script& script) {
    QpLive& qp = live_.data.qps[script.byte() % live_.data.qps.size()];
    qp.exists = !qp.exists;
    qp.failed = (script.byte() & 1) != 0;
    qp.rc = std::uint64_t{script.word()} << (script.byte() % 32);
    live_.port.rx_frames = std::uint64_t{script.word()} << (script.byte() % 32);
    live_.rssi[script.byte() % 2].tx_bytes = script.word();
    board_.monitor(script.byte() % 2).on_frame(script.word(), now_);
  }

  void pull(std::uint8_t bytes) {
    std::vector<std::uint8_t> out(bytes);
    const bool ready = board_.app_tx().ready();
    const AppTx::Filled f = board_.app_tx().fill(out);
    require(f.bytes <= bytes && f.bytes % 8 == 0);
    require((f.bytes > 0) == (ready && bytes >= 8));
  }

  BoardRegisters board_;
  LiveState live_;
  Actions actions_;
  Time now_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World world;
  Script script(ByteSpan(data, size));
  while (!script.over()) world.step(script);
  return 0;
}
