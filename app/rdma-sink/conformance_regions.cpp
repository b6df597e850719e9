// SPDX-License-Identifier: BSD-3-Clause
#include "conformance_regions.hpp"

#include "guarded_memory.hpp"
#include "remote_access.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::sink {

namespace {

using nlohmann::json;

/// Number of attempts to get a key that differs from all keys in invalid_.
constexpr int kKeyAttempts = 8;

}  // namespace

ConformanceRegions::ConformanceRegions(const Device& device, ibv_pd* pd, std::uint64_t memory)
    : device_(device), pd_(pd), memory_(memory), supported_(supported_access(device)) {}

std::uint64_t ConformanceRegions::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [number, region] : regions_) sum += region.memory.bytes().size();
  return sum;
}

bool ConformanceRegions::invalid(std::uint32_t rkey) const {
  return std::find(invalid_.begin(), invalid_.end(), rkey) != invalid_.end();
}

/// Registers memory with a key that is not in invalid_. A device may assign the key of a deregistered region
/// again. Keeps a registration with such a key until the function returns, because the device would otherwise
/// assign the same key once more.
MrPtr ConformanceRegions::register_distinct(ibv_pd* pd, MutableByteSpan memory, int access) const {
  std::vector<MrPtr> taken;
  for (int i = 0; i < kKeyAttempts; ++i) {
    MrPtr mr = register_region(pd, memory, access);
    if (!invalid(mr->rkey)) return mr;
    taken.push_back(std::move(mr));
  }
  throw Refusal(
      "the device assigns the keys of deregistered regions again; fix: free the deregistered regions");
}

ConformanceRegions::Region ConformanceRegions::create(const RegionRequest& request, int access) {
  if (request.other_pd && !other_pd_) other_pd_ = allocate_pd(device_);
  Region region{MappedMemory(guarded_size(request.size)), nullptr, 0, request.size};
  ibv_pd* pd = request.other_pd ? other_pd_.get() : pd_;
  region.mr = register_distinct(pd, region.memory.bytes().subspan(kGuard, request.size), access);
  region.rkey = region.mr->rkey;
  return region;
}

void ConformanceRegions::deregister(Region& region) {
  region.mr.reset();
  invalid_.push_back(region.rkey);
}

json ConformanceRegions::add(const RegionsRequest& request, std::uint64_t in_use) {
  if (regions_.size() + request.regions.size() > kMaxRegions)
    throw Refusal("a session has at most " + std::to_string(kMaxRegions) + " regions; fix: free some");
  std::uint64_t more = 0;
  for (const RegionRequest& r : request.regions) more += guarded_size(r.size);
  check_memory(in_use + bytes(), more, memory_);
  std::vector<Region> created;
  created.reserve(request.regions.size());
  for (const RegionRequest& r : request.regions)
    created.push_back(create(r, access_flags(r.access, roce::Transport::kRc, supported_)));
  // All regions are registered before any is deregistered, so that the key of a deregistered region is not
  // given to another region of the request.
  json list = json::array();
  for (std::size_t i = 0; i < created.size(); ++i) {
    if (request.regions[i].deregistered) deregister(created[i]);
    const Region& region = regions_.emplace(next_, std::move(created[i])).first->second;
    list.push_back({{"region", next_++},
                    {"address", reinterpret_cast<std::uintptr_t>(region.memory.bytes().data()) + kGuard},
                    {"rkey", region.rkey},
                    {"size", region.size}});
  }
  return list;
}

const ConformanceRegions::Region& ConformanceRegions::find(std::uint32_t region) const {
  const auto found = regions_.find(region);
  if (found == regions_.end())
    throw Refusal("there is no region " + std::to_string(region) +
                  "; fix: use a number from the answer to 'regions'");
  return found->second;
}

void ConformanceRegions::free(std::uint32_t region) {
  if (const Region& known = find(region); !known.mr) std::erase(invalid_, known.rkey);
  regions_.erase(region);
}

MutableByteSpan ConformanceRegions::bytes_of(const MemoryRange& range) const {
  return sink::bytes_of(find(range.region).memory.bytes(), range);
}

void ConformanceRegions::fill(const FillRequest& request) {
  const auto fill_range = [&](const MemoryRange& range) { std::ranges::fill(bytes_of(range), request.byte); };
  if (request.range) return fill_range(*request.range);
  if (request.region) return fill_range({*request.region, 0, find(*request.region).size});
  for (const auto& [number, region] : regions_) fill_range({number, 0, region.size});
}

}  // namespace softfeb::sink
