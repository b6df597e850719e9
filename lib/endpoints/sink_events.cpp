// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/sink_events.hpp"

#include "config/error.hpp"

#include <algorithm>

namespace softfeb::endpoints {

namespace {

[[noreturn]] void refuse_builder(const config::Where& where, std::string message, std::string fix) {
  throw config::ConfigError({{where, std::move(message), std::move(fix)}});
}

/// Returns the options with which rdma-sink builds these events.
std::string sink_options(const detector::BuilderLayout& events) {
  std::string text = "rdma-sink --events";
  for (const auto& [name, value] : detector::values_of(events))
    text += std::string(" --event-") + name + ' ' + std::to_string(value);
  return text;
}

}  // namespace

detector::BuilderLayout builder_layout_of(const config::RunConfig& config, const QpPlan& plan) {
  // A board with events has no other queue pairs.
  return {config.boards[plan.board].events->layout(), plan.on_board};
}

void describe_events(const detector::BuilderLayout& events, peers::LocalEndpoint& local) {
  const detector::EventLayout& layout = events.layout;
  local.events = events;
  local.message_size =
      static_cast<std::uint32_t>(std::min(layout.piece, layout.largest()) + detector::kEventHeaderSize);
  local.messages = 0;  // not fixed, because it depends on the triggers of the run
  local.slots = layout.slots;
  local.immediate = true;
  local.payload = nullptr;  // not needed, because each header contains the CRC of its payload
}

void check_builder(const config::Where& where, const std::string& url, const detector::BuilderLayout& events,
                   const peers::RemoteEndpoint& remote) {
  const std::string fix = "start it as " + sink_options(events) + ", or change the boards' `events`";
  if (!remote.events) refuse_builder(where, url + " builds no events", fix);
  std::string differences;
  for (const auto& [name, boards, builder] : detector::compare_layouts(events, *remote.events))
    differences += (differences.empty() ? "" : ", ") + std::string(name) + " is " + std::to_string(boards) +
                   ", but there " + std::to_string(builder);
  if (!differences.empty()) refuse_builder(where, url + " has another layout of events: " + differences, fix);
  for (const peers::RemoteQp& qp : remote.qps) {
    if (qp.length >= events.layout.memory()) continue;
    refuse_builder(where,
                   url + " has " + std::to_string(qp.length) + " bytes of memory for events that take " +
                       std::to_string(events.layout.memory()),
                   fix);
  }
}

void rethrow_at(const config::Where& where, const peers::PeerError& error) {
  if (error.fault() != peers::PeerFault::kConfiguration) throw error;
  // An error with which rdma-sink refuses a session has the same form as a problem in a configuration: the
  // error, then the fix.
  constexpr std::string_view kFix = "; fix: ";
  const std::string text = error.what();
  const std::size_t at = text.find(kFix);
  if (at == std::string::npos) refuse_builder(where, text, "compare the options of rdma-sink with `events`");
  refuse_builder(where, text.substr(0, at), text.substr(at + kFix.size()));
}

}  // namespace softfeb::endpoints
