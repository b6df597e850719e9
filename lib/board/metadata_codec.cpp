// SPDX-License-Identifier: BSD-3-Clause
#include "board/metadata_codec.hpp"

#include <type_traits>

namespace softfeb::board {
namespace {

constexpr std::size_t kRequestTypeLsb = 301;
constexpr std::size_t kResponseTypeLsb = 274;

// Each message has one layout function, which is used to read and to write it. The function calls
// visit(field, lsb, width) for each field.

template <typename Visit>
void layout(PdRequest& m, Visit visit) {
  visit(m.allocate, 64, 1);
  visit(m.key, 32, 32);
  visit(m.handler, 0, 32);
}

template <typename Visit>
void layout(PdResponse& m, Visit visit) {
  visit(m.success, 64, 1);
  visit(m.handler, 32, 32);
  visit(m.key, 0, 32);
}

/// The fields have the same order in requests and responses, but each field is one bit lower in a response.
template <typename Visit>
void layout(MrFields& m, std::size_t base, Visit visit) {
  visit(m.address, base + 134, 64);
  visit(m.length, base + 102, 32);
  visit(m.access, base + 94, 8);
  visit(m.pd_handler, base + 62, 32);
  visit(m.lkey_part, base + 31, 31);
  visit(m.rkey_part, base, 31);
}

template <typename Visit>
void layout(MrRequest& m, Visit visit) {
  visit(m.allocate, 263, 1);
  layout(m.mr, 65, visit);
  visit(m.by_lkey, 64, 1);
  visit(m.lkey, 32, 32);
  visit(m.rkey, 0, 32);
}

template <typename Visit>
void layout(MrResponse& m, Visit visit) {
  visit(m.success, 262, 1);
  layout(m.mr, 64, visit);
  visit(m.lkey, 32, 32);
  visit(m.rkey, 0, 32);
}

template <typename Visit>
void layout(QpFields& m, Visit visit) {
  visit(m.state, 213, 4);
  visit(m.current_state, 209, 4);
  visit(m.pmtu, 206, 3);
  visit(m.qkey, 174, 32);
  visit(m.rq_psn, 150, 24);
  visit(m.sq_psn, 126, 24);
  visit(m.dest_qpn, 102, 24);
  visit(m.access, 94, 8);
  visit(m.capabilities, 54, 40);
  visit(m.pkey, 38, 16);
  visit(m.sq_draining, 37, 1);
  visit(m.max_read_atomic, 29, 8);
  visit(m.max_dest_read_atomic, 21, 8);
  visit(m.min_rnr_timer, 16, 5);
  visit(m.timeout, 11, 5);
  visit(m.retry_count, 8, 3);
  visit(m.rnr_retry, 5, 3);
  visit(m.type, 1, 4);
  visit(m.sq_sig_all, 0, 1);
}

template <typename Visit>
void layout(QpRequest& m, Visit visit) {
  visit(m.verb, 299, 2);
  visit(m.pd_handler, 267, 32);
  visit(m.qpn, 243, 24);
  visit(m.mask, 217, 26);
  layout(m.qp, visit);
}

template <typename Visit>
void layout(QpResponse& m, Visit visit) {
  visit(m.success, 273, 1);
  visit(m.qpn, 249, 24);
  visit(m.pd_handler, 217, 32);
  layout(m.qp, visit);
}

template <typename Message, typename Bits>
Message read(const Bits& bits) {
  Message m;
  layout(m, [&](auto& field, std::size_t lsb, std::size_t width) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(bits.get(lsb, width));
  });
  return m;
}

/// The index of the alternative in the variant is the bus type: 0 for PD, 1 for MR, 2 for QP.
template <typename Bits, typename Message>
Bits write(Message message, std::size_t type_lsb) {
  Bits bits;
  bits.set(type_lsb, 2, message.index());
  std::visit(
      [&](auto& m) {
        layout(m, [&](const auto& field, std::size_t lsb, std::size_t width) {
          bits.set(lsb, width, static_cast<std::uint64_t>(field));
        });
      },
      message);
  return bits;
}

}  // namespace

std::optional<MetadataRequest> decode_request(const MetadataRequestBits& bits) {
  switch (bits.get(kRequestTypeLsb, 2)) {
    case 0:
      return read<PdRequest>(bits);
    case 1:
      return read<MrRequest>(bits);
    case 2:
      return read<QpRequest>(bits);
    default:
      return std::nullopt;
  }
}

std::optional<MetadataResponse> decode_response(const MetadataResponseBits& bits) {
  switch (bits.get(kResponseTypeLsb, 2)) {
    case 0:
      return read<PdResponse>(bits);
    case 1:
      return read<MrResponse>(bits);
    case 2:
      return read<QpResponse>(bits);
    default:
      return std::nullopt;
  }
}

MetadataRequestBits encode_request(const MetadataRequest& request) {
  return write<MetadataRequestBits>(request, kRequestTypeLsb);
}

MetadataResponseBits encode_response(const MetadataResponse& response) {
  return write<MetadataResponseBits>(response, kResponseTypeLsb);
}

}  // namespace softfeb::board
