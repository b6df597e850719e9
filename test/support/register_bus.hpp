// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/board_registers.hpp"

#include <array>
#include <optional>
#include <stdexcept>

namespace softfeb::test {

/// Exchanges messages of the metadata bus through RoceEngine's registers, one message at a time. Has the same
/// interface as board::MetadataServer.
class RegisterBus {
 public:
  RegisterBus() : registers_(board::BoardRegistersConfig{.profile = &newest()}) {
    live_.data.qps = {{.qp = 0, .exists = true}};
  }

  std::optional<board::MetadataResponseBits> handle(const board::MetadataRequestBits& request) {
    write_word(kControl, 0);
    write(kMetaDataTx, request.bytes());
    live_.data.qps[0].next_psn = qp(0).sq_psn;  // a data path that has sent nothing reports the initial PSN
    write_word(kControl, 1);
    const std::uint32_t control = read_word(kControl);
    if ((control & 1) == 0) throw std::runtime_error("SendMetaData does not read back");
    // Clear SendMetaData by writing the whole word, as PyRogue does. The write must not change RecvMetaData.
    write_word(kControl, control & ~1U);
    if ((read_word(kControl) & 2) != (control & 2)) throw std::runtime_error("RecvMetaData was written");
    if ((control & 2) == 0) return std::nullopt;
    std::array<std::uint8_t, board::MetadataResponseBits::kBytes> answer{};
    if (registers_.read(kMetaDataRx, answer, live_, 0).words != answer.size() / 4)
      throw std::runtime_error("MetaDataRx");
    live_.data.qps[0].failed = false;
    return board::MetadataResponseBits(answer);
  }

  void reset() {
    write_word(kSoftReset, 1);
    write_word(kSoftReset, 0);
    live_.data.qps[0].failed = false;
  }

  /// Marks QP `index` as failed. This takes effect with the next message.
  void on_qp_error(std::size_t index) { live_.data.qps.at(index).failed = true; }

  std::size_t qp_count() const { return registers_.metadata()->qp_count(); }
  const board::QpContext& qp(std::size_t index) const { return registers_.metadata()->qp(index); }

 private:
  static constexpr std::uint32_t kControl = 0x0015'0f00, kMetaDataTx = 0x0015'0f04, kMetaDataRx = 0x0015'0f2c,
                                 kSoftReset = 0x0015'0f50;

  /// Returns the newest profile, because only this one has the register SoftReset.
  static const board::Profile& newest() { return board::profiles().back(); }

  void write(std::uint32_t address, ByteSpan bytes) {
    if (registers_.write(address, bytes, live_, 0, actions_).words != bytes.size() / 4)
      throw std::runtime_error("a write was refused");
  }
  void write_word(std::uint32_t address, std::uint32_t value) {
    std::array<std::uint8_t, 4> bytes{};
    store_le32(bytes.data(), value);
    write(address, bytes);
  }
  std::uint32_t read_word(std::uint32_t address) {
    std::array<std::uint8_t, 4> bytes{};
    registers_.read(address, bytes, live_, 0);
    return load_le32(bytes.data());
  }

  board::BoardRegisters registers_;
  board::LiveState live_;
  board::Actions actions_;
};

}  // namespace softfeb::test
