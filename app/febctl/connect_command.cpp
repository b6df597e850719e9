// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "dispatcher_client.hpp"
#include "failure.hpp"
#include "stop.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using nlohmann::json;

std::string sink_text(const json& report) {
  std::string text =
      fmt::format("rdma-sink: {} messages, {} bytes, {} checked, {} wrong, {} out of order: {}\n",
                  report.value("messages", 0ULL), report.value("payload_bytes", 0ULL),
                  report.value("bytes_checked", 0ULL), report.value("bytes_wrong", 0ULL),
                  report.value("out_of_order", 0ULL), report.value("held", false) ? "held" : "NOT held");
  for (const json& problem : report.value("problems", json::array()))
    text += "  " + (problem.is_string() ? problem.get<std::string>() : problem.dump()) + "\n";
  return text;
}

/// Keeps the session with the sink open. Meanwhile, other clients may use the board.
void hold(Context& context, const ConnectCommand& options, Connection& connection) {
  const Completions before = DispatcherClient(context.board(), context.catalogue).completions();
  context.release();
  context.out.note(options.seconds
                       ? fmt::format("connection held for {} s", *options.seconds)
                       : std::string("connection held until Ctrl-C; send bursts with febctl dispatch"));
  pause_for(options.seconds ? std::chrono::duration<double>(*options.seconds) : std::chrono::hours(24 * 365));
  const Completions done = DispatcherClient(context.board(), context.catalogue).completions().since(before);
  const std::vector<std::string> refused =
      end_connection(context, connection.board, options.connection.metadata_timeout);
  // Another client may have reset the counters while messages were sent, so the number of sent messages is
  // uncertain.
  const json report = connection.sink->end({.complete = done.failed == 0, .counted = false});
  std::string text =
      fmt::format("board: {} requests completed, {} failed\n", done.ok, done.failed) + sink_text(report);
  for (const std::string& what : refused) text += what + "\n";
  context.out.result(
      text, {{"completed", done.ok}, {"failed", done.failed}, {"refused", refused}, {"sink", report}});
  if (!report.value("held", false)) throw Refusal("the receiver's checks failed");
  if (done.failed != 0) throw Refusal(fmt::format("{} requests failed", done.failed));
}

}  // namespace

void connect_command(Context& context, const ConnectCommand& options) {
  Connection connection = make_connection(context, options.connection);
  context.out.result(connection_text(connection), connection_json(connection));
  if (connection.sink) hold(context, options, connection);
}

}  // namespace softfeb::febctl
