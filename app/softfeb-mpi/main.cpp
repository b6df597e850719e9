// SPDX-License-Identifier: BSD-3-Clause
#include "base/exit_code.hpp"
#include "mpi/mpi_exchange.hpp"
#include "softfeb/command_line.hpp"

#include <csignal>
#include <string_view>

#include <unistd.h>

using namespace softfeb;

namespace {

/// If a process has died, mpirun ends the others with a signal. None of them can finish the run, so they end
/// at once, and write nothing.
extern "C" void end_at_once(int) {
  constexpr std::string_view kText = "softfeb-mpi: ended by a signal; no result was written\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
  _exit(kEnvironment);
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Session session(argc, argv);
  mpi::MpiExchange exchange;
  if (exchange.size() > 1)
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, end_at_once);
  return app::run_command_line(argc, argv, {"softfeb-mpi", &exchange});
}
