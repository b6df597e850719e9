// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/roce_engine.hpp"

#include "board/blocks/tables.hpp"

namespace softfeb::board {
namespace roce_engine_block {
namespace {

constexpr std::uint32_t kControl = 0xf00, kMetaDataTx = 0xf04, kMetaDataRx = 0xf2c, kSoftReset = 0xf50;
constexpr unsigned kSendBit = 0, kRecvBit = 1;

constexpr RegisterSpec kRegisters[] = {
    rw("SendMetaData", kControl, 1),
    ro("RecvMetaData", kControl, 1).bit(kRecvBit),
    rw("MetaDataTx", kMetaDataTx, 303),
    ro("MetaDataRx", kMetaDataRx, 276),
};
constexpr RegisterSpec kSoftResetRegisters[] = {command("SoftReset", kSoftReset)};

}  // namespace
}  // namespace roce_engine_block

tables::Table tables::roce_engine() {
  using namespace roce_engine_block;
  return kRegisters;
}
tables::Table tables::roce_engine_soft_reset() {
  using namespace roce_engine_block;
  return kSoftResetRegisters;
}

namespace blocks {

RoceEngine::RoceEngine(const MetadataLimits& limits, std::size_t first_bus_qp, bool soft_reset)
    : server_(this, limits), first_bus_qp_(first_bus_qp), soft_reset_(soft_reset) {}

bool RoceEngine::write_needs_data_path(std::uint32_t offset) const {
  return offset == roce_engine_block::kControl;
}

void RoceEngine::on_write(BlockWords& words, const WordWrite& word, Access& access) {
  using namespace roce_engine_block;
  if (word.offset == kControl && word.rose(kSendBit)) exchange(words, access);
  if (soft_reset_ && word.offset == kSoftReset && (word.strobe & 1) != 0) {
    // Adds no actions, because actions_ is null here; the SoftReset below notifies the data path.
    server_.reset();
    words.set(kControl, kRecvBit, 1, 0);
    access.actions.data_path.emplace_back(SoftReset{});
  }
}

void RoceEngine::exchange(BlockWords& words, Access& access) {
  using namespace roce_engine_block;
  words.set(kControl, kRecvBit, 1, 0);
  listen(access.live.data);
  std::array<std::uint8_t, MetadataRequestBits::kBytes> request;
  words.get_bytes(kMetaDataTx, request);
  actions_ = &access.actions;
  const auto response = server_.handle(MetadataRequestBits(request));
  actions_ = nullptr;
  if (!response) return;
  words.set_bytes(kMetaDataRx, response->bytes());
  words.set(kControl, kRecvBit, 1, 1);
}

/// Updates the server with reports from the data path. Only QPs in RTS or SQD are updated, because in earlier
/// states the reported values are those of the slot's previous QP.
void RoceEngine::listen(const DataPathState& data) {
  for (const QpLive& live : data.qps) {
    if (!live.exists || live.qp < first_bus_qp_) continue;
    const std::size_t index = live.qp - first_bus_qp_;
    if (index >= server_.qp_count()) continue;
    const roce::QpState state = server_.qp(index).state;
    if (state != roce::QpState::kRts && state != roce::QpState::kSqd) continue;
    server_.on_next_psn(index, live.next_psn);
    if (live.failed) server_.on_qp_error(index);
  }
}

void RoceEngine::on_qp_state(std::size_t index, const QpContext& qp) {
  if (actions_ != nullptr)
    actions_->data_path.emplace_back(SetQp{.qp = first_bus_qp_ + index, .context = qp});
}

}  // namespace blocks
}  // namespace softfeb::board
