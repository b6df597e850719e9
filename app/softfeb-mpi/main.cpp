// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"
#include "mpi/mpi_exchange.hpp"
#include "mpi/mpi_hosts.hpp"

#include <csignal>
#include <cstdio>

#include <unistd.h>

using namespace softfeb;

namespace {

/// Handles the signal that mpirun sends if another process has died: lets this process end, because it can no
/// longer finish the run.
extern "C" void interrupt(int) { mpi::MpiExchange::interrupt(); }

}  // namespace

int main(int argc, char** argv) {
  const mpi::Session session(argc, argv);
  mpi::MpiExchange exchange;
  mpi::MpiHosts hosts;
  if (exchange.size() > 1)
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, interrupt);
  const int status = app::run_command_line(argc, argv, {"softfeb-mpi", &exchange, &hosts});
  if (!mpi::MpiExchange::interrupted()) return status;
  // End without MPI_Finalize(), which may wait forever for a process that has died.
  std::fflush(nullptr);
  _exit(status);
}
