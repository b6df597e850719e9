// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"
#include "board/qp_control.hpp"
#include "board/slot_table.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace softfeb::board {

/// How many of each the board has; powers of two. Slot numbers are the top bits of handlers, keys and QPNs.
/// The defaults are the firmware's, and the only ones hardware was measured with.
struct MetadataLimits {
  std::size_t pds = 1;
  std::size_t mrs_per_pd = 2;
  std::size_t qps = 1;
};

/// Where the metadata server's queue pairs meet the data path's.
class QpObserver {
 public:
  virtual ~QpObserver() = default;

  /// Queue pair slot `index` changed its state, for `qp.state`: CREATE (new), INIT, RTR, RTS (may send), SQD
  /// (requests wait), ERR (flush), RESET (gone). Called inside MetadataServer::handle() or reset(), before
  /// the answer is given. Outstanding requests are the data path's to flush: the answer does not wait for it.
  virtual void on_qp_state(std::size_t index, const QpContext& qp) = 0;
};

/// The verbs server behind the board's metadata bus (CONTROL.md section 7, doc/metadata.md): a request gives
/// a response and perhaps a call of the observer. Sans-I/O, no allocation after construction, not
/// thread-safe. Any 303 bits are safe.
class MetadataServer {
 public:
  /// `observer` (may be null) outlives the server. Throws std::invalid_argument where a limit is no power of
  /// two, or is larger than 256 PDs, 256 MRs each, 65536 QPs.
  explicit MetadataServer(QpObserver* observer = nullptr, const MetadataLimits& limits = {});

  /// Nothing where the board does not answer: bus type 3. RecvMetaData then stays 0.
  std::optional<MetadataResponseBits> handle(const MetadataRequestBits& request);

  /// Reset of the transport core (SoftReset): every PD, MR and QP is gone.
  void reset();

  /// What the data path has to tell of a queue pair: a fatal error moved it to ERR; the PSN it will send
  /// next, which a query shows. `index` below qp_count().
  void on_qp_error(std::size_t index) { qps_[index].fail(); }
  void on_next_psn(std::size_t index, roce::Psn psn) { qps_[index].set_next_psn(psn); }

  std::size_t qp_count() const { return qps_.size(); }
  const QpContext& qp(std::size_t index) const { return qps_[index].context(); }

 private:
  PdResponse handle(const PdRequest& request);
  MrResponse handle(const MrRequest& request);
  QpResponse handle(const QpRequest& request);
  MrResponse free_mr(SlotTable<MrFields>& mrs, const MrRequest& request);
  QpResponse control(std::size_t index, const QpRequest& request);
  std::size_t pd_index(std::uint32_t handler) const;
  std::size_t qp_index(std::uint32_t qpn) const;

  QpObserver* observer_;
  SlotTable<std::uint32_t> pds_;             ///< keys
  std::vector<SlotTable<MrFields>> mrs_;     ///< of each PD slot; they outlive the PD
  SlotTable<std::uint32_t> qp_pd_handlers_;  ///< taken: the QPN is given out
  std::vector<QpControl> qps_;
};

}  // namespace softfeb::board
