// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance_requests.hpp"
#include "verbs_memory.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace softfeb::sink {

/// The memory regions of a conformance session. Each region has a number, which is not reused.
class ConformanceRegions {
 public:
  /// `device` must outlive this object. `pd` is the protection domain of the queue pairs, and must be freed
  /// after this object. `memory` is the maximum number of bytes that the session may use, including the
  /// regions and their guards.
  ConformanceRegions(const Device& device, ibv_pd* pd, std::uint64_t memory);

  /// Adds the requested regions. Returns their numbers, addresses, keys and sizes. `in_use` is the number of
  /// bytes of the session that are used for purposes other than regions. If a region cannot be added, adds
  /// none and throws Refusal.
  nlohmann::json add(const RegionsRequest& request, std::uint64_t in_use);
  /// Deregisters a region and frees its memory. Throws Refusal.
  void free(std::uint32_t region);

  std::uint64_t bytes() const;  ///< memory of all regions with their guards
  void fill(const FillRequest& request);
  /// Returns the bytes of `range`. Throws Refusal if the region does not exist, or if the range exceeds the
  /// region and its guards.
  MutableByteSpan bytes_of(const MemoryRange& range) const;

 private:
  struct Region {
    MappedMemory memory;  ///< the region and its guards
    MrPtr mr;             ///< null if the region was deregistered
    std::uint32_t rkey = 0;
    std::uint64_t size = 0;
  };
  Region create(const RegionRequest& request, int access);
  const Region& find(std::uint32_t region) const;
  MrPtr register_distinct(ibv_pd* pd, MutableByteSpan memory, int access) const;
  void deregister(Region& region);
  bool invalid(std::uint32_t rkey) const;

  const Device& device_;
  ibv_pd* pd_;
  std::uint64_t memory_;
  int supported_;   ///< remote operations that the device supports (ibv_access_flags)
  PdPtr other_pd_;  ///< null until a region needs it
  std::map<std::uint32_t, Region> regions_;
  std::vector<std::uint32_t> invalid_;  ///< keys of deregistered regions, which must stay invalid
  std::uint32_t next_ = 0;
};

}  // namespace softfeb::sink
