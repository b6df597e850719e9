// SPDX-License-Identifier: BSD-3-Clause
#include "study/options.hpp"

#include "config/error.hpp"

#include <string>

namespace softfeb::study {

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& why, const std::string& fix) {
  throw config::ConfigError({{{option, 0, ""}, why, fix}});
}

/// Throws if an option that needs the study's folder is given without the folder.
void require_folder(const StudyOptions& o) {
  const struct {
    const char* name;
    bool given;
  } all[] = {{"--task", o.task.has_value()},
             {"--collect", o.collect},
             {"--on", !o.on.empty()},
             {"--existing", o.existing}};
  if (o.out) return;
  for (const auto& option : all) {
    if (option.given)
      refuse(option.name, std::string(option.name) + " requires the folder of the study", "add --out DIR");
  }
}

void refuse_two_actions(const StudyOptions& o) {
  const bool engine = !o.on.empty();
  if (o.task && o.collect)
    refuse("--collect", "--task runs points and --collect combines them", "give only one of them");
  if (engine && o.task)
    refuse("--task", "--on divides the study into tasks itself", "remove --task, or remove --on");
  if (engine && o.collect)
    refuse("--collect", "--on collects the points when they are complete",
           "remove --collect, or remove --on");
}

void require_engine(const StudyOptions& o) {
  const Engine engine = engine_of(o);
  if (!o.hosts.empty() && engine != Engine::kParallel)
    refuse(
        "--hosts", "only GNU parallel takes a list of hosts",
        engine == Engine::kSlurm ? "choose nodes with --on-args \"--nodelist=n1,n2\"" : "add --on parallel");
  if (engine != Engine::kHere) return;
  if (o.tasks)
    refuse("--tasks", "--tasks divides the study for an engine", "add --on slurm or --on parallel");
  if (!o.engine_args.empty())
    refuse("--on-args", "--on-args are arguments of an engine", "add --on slurm or --on parallel");
}

}  // namespace

Engine engine_of(const StudyOptions& options) {
  const std::string& name = options.on;
  if (name.empty()) return Engine::kHere;
  if (name == "slurm") return Engine::kSlurm;
  if (name == "parallel") return Engine::kParallel;
  refuse("--on", '"' + name.substr(0, 64) + "\" is not an engine",
         "write slurm or parallel; for other engines, see --task in doc/scale.md");
}

void check(const StudyOptions& options, bool writes_result) {
  require_folder(options);
  refuse_two_actions(options);
  require_engine(options);
  if (options.task && writes_result)
    refuse("--task", "a task has only a part of the result",
           "remove --json and --report here, and give them to --collect");
  if (options.tasks == std::size_t{0}) refuse("--tasks", "0 tasks run nothing", "give at least 1");
  if (options.threads == std::size_t{0}) refuse("--threads", "0 threads run nothing", "give at least 1");
}

}  // namespace softfeb::study
