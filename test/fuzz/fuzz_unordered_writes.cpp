// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: delivers the packets of WRITEs in any order, together with forged packets. Bytes may be written
// only inside the region, a WRITE must complete once and only when all its packets have been placed, and
// every packet must be counted or wait.
#include "input.hpp"
#include "roce/opcode.hpp"
#include "roce/unordered_writes.hpp"

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace softfeb;
using namespace softfeb::roce;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint32_t kPmtu = 64;
constexpr std::uint64_t kAddress = 1U << 20;

class Model final : public UnorderedSink {
 public:
  const MemoryRegion* admit(std::uint32_t, const Reth& reth) override {
    const MemoryRegion* const found = region.holds(reth.virtual_address, reth.dma_length) ? &region : nullptr;
    refused += found == nullptr ? 1 : 0;
    return found;
  }
  void place(std::uint32_t qp, std::uint64_t index, const Segments& bytes, std::uint8_t* to) override {
    require(to >= memory.data() && to + bytes.size() <= memory.data() + memory.size());
    bytes.copy(0, bytes.size(), to);
    placed[{qp, index}] = bytes.size();
    ++places;
  }
  void complete(std::uint32_t qp, std::uint64_t index, const MessageEvent& m) override {
    ++completions;
    if (m.length == 0) return;
    const std::uint64_t count = (m.length + kPmtu - 1) / kPmtu;
    std::uint64_t bytes = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto found = placed.find({qp, index - k});
      require(found != placed.end());
      bytes += found->second;
      placed.erase(found);
    }
    require(bytes == m.length);
  }
  void abandoned(std::uint32_t, std::uint32_t bytes) override { given_up += bytes; }
  void dropped(std::uint32_t, RegistrationVerdict) override { ++drops; }
  void duplicate(std::uint32_t) override { ++duplicates; }

  std::array<std::uint8_t, 1024> memory{};
  MemoryRegion region{kAddress, memory.size(), 1, memory.data()};
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> placed;
  std::uint64_t places = 0, completions = 0, drops = 0, duplicates = 0, refused = 0, given_up = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Model model;
  const UnorderedConfig config{.pmtu = kPmtu,
                               .packets = 1 + in.byte() % 8U,
                               .entries = 1 + in.byte() % 4U,
                               .escape = in.byte() % 5U,
                               .timeout = Time{1} + in.byte(),
                               .remember = in.byte() % 6U};
  UnorderedWrites writes(config, model);
  std::array<std::uint8_t, kPmtu> payload{};
  Time now = 0;
  std::uint64_t base = in.byte() % 2 == 0 ? 0 : (std::uint64_t{1} << 40) - 20;
  while (!in.empty()) {
    now += in.byte() % 16;
    base += in.byte() % 16 / 15;
    const std::uint8_t what = in.byte();
    const std::uint32_t qp = what % 3;
    const std::uint64_t index = base + in.byte() % 24;
    // In most cases, the packets with index 3n, 3n + 1 and 3n + 2 form WRITE n, and k is the position in the
    // WRITE.
    ReceivedRequest r;
    const std::uint64_t k = index % 3;
    auto op = k == 0 ? Operation::kWriteFirst : k == 1 ? Operation::kWriteMiddle : Operation::kWriteLastImm;
    std::size_t length = k == 2 ? 1 + index % kPmtu : kPmtu;
    r.reth = {kAddress + index % 10 * kPmtu, 1,
              static_cast<std::uint32_t>(2 * kPmtu + 1 + (index + 2) % kPmtu)};
    if (what > 200) op = static_cast<Operation>(in.byte() % 32);
    if (what % 16 == 1) length = in.byte() % (kPmtu + 1U);
    if (what % 16 == 2) r.reth.dma_length = static_cast<std::uint32_t>(in.size(700));
    if (what % 16 == 3) r.reth.virtual_address = kAddress + in.size(2000) - 500;
    r.bth.opcode = opcode(Transport::kUc, op);
    r.bth.pad_count = what % 32 == 4 ? in.byte() % 4 : -length & 3U;
    r.payload = ByteSpan(payload).first(length);
    const std::uint64_t before =
        model.places + model.completions + model.drops + model.duplicates + model.refused;
    const std::size_t waiting = writes.table().waiting();
    writes.packet(now, qp, index, r);
    const std::uint64_t after =
        model.places + model.completions + model.drops + model.duplicates + model.refused;
    require(after != before || writes.table().waiting() > waiting);
    require(writes.table().open() <= config.entries && writes.table().waiting() <= config.escape);
    require(writes.next_event() > now);
  }
  writes.advance(now + 1000);
  require(writes.table().open() == 0 && writes.table().waiting() == 0);
  return 0;
}
