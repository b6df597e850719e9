// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_conformance.hpp"

#include "base/exit_code.hpp"
#include "config/error.hpp"
#include "config/load.hpp"
#include "conformance/catalogue.hpp"
#include "conformance/virtual_run.hpp"
#include "experiment/conformance_target.hpp"
#include "experiment/conformance_wire.hpp"
#include "report/atomic_file.hpp"
#include "report/conformance_files.hpp"
#include "report/conformance_profiles.hpp"
#include "report/conformance_progress.hpp"
#include "report/conformance_result.hpp"
#include "runtime/stop_signal.hpp"

#include <chrono>
#include <cstdio>
#include <future>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

using conformance::Case;
using conformance::Catalogue;
using conformance::SuiteConfig;
using conformance::SuiteResult;

constexpr const char* kOwnReceiver = "own:";
constexpr const char* kOwnVirtual = "own:virtual";
/// The configuration of a run without a configuration file. A run in virtual time does not use these ports
/// and addresses.
constexpr const char* kWithoutFile = R"(
ports: [{name: feb, device: net_null}]
boards: [{name: feb0, port: feb, ip: 10.0.0.1/24}]
conformance: {target: "own:virtual", profile: own}
)";
/// If the thread was preempted for longer than this between two iterations of the loop, the suite is
/// informed, because round-trip times are then measured less accurately.
constexpr Time kLongGap = kMillisecond;

[[noreturn]] void refuse(const std::string& what, const std::string& fix) {
  throw config::ConfigError({{{"command line", 0, ""}, what, fix}});
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> out;
  for (const std::string_view name : conformance::split_words(list, ',')) out.emplace_back(name);
  return out;
}

conformance::Selection selection_of(const ConformanceOptions& o, const config::ConformanceConfig& c) {
  conformance::Selection s;
  s.cases = o.cases ? names_in(*o.cases) : c.cases;
  for (const std::string& name : o.levels) {
    const auto level = conformance::level_of(name);
    if (!level)
      refuse("--level " + name + " is not a level", "use shall, should, may, measure or robustness");
    s.levels.push_back(*level);
  }
  s.quick = o.quick;
  s.stress = o.stress;
  s.destructive = o.destructive;
  return s;
}

/// Everything that the command line and the file specify.
struct Plan {
  Catalogue catalogue;
  config::RunConfig run;
  config::ConformanceConfig conformance;
  conformance::Selection selection;
  SuiteConfig suite;
};

/// Quotes a text as YAML, because values of overrides are YAML: `own:` without quotes would be a map.
std::string as_yaml(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

config::RunConfig load(const ConformanceOptions& o) {
  std::vector<std::string> overrides = o.overrides;
  if (o.target) overrides.push_back("conformance.target=" + as_yaml(*o.target));
  if (o.profile) overrides.push_back("conformance.profile=" + as_yaml(*o.profile));
  config::RunConfig config =
      o.config.empty() ? config::load_run_text(kWithoutFile, "the configuration without -c", overrides)
                       : config::load_run(o.config, overrides);
  if (!config.conformance)
    refuse(o.config + " has no section `conformance`",
           "add `conformance: {target: sink://HOST}`, or use --target");
  if (config.boards.empty())
    refuse(o.config + " has no board", "add a list `boards` with the requester's address");
  const bool runs = !o.list && !o.explain;
  if (runs && o.config.empty() && config.conformance->target != kOwnVirtual)
    refuse("target " + config.conformance->target + " needs a configuration",
           "use -c FILE, for example conf/conformance-own.yaml");
  config.run.quiet = o.quiet;
  return config;
}

Plan make_plan(const ConformanceOptions& o) {
  Plan plan;
  plan.run = load(o);
  plan.conformance = *plan.run.conformance;
  plan.selection = selection_of(o, plan.conformance);
  plan.suite.cases = conformance::select(plan.catalogue, plan.selection);
  plan.suite.profile = report::load_profile(plan.conformance.profile, plan.catalogue);
  plan.suite.target = plan.conformance.target;
  plan.suite.seed = plan.run.run.seed;
  plan.suite.destructive = o.destructive;
  plan.suite.attempts = plan.conformance.attempts;
  plan.suite.time_limit = plan.conformance.time_limit.value_or(kNever);
  return plan;
}

/// Returns the reason why a case would not run, or an empty text if it would. `target` is null before
/// connecting, when it is unknown what the target can do.
std::string why_not(const Case& c, const Plan& plan, const conformance::Capabilities* target) {
  std::string why = conformance::why_not_selected(c, plan.selection);
  if (why.empty()) why = conformance::why_not_applicable(c, plan.suite.profile, plan.suite.destructive);
  if (why.empty() && target != nullptr) why = conformance::why_not_applicable(c, *target);
  return why;
}

int list_cases(const Plan& plan) {
  std::optional<conformance::Capabilities> target;
  if (plan.conformance.target == kOwnVirtual)
    target = conformance::OwnTarget(conformance::virtual_addresses()).capabilities();
  for (const conformance::CaseGroup& group : plan.catalogue.groups()) {
    fmt::print("{}  {}\n", group.name, group.title);
    for (const Case& c : group.cases) {
      const std::string why = why_not(c, plan, target ? &*target : nullptr);
      fmt::print("  {:<7} {:<10} {:<9} {}{}\n", c.id, name_of(c.level), name_of(c.severity), c.title,
                 why.empty() ? "" : "  (" + why + ")");
    }
  }
  return kDone;
}

int explain_case(const Plan& plan, const std::string& id) {
  const Case* const c = plan.catalogue.find(id);
  if (c == nullptr) {
    throw conformance::NotationError("--explain " + id + " is not a case; the nearest is " +
                                     plan.catalogue.nearest(id) + " (--list prints all)");
  }
  fmt::print("{}: {}\n\nStimulus:  {}\nExpected:  {}\nSection:   {}\nLevel:     {}, {}\n", c->id, c->title,
             c->stimulus, c->expected, c->section, name_of(c->level), name_of(c->severity));
  const std::string needs = conformance::text_of(c->needs);
  if (!needs.empty()) fmt::print("Needs:     {}\n", needs);
  for (const std::string& name : report::installed_profiles()) {
    const conformance::Profile profile = report::load_profile(name, plan.catalogue);
    const auto it = profile.deviations.find(c->id);
    if (it != profile.deviations.end()) fmt::print("Deviates:  {}: {}\n", name, it->second.why);
  }
  return kDone;
}

SuiteResult run_virtual(const Plan& plan, const std::function<void(const conformance::CaseResult&)>& show) {
  const conformance::OwnTargetConfig addresses = conformance::virtual_addresses();
  conformance::OwnTarget own(addresses);
  return run_in_virtual_time(plan.catalogue, plan.suite, virtual_target(own, addresses), show);
}

/// softfeb's own receiver as a target, which carries out requests immediately.
class OwnConnection final : public TargetConnection {
 public:
  explicit OwnConnection(conformance::OwnTarget& own) : own_(own) {}
  conformance::TargetReply answer(const conformance::TargetRequest& r) override { return own_.answer(r); }
  conformance::Capabilities capabilities() const override { return own_.capabilities(); }
  conformance::TargetDevice device() const override { return own_.device(); }
  std::vector<conformance::RegionPlace> regions() const override { return own_.regions(); }
  std::optional<roce::MacAddress> mac() const override { return own_.device().mac; }

 private:
  conformance::OwnTarget& own_;
};

/// Connects while the board's addresses answer ARP requests.
std::unique_ptr<TargetConnection> connect_while_polling(const config::RunConfig& config,
                                                        ConformanceWire& wire) {
  auto connected = std::async(std::launch::async, [&] { return connect_target(config); });
  while (connected.wait_for(std::chrono::seconds(0)) != std::future_status::ready) wire.poll();
  return connected.get();
}

conformance::CaseEnvironment environment_of(const config::RunConfig& config, const TargetConnection& target,
                                            ConformanceWire& wire) {
  const config::ConformanceConfig& c = *config.conformance;
  const config::EndpointConfig& board = config.boards.front().endpoint;
  conformance::CaseEnvironment out;
  out.target = target.capabilities();
  out.target.active_mtu = std::min(out.target.active_mtu, wire.largest_path_mtu());
  // Also run the cases that need line rate. Their results state the rate that was actually reached.
  out.target.line_rate = true;
  out.target.two_ips = out.target.two_ips && c.second_ip;
  out.target.v6 = out.target.v6 && c.ip6;
  out.path = {.source_mac = wire.board().mac,
              .vlan = wire.board().vlan,
              .source_ip = board.ip,
              .dest_ip = target.device().ip,
              .dscp = board.dscp,
              .ecn = board.ecn};
  // Resolve the address even if the target reports it, because this exchange informs the target of the
  // board's address.
  out.path.dest_mac = wire.resolve(out.path.dest_ip);
  if (out.target.v6) {
    out.v6_path = out.path;
    out.v6_path->source_ip = c.ip6->ip;
    out.v6_path->dest_ip = *c.target_ip6;
    out.v6_path->dest_mac = wire.resolve(*c.target_ip6);
  }
  out.second_ip = c.second_ip.value_or(board.ip);
  out.regions = target.regions();
  if (config.boards.front().link_rate) out.link_rate = *config.boards.front().link_rate;
  out.waiting_frames = [&wire] { return wire.waiting(); };
  return out;
}

/// Runs the suite over the ports. Requests to softfeb's own receiver are answered in the loop, which also
/// polls this receiver.
void drive(conformance::Suite& suite, ConformanceWire& wire, TargetConnection& target, bool own) {
  std::optional<TargetThread> thread;
  if (!own) thread.emplace(target);
  while (!suite.done()) {
    const Time gap = wire.poll();
    const Time now = wire.now();
    if (gap > kLongGap) suite.preempted(gap);
    for (const conformance::Answer& answer : wire.take_answers()) suite.on_answer(answer, now);
    if (thread) {
      if (const auto reply = thread->reply()) suite.on_reply(*reply, now);
    }
    conformance::Frames frames;
    suite.run(now, frames);
    for (auto& frame : frames) wire.send(std::move(frame));
    while (const auto request = suite.take_request()) {
      if (thread) {
        thread->ask(*request);
        break;
      }
      suite.on_reply(target.answer(*request), now);
    }
    suite.port_dropped(wire.dropped());
    if (runtime::stop_signals() != 0) suite.stop(now);
  }
}

SuiteResult run_real(const Plan& plan, const std::function<void(const conformance::CaseResult&)>& show) {
  const config::RunConfig& config = plan.run;
  const bool is_own = plan.conformance.target == kOwnReceiver;
  std::optional<conformance::OwnTarget> own;
  if (is_own) own.emplace(own_addresses(config));
  ConformanceWire wire(config, own ? &*own : nullptr);
  const std::unique_ptr<TargetConnection> target =
      own ? std::make_unique<OwnConnection>(*own) : connect_while_polling(config, wire);
  conformance::Suite suite(plan.catalogue, plan.suite, environment_of(config, *target, wire),
                           target->device(), wire.now());
  suite.on_case(show);
  drive(suite, wire, *target, is_own);
  return suite.result();
}

int exit_status(const SuiteResult& result, const ConformanceOptions& o) {
  if (result.no_baseline) return kEnvironment;
  const conformance::Totals totals = totals_of(result);
  const bool rotten = o.strict && !result.not_seen.empty();
  const bool open = (totals.inconclusive != 0 && !o.allow_inconclusive) || totals.not_run != 0;
  return totals.fail != 0 || open || rotten || result.dead ? kCheckFailed : kDone;
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  report::AtomicFile file(path);
  file.write(text);
  file.commit();
}

void write_results(const SuiteResult& result, const Plan& plan, const ConformanceOptions& o,
                   const std::string& folder) {
  if (!folder.empty()) {
    report::write_conformance(result, plan.catalogue, folder,
                              {.config = config::to_yaml(plan.run),
                               .profile = conformance::to_yaml(plan.suite.profile),
                               .strict = o.strict});
  }
  if (o.json)
    write_text(*o.json, report::conformance_text(report::make_conformance_result(result, o.strict)));
  if (o.write_profile) {
    const std::string base = report::absolute_profile(plan.conformance.profile);
    write_text(*o.write_profile, conformance::draft_profile(result, base));
  }
}

/// Returns the folder for the report: --out, or the default folder unless --json is given. Returns an empty
/// text if there is no report.
std::string folder_of(const ConformanceOptions& o) {
  if (o.out) return *o.out;
  return o.json ? "" : "softfeb-conformance";
}

}  // namespace

int run_conformance(const ConformanceOptions& o) {
  const Plan plan = make_plan(o);
  if (o.list) return list_cases(plan);
  if (o.explain) return explain_case(plan, *o.explain);
  const std::string folder = folder_of(o);
  if (!folder.empty()) report::check_conformance_folder(folder);
  runtime::catch_stop_signals();
  // The result may go to standard output, so the progress must not.
  const auto print = [&](const std::string& line) {
    if (!o.quiet) fmt::print(stderr, "{}\n", line);
  };
  if (plan.selection.stress)
    print("--stress: STR and CNP-13 to CNP-17 send at up to the rate of the link, for up to 30 s each");
  report::ConformanceProgress progress(plan.catalogue, print);
  const auto show = [&](const conformance::CaseResult& r) { progress.on_case(r); };
  const bool in_virtual_time = plan.conformance.target == kOwnVirtual;
  const SuiteResult result = in_virtual_time ? run_virtual(plan, show) : run_real(plan, show);
  progress.finish();
  write_results(result, plan, o, folder);
  const int status = exit_status(result, o);
  if (!o.quiet || status != kDone)
    fmt::print(stderr, "{}", report::conformance_summary(result, folder, o.strict));
  return status;
}

}  // namespace softfeb::experiment
