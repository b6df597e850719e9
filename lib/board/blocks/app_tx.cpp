// SPDX-License-Identifier: BSD-3-Clause
#include "board/app_tx.hpp"

#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

namespace softfeb::board {
namespace app_tx_block {
namespace {

constexpr std::uint32_t kFrameSize = 0x00, kSendFrame = 0x04, kFrameCnt = 0x08, kWordCnt = 0x0c,
                        kContinuousMode = 0x10;

constexpr EnumText kBool[] = {{0, "False"}, {1, "True"}};

constexpr RegisterSpec kRegisters[] = {
    rw("FrameSize", kFrameSize, 32).resets_to(0x1'ffff),
    wo("SendFrame", kSendFrame, 32),
    ro("FrameCnt", kFrameCnt, 32).polled(1),
    ro("WordCnt", kWordCnt, 32).polled(1),
    rw("ContinuousMode", kContinuousMode, 1).as(NumberFormat::kBool).named(kBool),
};

class AppTxRegisters final : public Block {
 public:
  explicit AppTxRegisters(AppTx& app_tx) : app_tx_(app_tx) {}

  void refresh(BlockWords& words, const LiveState& /*live*/, Time /*now*/) override {
    words.set(kFrameCnt, app_tx_.frame_count());
    words.set(kWordCnt, app_tx_.word_count());
  }

  void on_write(BlockWords& /*words*/, const WordWrite& word, Access& /*access*/) override {
    if (word.offset == kFrameSize) app_tx_.set_frame_size(word.now);
    if (word.offset == kSendFrame) app_tx_.send_frames(word.strobe);
    if (word.offset == kContinuousMode) app_tx_.set_continuous((word.now & 1) != 0);
  }

 private:
  AppTx& app_tx_;
};

}  // namespace
}  // namespace app_tx_block

tables::Table tables::app_tx() {
  using namespace app_tx_block;
  return kRegisters;
}

std::unique_ptr<Block> blocks::app_tx(AppTx& app_tx) {
  using namespace app_tx_block;
  return std::make_unique<AppTxRegisters>(app_tx);
}

}  // namespace softfeb::board
