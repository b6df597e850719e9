// SPDX-License-Identifier: BSD-3-Clause
#include "acknowledger.hpp"

#include "roce/congestion_frame.hpp"
#include "roce/craft.hpp"
#include "roce/ip.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::bench {

namespace {

/// Returns the congestion control header of an acknowledgement, with one INT record of an idle port. The port
/// is slow, so its byte counter cannot wrap between two records, and HPCC uses every record.
std::array<std::uint8_t, kIntHeader> int_echo() {
  std::array<std::uint8_t, roce::CongestionHeader::kMaxSize> cch{};
  if (roce::write_int_header(cch.data()) != kIntHeader) throw std::logic_error("INT headers have 48 bytes");
  roce::add_hop(cch, {.rate_code = 0, .queue = 1}, 1);
  roce::make_echo(cch, 0);
  std::array<std::uint8_t, kIntHeader> out;
  std::copy_n(cch.begin(), out.size(), out.begin());
  return out;
}

/// Offsets of the checksum and of the first record in the congestion control header.
constexpr std::size_t kChecksum = 4, kRecord = 8;

}  // namespace

AckWriter::AckWriter(const roce::Path& path, bool int_records)
    : int_records_(int_records), bth_(kBthOffset + (int_records ? kIntHeader : 0)) {
  const roce::HeaderTemplate headers(path);
  const auto icrc = [&](roce::Qpn qpn, roce::Psn psn) {
    std::array<std::uint8_t, 8> trailer;  // unused, but craft_acknowledge() writes it
    const roce::Crafted c = roce::craft_acknowledge(headers, {roce::Aeth::ack(), 0}, psn, qpn,
                                                    roce::kDefaultPkey, 0, frame_.data(), trailer.data());
    if (c.header_length + c.trailer_length != kPlainSize)
      throw std::logic_error("acknowledgements are of IPv4 here");
    std::uint16_t length = c.header_length;
    if (int_records) {
      length = roce::insert_congestion_header(headers, int_echo(), roce::kCongestionUdpPort, frame_.data(),
                                              length);
    }
    std::copy_n(trailer.begin(), roce::kIcrcSize, frame_.begin() + length);
    size_ = static_cast<std::uint16_t>(length + roce::kIcrcSize);
    return load_le32(trailer.data());
  };
  base_ = icrc(0, 0);
  for (unsigned k = 0; k < 3; ++k) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      qpn_[k][byte] = icrc(byte << 8 * k, 0) ^ base_;
      psn_[k][byte] = icrc(0, byte << 8 * k) ^ base_;
    }
  }
  icrc(0, 0);
}

/// Writes the next record to the frame. Each record is 10 ns later than the previous one.
void AckWriter::advance_record(std::uint8_t* frame) {
  std::uint8_t* const cch = frame + kBthOffset;
  record_time_ += 10;
  const congestion::IntRecord record{.rate_code = 0, .time = record_time_, .queue = 1};
  store_be64(cch + kRecord, record.pack());
  store_be16(cch + kChecksum, 0);
  store_be16(cch + kChecksum, roce::internet_checksum({cch, kIntHeader}));
}

Acknowledger::Acknowledger(const roce::Path& path, unsigned lcores, dataplane::Mempools& pools,
                           bool int_records)
    : writer_(path, int_records),
      bth_(kBthOffset + (int_records ? kIntHeader : 0)),
      pool_(pools.create("acknowledgements", dataplane::pool_size(512, lcores), 192)),
      owed_(kRoom) {
  // Mbufs keep their contents when they are freed, so the frame is copied to each mbuf only once.
  rte_mempool_obj_iter(
      pool_,
      [](rte_mempool*, void* writer, void* object, unsigned) {
        auto* const m = static_cast<rte_mbuf*>(object);
        const auto& frame = static_cast<const AckWriter*>(writer)->frame();
        std::memcpy(static_cast<std::uint8_t*>(m->buf_addr) + RTE_PKTMBUF_HEADROOM, frame.data(),
                    frame.size());
      },
      &writer_);
}

void Acknowledger::note(rte_mbuf* const* packets, std::uint16_t n) {
  for (std::uint16_t i = 0; i < n; ++i) {
    const std::uint8_t* const bth = rte_pktmbuf_mtod(packets[i], const std::uint8_t*) + bth_;
    const std::uint32_t psn = load_be32(bth + 8);
    // Store the entry in any case, but count it only if an acknowledgement was requested. This avoids a
    // branch.
    owed_[end_ % kRoom] = {load_be32(bth + 4) & roce::kPsnMask, psn & roce::kPsnMask};
    end_ += psn >> 31;
  }
}

std::uint16_t Acknowledger::make(rte_mbuf** frames, std::uint16_t room) {
  const auto n = static_cast<std::uint16_t>(std::min<std::uint64_t>(end_ - first_, room));
  if (n == 0 || rte_pktmbuf_alloc_bulk(pool_, frames, n) != 0) return 0;
  for (std::uint16_t i = 0; i < n; ++i) {
    rte_mbuf* const m = frames[i];
    const Owed& owed = owed_[first_++ % kRoom];
    writer_.patch(rte_pktmbuf_mtod(m, std::uint8_t*), owed.qpn, owed.psn);
    m->data_len = writer_.size();
    m->pkt_len = writer_.size();
  }
  return n;
}

AckSource::AckSource(std::uint16_t port, std::uint16_t queue, const roce::Path& path, unsigned lcores,
                     dataplane::Mempools& pools, bool int_records)
    : port_(port), queue_(queue), acknowledger_(path, lcores, pools, int_records) {
  tx_ = rte_eth_add_tx_callback(
      port, queue,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, void* self) {
        static_cast<Acknowledger*>(self)->note(packets, n);
        return n;
      },
      &acknowledger_);
  rx_ = rte_eth_add_rx_callback(
      port, queue,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, std::uint16_t room, void* self) {
        const auto acks =
            static_cast<Acknowledger*>(self)->make(packets + n, static_cast<std::uint16_t>(room - n));
        return static_cast<std::uint16_t>(n + acks);
      },
      &acknowledger_);
}

AckSource::~AckSource() {
  rte_eth_remove_tx_callback(port_, queue_, tx_);
  rte_eth_remove_rx_callback(port_, queue_, rx_);
}

}  // namespace softfeb::bench
