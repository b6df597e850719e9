// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/boards.hpp"

namespace softfeb::switchtest {

FrameKind board_frame(const Context& ctx, std::uint16_t number, std::uint32_t with_fcs) {
  constexpr std::uint32_t kFirstQp = 0x200;
  FrameKind out = ctx.frame(ctx.roles().d, with_fcs);
  out.plain_udp = false;
  out.dest_qp += number;
  out.rc_source_qp = kFirstQp + number;
  out.udp_source_port = static_cast<std::uint16_t>(out.udp_source_port + number);
  return out;
}

std::uint16_t add_board(Context& ctx, Trial& trial, std::uint16_t port, std::uint64_t line_rate, Time start,
                        Time end) {
  const auto kind = static_cast<std::uint16_t>(trial.kinds.size());
  trial.kinds.push_back(board_frame(ctx, kind, ctx.large_size(port, ctx.roles().d)));
  dcqcn::FirmwareSettings control;
  control.parameters = ctx.settings.dcqcn;
  control.build = {.line_rate = line_rate, .wrap32 = line_rate <= UINT32_MAX};
  if (!control.build.wrap32) control.bucket.arithmetic = dcqcn::BucketArithmetic::kExact;
  trial.sources.push_back(
      {.port = port, .kinds = {kind}, .start = start, .end = end, .seed = ctx.seed(), .dcqcn = control});
  return kind;
}

}  // namespace softfeb::switchtest
