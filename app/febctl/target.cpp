// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "failure.hpp"
#include "value.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {
constexpr std::uint64_t kMaxBytes = 1U << 20;
}

Target parse_target(const Catalogue& catalogue, const std::string& text) {
  const bool address = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!address) return {catalogue.resolve(text), std::nullopt};
  const std::size_t colon = text.find(':');
  std::uint64_t at = 0;
  std::uint64_t bytes = 4;
  if (!parse_number(std::string_view(text).substr(0, colon), at) || at > 0xffff'fffc || at % 4 != 0)
    throw UsageError(
        fmt::format("\"{}\" is not an address; fix: use a multiple of 4 up to 0xfffffffc", text));
  if (colon != std::string::npos &&
      (!parse_number(std::string_view(text).substr(colon + 1), bytes) || bytes == 0 || bytes % 4 != 0 ||
       bytes > kMaxBytes || at + bytes > (std::uint64_t{1} << 32))) {
    throw UsageError(fmt::format(
        "\"{}\" is not a range; fix: use ADDRESS:BYTES, with BYTES a multiple of 4 up to {} and within "
        "the 32-bit address space",
        text, kMaxBytes));
  }
  return {{}, Range{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(bytes)}};
}

}  // namespace softfeb::febctl
