// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"
#include "board/qp_control.hpp"
#include "board/slot_table.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace softfeb::board {

/// Numbers of protection domains, memory regions per protection domain, and queue pairs of a board. These
/// numbers must be powers of two. The top bits of PD handlers (the firmware's name for handles), keys and
/// QPNs contain the slot number. The defaults are those of the firmware. The behaviour with other values has
/// not been compared with hardware.
struct MetadataLimits {
  std::size_t pds = 1;
  std::size_t mrs_per_pd = 2;
  std::size_t qps = 1;
};

/// Receives state changes of the metadata server's queue pairs on behalf of the data path.
class QpObserver {
 public:
  virtual ~QpObserver() = default;

  /// Reports that queue pair slot `index` changed its state to `qp.state`: CREATE (new), INIT, RTR, RTS (may
  /// send), SQD (requests wait), ERR (requests are flushed), RESET (destroyed). Called from
  /// MetadataServer::handle() or reset(), before the response is returned. After a change to ERR or RESET,
  /// the data path flushes the outstanding requests; the response does not wait for the end of this flush.
  virtual void on_qp_state(std::size_t index, const QpContext& qp) = 0;
};

/// The verbs server of the board's metadata bus (doc/metadata.md). Handling a request produces a response and
/// may call the observer. Sans-I/O, no allocation after construction, not thread-safe. Accepts any 303-bit
/// request.
class MetadataServer {
 public:
  /// `observer` may be null; otherwise it must outlive the server. Throws std::invalid_argument if a limit is
  /// not a power of two, or exceeds 256 PDs, 256 MRs per PD or 65536 QPs.
  explicit MetadataServer(QpObserver* observer = nullptr, const MetadataLimits& limits = {});

  /// Returns nullopt for bus type 3, which the board does not answer. RecvMetaData then stays 0.
  std::optional<MetadataResponseBits> handle(const MetadataRequestBits& request);

  /// Resets the transport core (SoftReset): destroys every PD, MR and QP.
  void reset();

  /// The data path calls these functions. on_qp_error() reports that a fatal error has moved the QP to ERR.
  /// on_next_psn() reports the PSN of the next packet, which a query returns. `index` must be less than
  /// qp_count().
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
  SlotTable<std::uint32_t> pds_;          ///< key of each PD
  std::vector<SlotTable<MrFields>> mrs_;  ///< MRs of each PD slot; they remain when the PD is freed
  /// PD handler of each QP. A slot is taken as long as its QPN is allocated.
  SlotTable<std::uint32_t> qp_pd_handlers_;
  std::vector<QpControl> qps_;
};

}  // namespace softfeb::board
