// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"
#include "commands.hpp"
#include "failure.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

std::chrono::milliseconds patience(const TeardownOptions& options) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(options.metadata_timeout * 1e3));
}

std::uint32_t dispatcher_value(Context& context, const char* name) {
  const auto reg = context.catalogue.find(name);
  return reg ? static_cast<std::uint32_t>(read_number(context.board(), *reg)) : 0;
}

/// Finds the QPN of the board's queue pair. Tries the QPN in the last response on the metadata bus, and then
/// the QPN that febctl connect wrote to the dispatcher. Other clients write the host's QPN to the dispatcher,
/// so a QPN is used only if the board has a queue pair with this QPN.
std::optional<std::uint32_t> find_qp(Context& context, MetadataBus& bus, std::uint32_t pd) {
  const auto last = bus.last_qp_response();
  for (const std::uint32_t qpn : {last ? last->qpn : 0, dispatcher_value(context, "RoceDispatcher.SQpn")}) {
    if (qpn != 0 && bus.ask(query_qp(qpn, pd)).success) return qpn;
  }
  return std::nullopt;
}

/// The firmware has only one queue pair. No bits of the QPN select a slot, so any QPN selects this queue
/// pair.
constexpr std::uint32_t kAnyQpn = 1;

/// Finds a queue pair that a client left behind and whose QPN is no longer in any register. That client, or a
/// later client whose request was refused, may have freed the protection domain. In this case, the queue pair
/// can be reached only after a new protection domain has been allocated (doc/metadata.md). The function then
/// sets `pd` to the new protection domain, which the caller must free.
bool find_abandoned(MetadataBus& bus, std::optional<std::uint32_t>& pd) {
  if (bus.ask(query_qp(kAnyQpn, pd.value_or(0))).success) return true;
  const board::PdResponse made = bus.ask(allocate_pd(kAnyQpn));
  if (!made.success) return false;
  if (bus.ask(query_qp(kAnyQpn, made.handler)).success) {
    pd = made.handler;
    return true;
  }
  bus.ask(free_pd(made.handler));
  return false;
}

/// Frees the memory regions in the two slots that the firmware has for regions. The most significant bit of a
/// key selects the slot. Returns the number of freed regions.
std::size_t free_regions(MetadataBus& bus, std::uint32_t pd) {
  std::size_t freed = 0;
  for (const std::uint32_t key : {0U, 0x8000'0000U}) freed += bus.ask(free_mr(pd, key, key)).success ? 1 : 0;
  return freed;
}

}  // namespace

void teardown_command(Context& context, const TeardownOptions& options) {
  MetadataBus bus(context.board(), context.catalogue, patience(options));
  BoardResources known{
      .pd = options.pd, .lkey = options.lkey, .qpn = options.qpn, .keep_pd = options.keep_pd};
  if (!known.qpn) known.qpn = find_qp(context, bus, options.pd.value_or(0));
  const std::uint32_t lkey = dispatcher_value(context, "RoceDispatcher.LKey");
  if (!known.lkey && lkey != 0 && !options.all_regions) known.lkey = lkey;
  const bool abandoned = !known.qpn && !options.keep_pd && find_abandoned(bus, known.pd);
  if (abandoned) known.qpn = kAnyQpn;
  const bool anything = known.qpn || known.pd || known.lkey;
  std::size_t regions = 0;
  if (options.all_regions || (abandoned && !known.lkey)) regions = free_regions(bus, known.pd.value_or(0));
  // The firmware has one protection domain, so any handler selects it.
  if (!known.qpn && !known.pd && !options.keep_pd) bus.ask(free_pd(0));
  const std::vector<std::string> refused = end_connection(context, known, options.metadata_timeout);
  std::string text = abandoned   ? "freed a queue pair that a client had left behind\n"
                     : known.qpn ? fmt::format("freed queue pair {:#x}\n", *known.qpn)
                                 : "no queue pair to free\n";
  if (regions != 0) text += fmt::format("freed {} memory region{}\n", regions, regions == 1 ? "" : "s");
  for (const std::string& what : refused) text += what + "\n";
  nlohmann::json json{{"qpn", nullptr}, {"refused", refused}};
  if (known.qpn && !abandoned) json["qpn"] = *known.qpn;
  context.out.result(text, json);
  if (anything && !refused.empty()) throw Refusal("some resources could not be freed");
}

}  // namespace softfeb::febctl
