// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/mesh.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

std::vector<std::uint16_t> ports_with_roles(const Context& ctx) {
  std::vector<std::uint16_t> out = ctx.roles().senders();
  out.push_back(ctx.roles().d);
  return out;
}

}  // namespace

Mesh::Mesh(const Context& ctx, double share) {
  const std::vector<std::uint16_t> ports = ports_with_roles(ctx);
  std::uint32_t largest = UINT32_MAX;
  for (const std::uint16_t port : ports) largest = std::min(largest, ctx.large_size(port, ctx.roles().d));
  for (const std::uint32_t size : ctx.settings.sizes)
    if (size <= largest) sizes_.push_back(size);
  if (sizes_.empty()) sizes_.push_back(largest);
  for (const std::uint16_t from : ports) {
    for (const std::uint16_t to : ports) {
      if (from == to) continue;
      const std::uint64_t rate = std::min(ctx.rate(from), ctx.rate(to)) / (ports.size() - 1);
      Time sum = 0;
      for (const std::uint32_t size : sizes_) {
        sum += time_on_wire(size - kFcsSize, rate);
        names_.push_back(ctx.rig.ports()[from].name + " to " + ctx.rig.ports()[to].name + ", " +
                         std::to_string(size) + " bytes");
      }
      const double mean = static_cast<double>(sum) / static_cast<double>(sizes_.size());
      streams_.push_back({from, to, static_cast<Time>(mean / share)});
    }
  }
}

void Mesh::add(Context& ctx, Trial& trial, Time time) const {
  for (const Stream& stream : streams_) {
    Source source{.port = stream.from,
                  .mixed = true,
                  .end = time,
                  .gap = stream.gap,
                  .gap_kind = GapKind::kExponential,
                  .seed = ctx.seed()};
    for (const std::uint32_t size : sizes_) {
      source.kinds.push_back(static_cast<std::uint16_t>(trial.kinds.size()));
      trial.kinds.push_back(ctx.frame(stream.to, size));
    }
    trial.sources.push_back(std::move(source));
  }
}

double Mesh::frame_rate() const {
  double out = 0;
  for (const Stream& stream : streams_) out += static_cast<double>(kSecond) / static_cast<double>(stream.gap);
  return out;
}

}  // namespace softfeb::switchtest
