// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/doorbell.hpp"

#include "dataplane/error.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace softfeb::dataplane {

Doorbell::Doorbell() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (fd_ < 0) throw EnvironmentError("no file descriptor left for a worker's doorbell", "raise ulimit -n");
}

Doorbell::~Doorbell() { close(fd_); }

void Doorbell::wake() {
  // Only the first producer to ring writes the eventfd.
  if (armed_.exchange(false, std::memory_order_acq_rel)) eventfd_write(fd_, 1);
}

void Doorbell::clear() {
  eventfd_t count = 0;
  eventfd_read(fd_, &count);
}

}  // namespace softfeb::dataplane
