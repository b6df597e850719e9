// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "dispatcher_client.hpp"
#include "failure.hpp"
#include "stop.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using nlohmann::json;

void check(const DispatchOptions& options) {
  if (options.count > DispatcherClient::kMaxCount)
    throw UsageError(fmt::format("--count {} is too large; fix: use at most {}", options.count,
                                 DispatcherClient::kMaxCount));
  if (options.count == 0 && !options.reset) throw UsageError("nothing to do; fix: give --count N or --reset");
}

void report(Context& context, const Burst& burst, const Completions& counters) {
  context.out.result(
      fmt::format("{} of {} messages of {} bytes completed, {} failed, in {:.3f} s: {:.3f} Gb/s\n"
                  "SuccessCounter {}, UnsuccessCounter {}\n",
                  burst.done.ok, burst.count, burst.length, burst.done.failed, burst.seconds, burst.gbps(),
                  counters.ok, counters.failed),
      {{"count", burst.count},
       {"length", burst.length},
       {"completed", burst.done.ok},
       {"failed", burst.done.failed},
       {"seconds", burst.seconds},
       {"gbps", burst.gbps()},
       {"SuccessCounter", counters.ok},
       {"UnsuccessCounter", counters.failed}});
}

}  // namespace

void dispatch_command(Context& context, const DispatchOptions& options) {
  check(options);
  DispatcherClient dispatcher(context.board(), context.catalogue);
  if (options.reset) dispatcher.reset_counters();
  if (options.count == 0) return context.out.result("counters reset", {{"reset", true}});
  if (options.size) dispatcher.set_length(*options.size);
  const auto began = std::chrono::steady_clock::now();
  const Completions before = dispatcher.start(options.count);
  if (!options.wait) {
    return context.out.result(
        fmt::format("{} messages started", options.count),
        {{"count", options.count}, {"SuccessCounter", before.ok}, {"UnsuccessCounter", before.failed}});
  }
  const Burst burst =
      dispatcher.wait(options.count, before, began, std::chrono::duration<double>(options.limit), stopped);
  report(context, burst, dispatcher.completions());
  if (burst.complete()) return;
  throw Refusal(
      burst.done.failed != 0
          ? fmt::format("{} requests failed; fix: check that the queue pair is connected (febctl status)",
                        burst.done.failed)
          : fmt::format("{} of {} requests completed in {:.1f} s; fix: check that the queue pair is "
                        "connected (febctl "
                        "status) and that ClientRemoteIp is the host",
                        burst.done.ok, burst.count, burst.seconds));
}

}  // namespace softfeb::febctl
