// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks.hpp"
#include "endpoints.hpp"
#include "measurement.hpp"
#include "roce/copy_compare.hpp"
#include "roce/craft.hpp"
#include "roce/crc_compare.hpp"
#include "roce/icrc.hpp"
#include "roce/shift_table.hpp"

#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <isa-l/crc.h>
#include <rte_net_crc.h>
#include <zlib.h>

namespace softfeb::bench {

namespace {

constexpr std::array<std::size_t, 6> kSizes = {64, 256, 1024, 4096, 16'384, 65'536};

using Crc = std::uint32_t (*)(const std::uint8_t*, std::size_t);

struct CrcWay {
  const char* name;
  Crc crc;
};

constexpr std::array<CrcWay, 4> kWays{{
    {"isal", [](const std::uint8_t* p, std::size_t n) { return crc32_gzip_refl(0, p, n); }},
    {"rte_net_crc",
     [](const std::uint8_t* p, std::size_t n) {
       return rte_net_crc_calc(p, static_cast<std::uint32_t>(n), RTE_NET_CRC32_ETH);
     }},
    {"zlib", [](const std::uint8_t* p,
                std::size_t n) { return static_cast<std::uint32_t>(::crc32(0, p, static_cast<uInt>(n))); }},
    {"roce", [](const std::uint8_t* p, std::size_t n) { return roce::crc32(0, ByteSpan(p, n)); }},
}};

/// Checks that all implementations return the same CRC, because otherwise their speeds could not be
/// compared.
void compare_ways(const std::vector<std::uint8_t>& bytes) {
  for (const std::size_t size : kSizes) {
    for (const CrcWay& way : kWays) {
      if (way.crc(bytes.data(), size) != kWays[0].crc(bytes.data(), size))
        throw std::logic_error(std::string("another CRC by ") + way.name);
    }
  }
}

Json over_bytes(const PartOptions& o, const std::vector<std::uint8_t>& bytes) {
  Json out;
  for (const std::size_t size : kSizes) {
    Costs costs;
    for (const CrcWay& way : kWays) {
      costs.add(way.name, [&bytes, size, crc = way.crc](std::uint64_t times) {
        for (; times != 0; --times) keep_value(crc(bytes.data(), size));
      });
    }
    costs.measure(o.runs, o.duration);
    out[std::to_string(size)] = costs.json([size](double ns) { return static_cast<double>(size) / ns; });
  }
  return out;
}

/// Measures how fast payload is checked, compared and stored: first in one pass, with each kernel that the
/// CPU supports, and then in two passes. The payload stays in the caches.
Json checked_and_stored(const PartOptions& o, const std::vector<std::uint8_t>& bytes) {
  Json out;
  std::vector<std::uint8_t> to(roce::kMaxPayload);
  for (const std::size_t size : {256U, 1024U, 4096U}) {
    const ByteSpan got(bytes.data(), size);
    const std::uint32_t crc = roce::crc32(0, got);
    Costs costs;
    for (const roce::CrcKernel& kernel : roce::crc_kernels()) {
      if (!kernel.supported) continue;
      costs.add(kernel.name, [&to, got, crc, store = kernel.store](std::uint64_t times) {
        for (; times != 0; --times) keep_value(store(0, crc, got, got.data(), to.data()).crc_matches);
      });
    }
    costs.add("two_passes", [&to, got](std::uint64_t times) {
      for (; times != 0; --times) {
        keep_value(roce::crc32(0, got));
        keep_value(roce::copy_and_compare(to.data(), got.data(), got.data(), got.size()));
      }
    });
    costs.add("memcpy", [&to, got](std::uint64_t times) {
      for (; times != 0; --times) {
        std::memcpy(to.data(), got.data(), got.size());
        keep_value(to[0]);
      }
    });
    costs.measure(o.runs, o.duration);
    out[std::to_string(size)] = costs.json([size](double ns) { return static_cast<double>(size) / ns; });
  }
  return out;
}

/// Measures the parts of an iCRC that are computed once per packet.
Json by_packet(const PartOptions& o) {
  const roce::HeaderTemplate path(path_to_peer());
  roce::RequestPacket p;
  p.opcode = roce::opcode(roce::Transport::kRc, roce::Operation::kWriteMiddle);
  p.payload_length = 4096;
  std::array<std::uint8_t, 128> header{};
  std::array<std::uint8_t, 8> trailer{};
  const std::uint32_t factor = roce::crc32_shift_factor(4096);
  const std::size_t size = path.size() + roce::Bth::kSize;
  Costs costs;
  costs.add("icrc_of_headers", [&](std::uint64_t times) {
    for (; times != 0; --times) keep_value(roce::icrc_headers(ByteSpan(header).subspan(14, size - 14)));
  });
  std::uint32_t crc = 1;
  costs.add("combine", [&](std::uint64_t times) {
    for (; times != 0; --times) crc = roce::crc32_combine_prepared(crc, 7, factor);
    keep_value(crc);
  });
  costs.add("craft_middle_packet", [&](std::uint64_t times) {
    for (; times != 0; --times) {
      p.psn = static_cast<roce::Psn>(times) & roce::kPsnMask;
      roce::craft_request(path, p, kFirstQpn, roce::kDefaultPkey, static_cast<std::uint16_t>(times), nullptr,
                          7U, header.data(), trailer.data());
      keep_value(trailer[3]);
    }
  });
  costs.measure(o.runs, o.duration);
  return costs.json();
}

}  // namespace

Json bench_crc(const Environment& environment, const PartOptions& o) {
  std::vector<std::uint8_t> bytes(kSizes.back());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  compare_ways(bytes);
  return {{"benchmark", "crc"},
          {"runs", o.runs},
          {"gbytes_per_s", over_bytes(o, bytes)},
          {"stored_gbytes_per_s", checked_and_stored(o, bytes)},
          {"by_packet_ns", by_packet(o)},
          {"machine", machine_facts(&environment)}};
}

}  // namespace softfeb::bench
