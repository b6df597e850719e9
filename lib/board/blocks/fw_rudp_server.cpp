// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"
#include "board/rate_meter.hpp"

#include <algorithm>
#include <array>

namespace softfeb::board {
namespace fw_rudp_server_block {
namespace {

constexpr std::uint32_t kControl = 0x00, kMaxOutsSeg = 0x0c, kMaxSegSize = 0x10, kRetransTimeout = 0x14,
                        kCumAckTimeout = 0x18, kNullSegTimeout = 0x1c, kMaxNumRetrans = 0x20,
                        kMaxCumAck = 0x24, kStatus = 0x40, kCounters = 0x44, kFrameRates = 0x54,
                        kBandwidths = 0x5c, kStates = 0x6c, kNumbers = 0x70;
constexpr unsigned kCloseBit = 1, kInjectBit = 4, kNegotiatedBit = 16;

constexpr EnumText kTxTransport[] = {
    {0, "INIT_S"},         {1, "DISS_CONN_S"}, {2, "CONN_S"},       {3, "SYN_H_S"},        {4, "ACK_H_S"},
    {5, "RST_WE_S"},       {6, "RST_H_S"},     {7, "NULL_WE_S"},    {8, "NULL_H_S"},       {9, "DATA_WE_S"},
    {10, "DATA_H_S"},      {11, "DATA_S"},     {12, "DATA_SENT_S"}, {13, "RESEND_INIT_S"}, {14, "RESEND_H_S"},
    {15, "RESEND_DATA_S"}, {16, "RESEND_PP_S"}};
constexpr EnumText kTxApplication[] = {
    {0, "IDLE_S"}, {1, "WAIT_SOF_S"}, {2, "SEG_RCV_S"}, {3, "SEG_RDY_S"}, {4, "SEG_LEN_ERR"}};
constexpr EnumText kTxAcknowledge[] = {
    {0, "IDLE_S"}, {1, "ACK_S"}, {2, "EACK_S"}, {3, "ERR_S"}, {4, "UNDEFINED"}};
constexpr EnumText kRxTransport[] = {{0, "WAIT_SOF_S"}, {1, "CHECK_S"}, {2, "SYN_CHECK_S"},
                                     {3, "DATA_S"},     {4, "VALID_S"}, {5, "DROP_S"}};
constexpr EnumText kRxApplication[] = {{0, "CHECK_BUFFER_S"}, {1, "DATA_S"}, {2, "SENT_S"}};
constexpr EnumText kConnection[] = {{0, "CLOSED_S"},   {1, "SEND_SYN_S"}, {2, "WAIT_SYN_S"},
                                    {3, "SEND_ACK_S"}, {4, "LISTEN_S"},   {5, "SEND_SYN_ACK_S"},
                                    {6, "WAIT_ACK_S"}, {7, "OPEN_S"},     {8, "SEND_RST_S"}};

constexpr RegisterSpec live(const char* name, std::uint32_t offset, unsigned bits, unsigned bit = 0) {
  return ro(name, offset, bits).bit(bit).polled(1);
}
constexpr RegisterSpec negotiated(const char* name, std::uint32_t offset, unsigned bits) {
  return ro(name, offset, bits).bit(kNegotiatedBit);
}

constexpr auto registers(const RssiLimits& own) {
  return std::array{
      rw("OpenConn", kControl, 1),
      rw("CloseConn", kControl, 1).bit(kCloseBit),
      rw("Mode", kControl, 1).bit(2),
      rw("HeaderChksumEn", kControl, 1).bit(3).resets_to(1),
      rw("InjectFault", kControl, 1).bit(kInjectBit),
      rw("locMaxOutsSeg", kMaxOutsSeg, 8).resets_to(own.max_outstanding),
      negotiated("curMaxOutsSeg", kMaxOutsSeg, 8),
      rw("locMaxSegSize", kMaxSegSize, 16).resets_to(own.max_segment),
      negotiated("curMaxSegSize", kMaxSegSize, 16),
      rw("locRetransTimeout", kRetransTimeout, 16).resets_to(own.retransmit_ms),
      negotiated("curRetransTimeout", kRetransTimeout, 16),
      rw("locCumAckTimeout", kCumAckTimeout, 16).resets_to(own.cumulative_ack_ms),
      negotiated("curCumAckTimeout", kCumAckTimeout, 16),
      rw("locNullSegTimeout", kNullSegTimeout, 16).resets_to(own.null_ms),
      negotiated("curNullSegTimeout", kNullSegTimeout, 16),
      rw("locMaxNumRetrans", kMaxNumRetrans, 8).resets_to(own.max_retransmissions),
      negotiated("curMaxNumRetrans", kMaxNumRetrans, 8),
      rw("locMaxCumAck", kMaxCumAck, 8).resets_to(own.max_cumulative_acks),
      negotiated("curMaxCumAck", kMaxCumAck, 8),
      live("ConnectionActive", kStatus, 1),
      live("LocalBusy", kStatus, 1, 7),
      live("RemoteBusy", kStatus, 1, 8),
      live("ValidCnt", kCounters, 32),
      live("DropCnt", kCounters + 4, 32),
      live("RetransmitCnt", kCounters + 8, 32),
      live("ReconnectCnt", kCounters + 12, 32),
      live("TxFrameRate", kFrameRates, 32),
      live("RxFrameRate", kFrameRates + 4, 32),
      live("TxBandwidth", kBandwidths, 64),
      live("RxBandwidth", kBandwidths + 8, 64),
      live("TxTspState", kStates, 8).named(kTxTransport),
      live("TxAppState", kStates, 4, 8).named(kTxApplication),
      live("TxAckState", kStates, 4, 12).named(kTxAcknowledge),
      live("RxTspState", kStates, 4, 16).named(kRxTransport),
      live("RxAppState", kStates, 4, 20).named(kRxApplication),
      live("ConnState", kStates, 4, 24).named(kConnection),
      live("TxLastAckN", kNumbers, 8),
      live("RxSeqN", kNumbers, 8, 8),
      live("RxAckN", kNumbers, 8, 16),
      live("RxLastSeqN", kNumbers, 8, 24),
  };
}

constexpr auto kRegisterLink = registers(kRssiLimits[0]);
constexpr auto kStreamLink = registers(kRssiLimits[1]);

void show_negotiated(BlockWords& words, const RssiLimits& n) {
  words.set(kMaxOutsSeg, kNegotiatedBit, 8, n.max_outstanding);
  words.set(kMaxSegSize, kNegotiatedBit, 16, n.max_segment);
  words.set(kRetransTimeout, kNegotiatedBit, 16, n.retransmit_ms);
  words.set(kCumAckTimeout, kNegotiatedBit, 16, n.cumulative_ack_ms);
  words.set(kNullSegTimeout, kNegotiatedBit, 16, n.null_ms);
  words.set(kMaxNumRetrans, kNegotiatedBit, 8, n.max_retransmissions);
  words.set(kMaxCumAck, kNegotiatedBit, 8, n.max_cumulative_acks);
}

RssiLimits own_limits(const BlockWords& words) {
  return {.max_outstanding = static_cast<std::uint8_t>(words.get(kMaxOutsSeg, 0, 8)),
          .max_segment = static_cast<std::uint16_t>(words.get(kMaxSegSize, 0, 16)),
          .retransmit_ms = static_cast<std::uint16_t>(words.get(kRetransTimeout, 0, 16)),
          .cumulative_ack_ms = static_cast<std::uint16_t>(words.get(kCumAckTimeout, 0, 16)),
          .null_ms = static_cast<std::uint16_t>(words.get(kNullSegTimeout, 0, 16)),
          .max_retransmissions = static_cast<std::uint8_t>(words.get(kMaxNumRetrans, 0, 8)),
          .max_cumulative_acks = static_cast<std::uint8_t>(words.get(kMaxCumAck, 0, 8))};
}

class FwRudpServer final : public Block {
 public:
  explicit FwRudpServer(std::size_t link) : link_(link) {}

  void refresh(BlockWords& words, const LiveState& live, Time now) override {
    const RssiState& s = live.rssi[link_];
    show_negotiated(words, s.negotiated);
    show_status(words, s);
    words.set(kFrameRates, static_cast<std::uint32_t>(tx_segments_.rate(s.tx_segments, now)));
    words.set(kFrameRates + 4, static_cast<std::uint32_t>(rx_segments_.rate(s.rx_segments, now)));
    words.set64(kBandwidths, tx_bytes_.rate(s.tx_bytes, now));
    words.set64(kBandwidths + 8, rx_bytes_.rate(s.rx_bytes, now));
  }

  void on_write(BlockWords& words, const WordWrite& word, Access& /*access*/) override {
    if (word.offset == kControl) {
      asked_.close = asked_.close || word.rose(kCloseBit);
      asked_.inject_fault = asked_.inject_fault || word.rose(kInjectBit);
      written_ = true;
    } else if (word.offset <= kMaxCumAck) {
      written_ = true;
    }
    if (word.offset != kMaxSegSize) return;
    // The firmware's segment buffer limits the segment size.
    const std::uint32_t size = words.get(kMaxSegSize, 0, 16);
    words.set(kMaxSegSize, 0, 16, std::clamp<std::uint32_t>(size, 8, kRssiLimits[link_].max_segment));
  }

  void end_write(BlockWords& words, Access& access) override {
    if (!written_) return;
    asked_.link = link_;
    asked_.parameters = own_limits(words);
    access.actions.links.push_back(asked_);
    asked_ = {};
    written_ = false;
  }

 private:
  static void show_status(BlockWords& words, const RssiState& s) {
    const bool open = s.connection == RssiConnection::kOpen;
    words.set(kStatus, 0, 1, open ? 1 : 0);
    words.set(kStatus, 7, 1, s.local_busy ? 1 : 0);
    words.set(kStatus, 8, 1, s.remote_busy ? 1 : 0);
    words.set(kCounters, static_cast<std::uint32_t>(s.valid));
    words.set(kCounters + 4, static_cast<std::uint32_t>(s.dropped));
    words.set(kCounters + 8, static_cast<std::uint32_t>(s.retransmitted));
    words.set(kCounters + 12, static_cast<std::uint32_t>(s.reconnects));
    // Transient states of the firmware's transport last less than one access, so the registers show the idle
    // state.
    words.set(kStates, open ? 2 : 1);
    words.set(kStates, 24, 4, static_cast<std::uint32_t>(s.connection));
    words.set(kNumbers, 0, 8, s.tx_last_ack);
    words.set(kNumbers, 8, 8, s.rx_seq);
    words.set(kNumbers, 16, 8, s.rx_ack);
    words.set(kNumbers, 24, 8, s.rx_last_seq);
  }

  std::size_t link_;
  RateMeter tx_segments_, rx_segments_, tx_bytes_, rx_bytes_;
  SetRssi asked_{};
  bool written_ = false;
};

}  // namespace
}  // namespace fw_rudp_server_block

tables::Table tables::fw_rudp_server(std::size_t link) {
  using namespace fw_rudp_server_block;
  return link == 0 ? kRegisterLink : kStreamLink;
}

std::unique_ptr<Block> blocks::fw_rudp_server(std::size_t link) {
  using namespace fw_rudp_server_block;
  return std::make_unique<FwRudpServer>(link);
}

}  // namespace softfeb::board
