// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

namespace softfeb::board {
namespace roce_checker_block {
namespace {

constexpr std::uint32_t kSuccess = 0xf00, kUnsuccess = 0xf04, kReset = 0xf08;
constexpr unsigned kCounterBits = 24;

constexpr RegisterSpec kRegisters[] = {
    ro("SuccessCounter", kSuccess, kCounterBits),
    ro("UnsuccessCounter", kUnsuccess, kCounterBits),
    wo("ResetCounters", kReset, 1),
};

class RoceChecker final : public Block {
 public:
  void refresh(BlockWords& words, const LiveState& live, Time /*now*/) override {
    words.set(kSuccess, 0, kCounterBits, static_cast<std::uint32_t>(live.data.completions_ok));
    words.set(kUnsuccess, 0, kCounterBits, static_cast<std::uint32_t>(live.data.completions_failed));
  }

  void on_write(BlockWords& /*words*/, const WordWrite& word, Access& access) override {
    if (word.offset != kReset) return;
    access.actions.data_path.emplace_back(SetCompletionReset{.level = (word.strobe & 1) != 0});
  }

  bool reads_data_path() const override { return true; }
};

}  // namespace
}  // namespace roce_checker_block

tables::Table tables::roce_checker() {
  using namespace roce_checker_block;
  return kRegisters;
}

std::unique_ptr<Block> blocks::roce_checker() {
  using namespace roce_checker_block;
  return std::make_unique<RoceChecker>();
}

}  // namespace softfeb::board
