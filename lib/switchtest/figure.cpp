// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/figure.hpp"

namespace softfeb::switchtest {

const char* name_of(Status status) {
  switch (status) {
    case Status::kMeasured:
      return "measured";
    case Status::kBounded:
      return "bounded";
    case Status::kAbsent:
      return "absent";
    case Status::kUnresolvable:
      return "unresolvable";
    case Status::kInconclusive:
      break;
  }
  return "inconclusive";
}

const char* name_of(Method method) {
  switch (method) {
    case Method::kCount:
      return "count";
    case Method::kSearch:
      return "search";
    case Method::kFit:
      return "fit";
    case Method::kMean:
      return "mean";
    case Method::kOrder:
      break;
  }
  return "order";
}

}  // namespace softfeb::switchtest
