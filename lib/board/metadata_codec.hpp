// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/bit_string.hpp"

#include <cstdint>
#include <optional>
#include <variant>

/// Messages of the RoCE metadata bus (doc/metadata.md). Requests have 303 bits, and responses have 276 bits.
/// Fields contain the raw bits. Undefined values, such as state 13, are decoded like all other values; only
/// the server validates them.
namespace softfeb::board {

using MetadataRequestBits = BitString<303>;   ///< 40 bytes at MetaDataTx
using MetadataResponseBits = BitString<276>;  ///< 36 bytes at MetaDataRx

/// Protection domain.
struct PdRequest {
  bool allocate = false;
  std::uint32_t key = 0;      ///< allocate: the handler is derived from this key
  std::uint32_t handler = 0;  ///< free: the PD to free

  bool operator==(const PdRequest&) const = default;
};
struct PdResponse {
  bool success = false;
  std::uint32_t handler = 0;
  std::uint32_t key = 0;

  bool operator==(const PdResponse&) const = default;
};

/// Memory region of the board. The members lkey_part and rkey_part have 31 bits. A key consists of the slot
/// number (high bits) and the low bits of lkey_part or rkey_part.
struct MrFields {
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint8_t access = 0;
  std::uint32_t pd_handler = 0;
  std::uint32_t lkey_part = 0;
  std::uint32_t rkey_part = 0;

  bool operator==(const MrFields&) const = default;
};
struct MrRequest {
  bool allocate = false;
  MrFields mr{};
  bool by_lkey = false;  ///< free: true if the lkey contains the slot number, false if the rkey contains it
  std::uint32_t lkey = 0;
  std::uint32_t rkey = 0;

  bool operator==(const MrRequest&) const = default;
};
struct MrResponse {
  bool success = false;
  MrFields mr{};
  std::uint32_t lkey = 0;
  std::uint32_t rkey = 0;

  bool operator==(const MrResponse&) const = default;
};

enum class QpVerb : std::uint8_t { kCreate = 0, kDestroy = 1, kModify = 2, kQuery = 3 };

/// Queue pair attributes on the bus. `state` and `current_state` contain a roce::QpState. The other
/// attributes have the same values as in the verbs API.
struct QpFields {
  std::uint8_t state = 0;
  std::uint8_t current_state = 0;
  std::uint8_t pmtu = 0;  ///< path MTU as a code: 1…5 for 256…4096 bytes
  std::uint32_t qkey = 0;
  std::uint32_t rq_psn = 0;
  std::uint32_t sq_psn = 0;
  std::uint32_t dest_qpn = 0;
  std::uint8_t access = 0;
  std::uint64_t capabilities = 0;  ///< 40 bits
  std::uint16_t pkey = 0;
  bool sq_draining = false;
  std::uint8_t max_read_atomic = 0;
  std::uint8_t max_dest_read_atomic = 0;
  std::uint8_t min_rnr_timer = 0;
  std::uint8_t timeout = 0;
  std::uint8_t retry_count = 0;
  std::uint8_t rnr_retry = 0;
  std::uint8_t type = 0;  ///< 2: RC, 3: UC
  bool sq_sig_all = false;

  bool operator==(const QpFields&) const = default;
};

/// Bits of the attribute mask in a modify request. The mask states which attributes the request sets.
namespace qp_attr {
inline constexpr std::uint32_t kState = 1, kAccess = 8, kPkey = 16, kPmtu = 256, kTimeout = 512,
                               kRetryCount = 1024, kRnrRetry = 2048, kRqPsn = 4096, kMaxReadAtomic = 8192,
                               kMinRnrTimer = 32768, kSqPsn = 65536, kMaxDestReadAtomic = 131072,
                               kDestQpn = 1048576;
}

struct QpRequest {
  QpVerb verb = QpVerb::kCreate;
  std::uint32_t pd_handler = 0;
  std::uint32_t qpn = 0;
  std::uint32_t mask = 0;
  QpFields qp{};

  bool operator==(const QpRequest&) const = default;
};
struct QpResponse {
  bool success = false;
  std::uint32_t qpn = 0;
  std::uint32_t pd_handler = 0;
  QpFields qp{};

  bool operator==(const QpResponse&) const = default;
};

using MetadataRequest = std::variant<PdRequest, MrRequest, QpRequest>;
using MetadataResponse = std::variant<PdResponse, MrResponse, QpResponse>;

/// Both functions return nullopt for bus type 3, which is unused.
std::optional<MetadataRequest> decode_request(const MetadataRequestBits& bits);
std::optional<MetadataResponse> decode_response(const MetadataResponseBits& bits);

/// Both functions set unused bits to 0.
MetadataRequestBits encode_request(const MetadataRequest& request);
MetadataResponseBits encode_response(const MetadataResponse& response);

}  // namespace softfeb::board
