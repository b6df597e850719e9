// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

namespace softfeb::board {
namespace roce_dispatcher_block {
namespace {

constexpr std::uint32_t kStart = 0xf00, kLen = 0xf04, kRKey = 0xf08, kLKey = 0xf0c, kSQpn = 0xf10,
                        kDQpn = 0xf14, kRemAddr = 0xf18, kAddrWrapCount = 0xf20;

constexpr RegisterSpec kRegisters[] = {
    rw("StartDispatching", kStart, 1),
    rw("DispatchCounter", kStart, 24).bit(1),
    rw("Len", kLen, 32),
    rw("RKey", kRKey, 32),
    rw("LKey", kLKey, 32),
    rw("SQpn", kSQpn, 24),
    rw("DQpn", kDQpn, 24),
    rw("RemAddr", kRemAddr, 64),
    rw("AddrWrapCount", kAddrWrapCount, 32),
};

Dispatch as_written(const BlockWords& words, bool start) {
  return {.count = words.get(kStart, 1, 24),
          .length = words.get(kLen),
          .remote_address = words.get64(kRemAddr),
          .rkey = words.get(kRKey),
          .lkey = words.get(kLKey),
          .sqpn = words.get(kSQpn, 0, 24),
          .dqpn = words.get(kDQpn, 0, 24),
          .address_wrap_count = words.get(kAddrWrapCount),
          .start = start};
}

class RoceDispatcher final : public Block {
 public:
  void on_write(BlockWords& words, const WordWrite& word, Access& access) override {
    const bool start = word.offset == kStart && word.rose(0);
    if (start) access.actions.data_path.emplace_back(as_written(words, true));
    written_ = !start;
  }

  /// Passes every write to the data path, even without a rising edge of StartDispatching, because a write
  /// also applies to a running burst.
  void end_write(BlockWords& words, Access& access) override {
    if (written_) access.actions.data_path.emplace_back(as_written(words, false));
    written_ = false;
  }

 private:
  /// True if the current access has written a word for which it has not added a Dispatch action yet.
  bool written_ = false;
};

}  // namespace
}  // namespace roce_dispatcher_block

tables::Table tables::roce_dispatcher() {
  using namespace roce_dispatcher_block;
  return kRegisters;
}

std::unique_ptr<Block> blocks::roce_dispatcher() {
  using namespace roce_dispatcher_block;
  return std::make_unique<RoceDispatcher>();
}

}  // namespace softfeb::board
