// SPDX-License-Identifier: BSD-3-Clause
#include "board_link.hpp"
#include "catalogue.hpp"
#include "config/error.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "peers/peer.hpp"
#include "stop.hpp"

#include <cstdio>
#include <exception>

#include <fmt/format.h>

using namespace softfeb;
using namespace softfeb::febctl;

namespace {

int complain(int code, const char* what) {
  fmt::print(stderr, "febctl: {}\n", what);
  return code;
}

const board::Profile& profile_of(const std::string& name) {
  if (name.empty()) return board::default_profile();
  if (const board::Profile* found = board::find_profile(name)) return *found;
  std::string known;
  for (const board::Profile& profile : board::profiles())
    known += (known.empty() ? "" : ", ") + profile.name();
  throw UsageError(fmt::format("--profile {}: unknown; fix: {}", name, known));
}

void run(const Options& options) {
  const Catalogue catalogue(registers_of(profile_of(options.profile)), own_registers());
  const Output out(options.json);
  Context context(catalogue, out, options.board, [&] { return dial(options.board); });
  options.command(context);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::variant<Options, int> parsed = parse_command_line(argc, argv);
    if (const int* const status = std::get_if<int>(&parsed)) return *status;
    catch_stop_signals();
    run(std::get<Options>(parsed));
    return kDone;
  } catch (const Failure& failure) {
    return complain(failure.code(), failure.what());
  } catch (const config::ConfigError& error) {
    return complain(kBadUsage, error.what());
  } catch (const peers::PeerError& error) {
    return complain(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return complain(kNoAnswer, "out of memory");
  } catch (const std::exception& error) {
    return complain(kNoAnswer, error.what());
  }
}
