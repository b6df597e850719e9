// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/block.hpp"
#include "board/metadata.hpp"

#include <cstddef>

namespace softfeb::board::blocks {

/// Connects RoceEngine's registers to the metadata bus. On a rising edge of SendMetaData, the message in
/// MetaDataTx is processed within the same access. Afterwards, RecvMetaData is 1 and MetaDataRx contains the
/// response; if the board does not answer, RecvMetaData is 0.
class RoceEngine final : public Block, private QpObserver {
 public:
  RoceEngine(const MetadataLimits& limits, std::size_t first_bus_qp, bool soft_reset);

  void on_write(BlockWords& words, const WordWrite& word, Access& access) override;
  bool write_needs_data_path(std::uint32_t offset) const override;

  const MetadataServer& server() const { return server_; }

 private:
  void on_qp_state(std::size_t index, const QpContext& qp) override;
  void exchange(BlockWords& words, Access& access);
  void listen(const DataPathState& data);

  MetadataServer server_;
  std::size_t first_bus_qp_;
  bool soft_reset_;             ///< the profile has SoftReset
  Actions* actions_ = nullptr;  ///< actions of the current access; null between accesses
};

}  // namespace softfeb::board::blocks
