// SPDX-License-Identifier: BSD-3-Clause
#include "roce/work.hpp"

namespace softfeb::roce {

const char* to_string(WcStatus status) {
  switch (status) {
    case WcStatus::kSuccess:
      return "success";
    case WcStatus::kLocalOperationError:
      return "local operation error";
    case WcStatus::kFlushed:
      return "flushed";
    case WcStatus::kBadResponse:
      return "bad response";
    case WcStatus::kRemoteInvalidRequest:
      return "remote invalid request error";
    case WcStatus::kRemoteAccess:
      return "remote access error";
    case WcStatus::kRemoteOperation:
      return "remote operation error";
    case WcStatus::kRetriesExceeded:
      return "retries exceeded";
    case WcStatus::kRemoteInvalidRd:
      return "remote invalid RD request";
    case WcStatus::kTimeoutsExceeded:
      return "timeouts exceeded";
  }
  return "unknown status";
}

}  // namespace softfeb::roce
